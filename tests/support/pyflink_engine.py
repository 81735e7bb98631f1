"""Runs PyFlink scripts through the very code that runs on workers, in this process and without Spark.

For scripts whose records are their own: bounded runs, and streams that are cut into batches anywhere.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.frontends.loading import load_jobs
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.scripts.handover import LoadOptions
from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.executor.chunks import FIGURES, Chunk, chunk_batch, chunks_of, unpacked
from spark_runner.executor.layers import run_ending_layer, run_feed
from spark_runner.executor.layout import Layout
from spark_runner.figures.results import PrintedRecord
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.frames.shipping import pickled_function
from spark_runner.lowering.lower import lower
from spark_runner.program.chunks import ChunkPlan, ChunkSink
from tests.support.stream_engine import StreamEngine, schema_of

__all__ = ["EngineRun"]


class EngineRun:
    """A script, every job of it run when the script executes it. `cuts` None: as a bounded run.

    `late` holds watermarks back until the input ends, as a short run of Flink does.
    """

    def __init__(self, *, cuts: Iterable[int] | None = None, late: bool = False) -> None:
        self.cuts = None if cuts is None else tuple(cuts)
        self.late = late
        self.lines: list[str] = []

    def run(self, script: Path) -> list[str]:
        """The lines that the script and its print sinks wrote."""
        said = io.StringIO()
        with redirect_stdout(said):
            load_jobs(str(script), LoadOptions(run=self._job))
        return [*self.lines, *said.getvalue().splitlines()]

    def _job(self, job: JobDefinition) -> list[Any]:
        program = lower(plan(job), "batch" if self.cuts is None else "streaming")
        assert program.chunks is not None
        with pyflink_stand_in():
            if self.cuts is None:
                found = _bounded(program.chunks, program.file)
            else:
                stream = _held_back(program.chunks) if self.late else program.chunks
                engine = StreamEngine.of(stream, lambda value: pickled_function(value, program.file))
                found = engine.run(self.cuts)
        collected: list[Any] = []
        for sink in program.chunks.sinks:
            for subtask, value in found[sink.number]:
                if sink.kind == "collect":
                    collected.append(value)
                else:
                    number = subtask + 1 if sink.parallelism > 1 else None
                    record = PrintedRecord(operator="", subtask=number, text=value, identifier=sink.identifier)
                    self.lines += str(record).splitlines()
        return collected


def _held_back(job: ChunkPlan) -> ChunkPlan:
    vertices = tuple(
        replace(
            vertex,
            operations=tuple(
                replace(one, options={**one.options, "delay": 10**15}) if one.role == "watermarks" else one
                for one in vertex.operations
            ),
        )
        for vertex in job.vertices
    )
    return replace(job, vertices=vertices)


def _bounded(job: ChunkPlan, file: str) -> dict[int, list[tuple[int, Any]]]:
    layout = LayoutMaker(job, schema_of, {}).layout()
    payload = pickled_function(layout, file)
    chunks: list[Chunk] = []
    for source in job.sources:
        subtasks = _numbers(source.parallelism)
        chunks += chunks_of(run_feed(payload, source.vertex, pickled_function(source.records, file), subtasks))
    for number, vertices in enumerate(job.layers, start=1):
        width = max(vertex.parallelism for vertex in vertices)
        parts = [[chunk for chunk in chunks if chunk.subtask % width == slot] for slot in range(width)]
        chunks = [done for part in parts for done in chunks_of(run_ending_layer(payload, number, [chunk_batch(part)]))]
    return {sink.number: _records(layout, sink, chunks) for sink in job.sinks}


def _numbers(count: int) -> Any:
    import pyarrow as pa

    return [pa.RecordBatch.from_pydict({"id": list(range(count))})]


def _records(layout: Layout, sink: ChunkSink, chunks: list[Chunk]) -> list[tuple[int, Any]]:
    first = layout.vertices[sink.vertex].first_producer
    mine = [chunk for chunk in chunks if chunk.target == -1 - sink.number and chunk.target != FIGURES]
    ordered = sorted(mine, key=lambda one: (one.base, one.producer, one.seq))
    return [(chunk.producer - first, value) for chunk in ordered for value in unpacked(chunk.blob, None).values]
