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
from planner.frontends.scripts.job_modules import modules_found
from planner.job import Operator, Writer
from spark_runner.batch.chunk_frames import avro_frame, chunk_frame, columns_frame
from spark_runner.batch.sinks import Writers
from spark_runner.executor.chunks import FIGURES, Chunk, chunks_of, unpacked
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
        rows = chunk_frame(self.job, self.spark, self.program.file)
        writers = [sink for sink in self.job.sinks if sink.kind == "write"]
        if writers:
            rows = rows.persist()
        try:
            chunks = self._collected(rows, writers)
            for sink in writers:
                self._write(sink, rows)
        finally:
            rows.unpersist()
        self._give(chunks)
        self.writers.publish()
        self.events(ActionFinished(sink=name, vertices=vertices))
        return self._result(chunks)

    def _collected(self, rows: DataFrame, writers: list[ChunkSink]) -> list[Chunk]:
        """What the driver needs: figures, and the records of sinks that are not files."""
        files = [-1 - sink.number for sink in writers]
        wanted = rows.where(~F.col("target").isin(files)) if files else rows
        return chunks_of(wanted.toArrow().to_batches())

    def _write(self, sink: ChunkSink, rows: DataFrame) -> None:
        found = self.written[sink.number]
        with blamed(sink.operator, sink.name, "could not be written"):
            frame = columns_frame(rows, sink, self.job.flows_into(sink)[0])
            self.writers.write(found, frame if found.avro is None else avro_frame(frame, found.avro))

    def _give(self, chunks: list[Chunk]) -> None:
        for sink in self.job.sinks:
            if sink.kind == "write":
                continue
            several = sink.parallelism > 1
            for subtask, record in self._records(sink, chunks):
                if sink.kind == "print":
                    number, identifier = subtask if several else None, sink.identifier
                    self.events(
                        PrintedRecord(operator=sink.operator.key, subtask=number, text=record, identifier=identifier)
                    )
                else:
                    self.events(CollectedRecord(record=record))

    def _records(self, sink: ChunkSink, chunks: list[Chunk]) -> Iterator[tuple[int, Any]]:
        """A sink's records in the order of the input, each with its subtask."""
        first = sum(vertex.parallelism for vertex in self.job.vertices[: sink.vertex])
        mine = [chunk for chunk in chunks if chunk.target == -1 - sink.number]
        with pyflink_stand_in(), modules_found(self.program.file.rpartition("/")[0] or "."):
            for chunk in sorted(mine, key=lambda one: (one.base, one.producer, one.seq)):
                for value in unpacked(chunk.blob, None).values:
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
