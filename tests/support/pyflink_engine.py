"""Runs jobs through the very code that runs on workers, in this process and without Spark.

Bounded runs, and streams that are cut into batches anywhere; of records of their own and of files.
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
from planner.frontends.python_files.handover import LoadOptions
from planner.job import JobDefinition, Reader
from planner.pipeline import plan
from spark_runner.executor.chunks import FIGURES, Chunk, chunk_batch, chunks_of, unpacked
from spark_runner.executor.layers import run_ending_layer, run_feed, run_rows
from spark_runner.executor.layout import Layout
from spark_runner.figures.results import PrintedRecord
from spark_runner.frames.collections import fed_records
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.frames.shipping import kept, pickled_function
from spark_runner.lowering.lower import lower
from spark_runner.program.chunks import ChunkPlan, ChunkSink
from tests.support.file_records import file_batches, positioned, reader_schemas
from tests.support.stream_engine import StreamEngine, schema_of

__all__ = ["EngineRun", "run_bounded", "run_stream"]


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
            load_jobs(str(script), LoadOptions(run=self._job, keep=kept))
        return [*self.lines, *said.getvalue().splitlines()]

    def _job(self, job: JobDefinition) -> list[Any]:
        program = lower(plan(job), "batch" if self.cuts is None else "streaming")
        assert program.chunks is not None
        with pyflink_stand_in():
            if self.cuts is None:
                found = run_bounded(program.chunks, program.file)
            else:
                stream = _held_back(program.chunks) if self.late else program.chunks
                found = run_stream(stream, program.file, self.cuts)
        collected: list[Any] = []
        for sink in program.chunks.sinks:
            for subtask, value in found[sink.number]:
                if sink.kind == "collect":
                    collected.append(value)
                else:
                    number = subtask + 1 if sink.parallelism > 1 else None
                    self.lines += str(PrintedRecord.of(sink.operator, number, value)).splitlines()
        return collected


def run_stream(job: ChunkPlan, file: str, cuts: Iterable[int]) -> dict[int, list[tuple[int, Any]]]:
    """The same as a stream, in several batches: its first file and all others are read in batches of their own."""
    schemas = reader_schemas(job)
    engine = StreamEngine.of(job, lambda value: pickled_function(value, file), schemas)
    files = {}
    for source in job.sources:
        if source.number in schemas:
            found = [positioned(batch, at) for at, batch in enumerate(file_batches(source))]
            files[source.number] = [found[:1], found[1:]]
    return engine.run(cuts, files=files)


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


def run_bounded(job: ChunkPlan, file: str) -> dict[int, list[tuple[int, Any]]]:
    """What reaches the sinks of a job whose input ends, each record with its subtask."""
    layout = LayoutMaker(job, schema_of, reader_schemas(job)).layout()
    payload = pickled_function(layout, file)
    chunks: list[Chunk] = []
    for source in job.sources:
        if isinstance(source.operator.behaviour, Reader):
            files = file_batches(source)
            for subtask in range(source.parallelism):
                chunks += chunks_of(run_rows(payload, source.vertex, -subtask, files[subtask :: source.parallelism]))
        else:
            records = pickled_function(fed_records(source, schema_of), file)
            chunks += chunks_of(run_feed(payload, source.vertex, records, _numbers(source.parallelism)))
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
    return [
        (chunk.producer - first, value)
        for chunk in ordered
        for value in unpacked(chunk.blob, layout.edges[chunk.edge].schema).values
    ]
