"""Vertices whose input ends as Spark frames: sources, then one pass of subtasks for every layer, as rows of chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from planner.job import Reader
from spark_runner.executor.chunks import ROW_DDL
from spark_runner.frames.blame import blamed
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.frames.shipping import pickled_function
from spark_runner.program.chunks import ChunkPlan, ChunkSink, ChunkSource, Flow
from spark_runner.program.job_paths import resolved_path

__all__ = ["avro_frame", "chunk_frame", "columns_frame"]

_MANY_FILES = 1_000  # a hash of their names spreads more of them well enough


def chunk_frame(job: ChunkPlan, spark: SparkSession, file: str) -> DataFrame:
    """The chunks that reach the sinks, and the figures of every subtask."""
    payload = pickled_function(LayoutMaker(job, _arrow, {}).layout(), file)
    counts = [source.parallelism for source in job.sources]
    firsts = [sum(counts[:at]) for at in range(len(counts))]  # all sources are one frame, their partitions in turn
    sources = zip(job.sources, firsts, strict=True)
    rows = reduce(DataFrame.unionAll, (_source(source, first, spark, payload, file) for source, first in sources))
    for number, vertices in enumerate(job.layers, start=1):
        width = max(vertex.parallelism for vertex in vertices)
        moved = rows.repartitionById(width, F.pmod(F.col("subtask"), F.lit(width)).cast("int"))
        rows = moved.mapInArrow(_layer(payload, number), ROW_DDL)
    return rows


def _schema(columns: str) -> StructType:
    declared = StructType.fromDDL(columns)
    assert isinstance(declared, StructType)
    return declared


def _arrow(columns: str) -> Any:
    return to_arrow_schema(_schema(columns), timezone="UTC")


def _source(source: ChunkSource, first: int, spark: SparkSession, payload: bytes, file: str) -> DataFrame:
    count, reader = source.parallelism, source.operator.behaviour
    if not isinstance(reader, Reader):
        subtasks = spark.range(0, count, 1, count)
        return subtasks.mapInArrow(_feed(payload, source.vertex, pickled_function(source.records, file)), ROW_DDL)
    with blamed(source.operator, source.operation.name, "cannot be read"):
        frame, part = _read(source, reader, spark, file)
        columns = [
            F.col(field.name).cast(field.dataType).alias(field.name) for field in _schema(str(source.operator.output))
        ]
        placed = frame.coalesce(1) if count == 1 else _spread(frame, count, part)
        return placed.select(*columns).mapInArrow(_rows(payload, source.vertex, first), ROW_DDL)


def _read(source: ChunkSource, given: Reader, spark: SparkSession, file: str) -> tuple[DataFrame, Any]:
    """What a reader gives, and what its records are spread by."""
    options = dict(given.options)
    reader = spark.read.format(given.format).options(**options)
    if not source.paths:
        return reader.load(), F.col("partition")
    paths = [resolved_path(path, file) for path in source.paths]
    if given.format not in ("text", "binaryFile"):  # lines of text are bytes in any charset
        reader = reader.schema(str(source.operator.output))
    nested = options.get("recursiveFileLookup", "true")  # a FileSource looks into folders, read_text_file does not
    return reader.load(paths, recursiveFileLookup=nested), F.input_file_name()


def _spread(frame: DataFrame, count: int, part: Any) -> DataFrame:
    """The records of a frame on so many subtasks. Each file is on one, and none has much more to read than others."""
    files = frame.inputFiles()
    if not 1 < len(files) <= _MANY_FILES:
        return frame.repartition(count, part)
    loads = [0] * count
    placed: list[list[str]] = [[] for _ in loads]
    for file in sorted(files, key=lambda one: (-_bytes(one), one)):
        subtask = loads.index(min(loads))
        loads[subtask] += max(1, _bytes(file))
        placed[subtask].append(file)
    chosen = F.lit(0)
    for subtask, mine in enumerate(placed[1:], start=1):
        chosen = F.when(part.isin(mine), subtask).otherwise(chosen)
    return frame.repartitionById(count, chosen.cast("int"))


def _bytes(file: str) -> int:
    """The size of a file of this machine; others count as equal."""
    try:
        return Path(unquote(urlsplit(file).path)).stat().st_size
    except OSError:
        return 0


def columns_frame(rows: DataFrame, sink: ChunkSink, flow: Flow) -> DataFrame:
    """The records of a sink as the columns that its writer takes."""
    assert isinstance(flow.columns, str)
    mine = rows.where(F.col("target") == -1 - sink.number).coalesce(sink.parallelism)
    ordered = mine.sortWithinPartitions("base", "producer", "seq")
    schema = _schema(flow.columns)
    return ordered.mapInArrow(_columns({flow.number: _arrow(flow.columns)}, list(schema.names)), schema)


def avro_frame(records: DataFrame, schema: str) -> DataFrame:
    """Records of Avro as what Spark writes as text: one row for each file. A text may be any bytes."""
    return records.mapInArrow(_containers(schema), "value BINARY").select(F.col("value").cast("string"))


# What Spark takes is nothing but bytes and names: workers load everything from what was shipped.


def _feed(payload: bytes, vertex: int, records: bytes) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from planner.frontends.python.stand_in import pyflink_stand_in
        from spark_runner.executor.layers import run_feed

        with pyflink_stand_in():
            yield from run_feed(payload, vertex, records, batches)

    return run


def _rows(payload: bytes, vertex: int, first: int) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from planner.frontends.python.stand_in import pyflink_stand_in
        from spark_runner.executor.layers import run_rows

        with pyflink_stand_in():
            yield from run_rows(payload, vertex, first, batches)

    return run


def _layer(payload: bytes, number: int) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from planner.frontends.python.stand_in import pyflink_stand_in
        from spark_runner.executor.layers import run_ending_layer

        with pyflink_stand_in():
            yield from run_ending_layer(payload, number, batches)

    return run


def _columns(schemas: dict[int, Any], names: list[str]) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from spark_runner.executor.written import run_columns

        return run_columns(schemas, names, False, batches)

    return run


def _containers(schema: str) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        from spark_runner.executor.formats.avro_files import containers

        return containers(schema, batches)

    return run
