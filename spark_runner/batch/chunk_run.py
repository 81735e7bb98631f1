"""Runs vertices that send each other chunks to the end of their input, as one batch."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from planner.errors import PlanError
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.python_files.job_modules import modules_found
from planner.job import Operator, Writer
from spark_runner.batch.chunk_frames import ChunkFrames, avro_frame, chunk_frames
from spark_runner.batch.sinks import Writers
from spark_runner.executor.chunks import FIGURES, Chunk, chunks_of, unpacked
from spark_runner.executor.layout import Layout
from spark_runner.executor.records import decode
from spark_runner.executor.rows import printed
from spark_runner.figures.results import (
    ActionFinished,
    ActionStarted,
    CollectedRecord,
    Events,
    PrintedRecord,
    RunResult,
    SinkWritten,
    VertexFinished,
)
from spark_runner.figures.totals import Totals
from spark_runner.frames.blame import blamed, translated
from spark_runner.frames.shipping import ship
from spark_runner.program.chunks import ChunkPlan, ChunkSink
from spark_runner.program.file_names import bucket_of
from spark_runner.program.job_paths import resolved_path
from spark_runner.program.program import SparkProgram

__all__ = ["execute_chunks"]


def execute_chunks(program: SparkProgram, job: ChunkPlan, spark: SparkSession, events: Events) -> RunResult:
    """Run vertices whose input ends. Raises ExecutionError, with the operator where one is to blame."""
    try:
        return _Run(program, job, spark, events).run()
    except PlanError:
        raise
    except Exception as error:
        raise translated(error, None) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Destination:
    """A sink as the writers of batches take it: its operator's behaviour is a writer of Spark."""

    number: int
    operator: Operator
    name: str
    avro: str | None  # the schema of records of Avro, whose files are written as lines


class _Run:
    """One run: one action for everything that comes back, and one for each sink of files."""

    def __init__(self, program: SparkProgram, job: ChunkPlan, spark: SparkSession, events: Events) -> None:
        self.program, self.job, self.spark, self.events = program, job, spark, events
        self.writers = Writers(spark, lambda path: resolved_path(path, program.file), events)
        now = int(time.time() * 1000)
        self.written = {sink.number: _destination(sink, now) for sink in job.sinks if sink.kind == "write"}

    def run(self) -> RunResult:
        """Everything, in order. Files get their place when all is done, and what a failed run wrote is removed."""
        try:
            for sink in self.written.values():
                self.writers.check(sink)
            return self._all()
        finally:
            self.writers.discard()

    def _all(self) -> RunResult:
        ship(self.spark, self.program.file, pyflink=self.job.script)
        vertices = tuple(range(len(self.program.steps)))
        name = self.job.sinks[0].operator.key if self.job.sinks else "job"
        self.events(ActionStarted(sink=name, vertices=vertices))
        frames = chunk_frames(self.job, self.spark, self.program.file)
        in_columns = [sink for sink in self.job.sinks if self._in_columns(sink)]
        if in_columns:
            frames.rows.persist()
        try:
            chunks = self._collected(frames.rows, in_columns)
            for sink in in_columns:
                self._write(sink, frames) if sink.kind == "write" else self._print_columns(sink, frames)
        finally:
            frames.rows.unpersist()
        self._give(chunks, frames.layout)
        self.writers.publish()
        self.events(ActionFinished(sink=name, vertices=vertices))
        return self._result(chunks)

    def _in_columns(self, sink: ChunkSink) -> bool:
        """Whether Spark takes a sink's records: to write them, or for SQL before it."""
        return sink.kind == "write" or any(flow.sql for flow in self.job.flows_into(sink))

    def _collected(self, rows: DataFrame, in_columns: list[ChunkSink]) -> list[Chunk]:
        """What the driver needs: figures, and the records of sinks that Spark does not take."""
        files = [-1 - sink.number for sink in in_columns]
        wanted = rows.where(~F.col("target").isin(files)) if files else rows
        return chunks_of(wanted.toArrow().to_batches())

    def _write(self, sink: ChunkSink, frames: ChunkFrames) -> None:
        found = self.written[sink.number]
        with blamed(sink.operator, sink.name, "could not be written"):
            frame = frames.columns(sink, self.job.flows_into(sink)[0])
            self.writers.write(found, frame if found.avro is None else avro_frame(frame, found.avro))

    def _print_columns(self, sink: ChunkSink, frames: ChunkFrames) -> None:
        for batch in frames.columns(sink, self.job.flows_into(sink)[0]).toArrow().to_batches():
            for value in decode(batch.columns, batch.schema.names):
                self.events(PrintedRecord.of(sink.operator, None, printed(value)))

    def _give(self, chunks: list[Chunk], layout: Layout) -> None:
        for sink in self.job.sinks:
            if self._in_columns(sink):
                continue
            several = sink.parallelism > 1
            for subtask, record in self._records(sink, chunks, layout):
                if sink.kind == "print":
                    self.events(PrintedRecord.of(sink.operator, subtask if several else None, printed(record)))
                else:
                    self.events(CollectedRecord(record=record))

    def _records(self, sink: ChunkSink, chunks: list[Chunk], layout: Layout) -> Iterator[tuple[int, Any]]:
        """A sink's records in the order of the input, each with its subtask."""
        first = sum(vertex.parallelism for vertex in self.job.vertices[: sink.vertex])
        mine = [chunk for chunk in chunks if chunk.target == -1 - sink.number]
        with pyflink_stand_in(), modules_found(self.program.file.rpartition("/")[0] or "."):
            for chunk in sorted(mine, key=lambda one: (one.base, one.producer, one.seq)):
                for value in unpacked(chunk.blob, layout.edges[chunk.edge].schema).values:
                    yield chunk.producer - first + 1, value

    def _target(self, sink: ChunkSink) -> str | None:
        writer = sink.operator.behaviour
        path = writer.path if isinstance(writer, Writer) else None
        return None if path is None else resolved_path(path, self.program.file)

    def _result(self, chunks: list[Chunk]) -> RunResult:
        figures = [json.loads(chunk.blob) for chunk in chunks if chunk.target == FIGURES]
        totals = Totals(self.job, self.program)
        totals.targets = {sink.number: self._target(sink) for sink in self.job.sinks}
        totals.take(0, figures)
        result = totals.result()
        for vertex in result.vertices:
            self.events(VertexFinished(figures=vertex))
        for sink in result.sinks:
            self.events(SinkWritten(figures=sink))
        return result


def _destination(sink: ChunkSink, now: int) -> _Destination:
    """Where a sink's records go: the bucket is that of the run's first moment."""
    writer, avro = sink.operator.behaviour, None
    assert isinstance(writer, Writer)
    if writer.format == "avro":
        options = dict(writer.options)
        avro = options.pop("avroSchema")
        writer = replace(writer, format="text", options=tuple(options.items()))
    bucket = "" if writer.names is None else bucket_of(writer.names, now)
    if bucket:
        writer = replace(writer, path=f"{writer.path}/{bucket}")
    operator = replace(sink.operator, behaviour=writer)
    return _Destination(number=sink.number, operator=operator, name=sink.name, avro=avro)
