"""A PyFlink job as Spark frames: sources, then one pass of subtasks for every layer, as rows of chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_runner.executor.streaming.chunks import ROW_DDL
from spark_runner.frames.blame import blamed
from spark_runner.frames.job_paths import resolved_path
from spark_runner.frames.shipping import pickled_function
from spark_runner.pyflink.program import BoundedJob, BoundedSink, BoundedSource

__all__ = ["chunk_frame", "text_frame"]


def chunk_frame(job: BoundedJob, spark: SparkSession, file: str) -> DataFrame:
    """The chunks that reach the sinks, and the figures of every subtask."""
    payload = pickled_function(job.layout, file)
    rows = reduce(DataFrame.unionAll, (_source(job, source, spark, payload, file) for source in job.sources))
    for number, vertices in enumerate(job.layout.layers, start=1):
        width = max(vertex.parallelism for vertex in vertices)
        moved = rows.repartitionById(width, F.pmod(F.col("subtask"), F.lit(width)).cast("int"))
        rows = moved.mapInArrow(_layer(payload, number), ROW_DDL)
    return rows


def _source(job: BoundedJob, source: BoundedSource, spark: SparkSession, payload: bytes, file: str) -> DataFrame:
    count = job.layout.vertices[source.vertex].parallelism
    if not source.paths:
        subtasks = spark.range(0, count, 1, count)
        return subtasks.mapInArrow(_feed(payload, source.vertex, pickled_function(source.records, file)), ROW_DDL)
    with blamed(source.operator, source.operator.name or "", "cannot be read"):
        lines = spark.read.text([resolved_path(path, file) for path in source.paths], recursiveFileLookup=True)
        placed = lines.coalesce(1) if count == 1 else lines.repartition(count, F.input_file_name())
        return placed.mapInArrow(_rows(payload, source.vertex), ROW_DDL)


def text_frame(rows: DataFrame, sink: BoundedSink) -> DataFrame:
    """The lines of a sink of text."""
    mine = rows.where(F.col("target") == -1 - sink.number)
    return mine.coalesce(sink.parallelism).mapInArrow(_texts(), "value string")


# What Spark takes is nothing but bytes and names: workers load everything from what was shipped.


def _feed(payload: bytes, vertex: int, records: bytes) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from planner.frontends.pyflink.stand_in import pyflink_stand_in
        from spark_runner.executor.pyflink.bounded import run_feed

        with pyflink_stand_in():
            yield from run_feed(payload, vertex, records, batches)

    return run


def _rows(payload: bytes, vertex: int) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from planner.frontends.pyflink.stand_in import pyflink_stand_in
        from spark_runner.executor.pyflink.bounded import run_rows

        with pyflink_stand_in():
            yield from run_rows(payload, vertex, batches)

    return run


def _layer(payload: bytes, number: int) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from planner.frontends.pyflink.stand_in import pyflink_stand_in
        from spark_runner.executor.pyflink.bounded import run_layer

        with pyflink_stand_in():
            yield from run_layer(payload, number, batches)

    return run


def _texts() -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from spark_runner.executor.pyflink.bounded import run_texts

        return run_texts(batches)

    return run
