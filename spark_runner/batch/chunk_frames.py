"""Vertices whose input ends as Spark frames: sources, then one pass of subtasks for every layer, as rows of chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from spark_runner.executor.layout import Layout
from spark_runner.frames.blame import blamed
from spark_runner.frames.collections import fed_records
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.frames.native_pass import applied, source_frame
from spark_runner.frames.parquet_footers import ParquetFooters
from spark_runner.frames.shipping import pickled_function
from spark_runner.program.chunks import ChunkPlan, ChunkSink, ChunkSource, Flow
from spark_runner.program.job_paths import resolved_path
from spark_runner.program.program import Operation

__all__ = ["ChunkFrames", "avro_frame", "chunk_frames"]

_MANY_FILES = 1_000  # a hash of their names spreads more of them well enough


@dataclass(frozen=True, kw_only=True)
class ChunkFrames:
    """The chunks that reach the sinks, and the figures of every subtask; what the chunks hold, the layout says."""

    rows: DataFrame
    layout: Layout
    schemas: dict[int, StructType]  # of sources that Spark reads for jobs of our own API, by their number

    def columns(self, sink: ChunkSink, flow: Flow) -> DataFrame:
        """The records of a sink as columns, downstream of the SQL operators before it."""
        assert flow.columns is not None
        mine = self.rows.where(F.col("target") == -1 - sink.number).coalesce(sink.parallelism)
        ordered = mine.sortWithinPartitions("base", "producer", "seq")
        schema = self.schemas[flow.columns] if isinstance(flow.columns, int) else _schema(flow.columns)
        held = {flow.number: self.layout.edges[flow.number].schema}
        return _after_sql(flow.sql, ordered.mapInArrow(_columns(held, list(schema.names)), schema))


def chunk_frames(job: ChunkPlan, spark: SparkSession, file: str) -> ChunkFrames:
    """All frames of a job whose input ends."""
    read = (
        {}
        if job.script
        else {source.number: _own_frame(source, spark, file) for source in job.sources if _is_read(source)}
    )
    schemas = {number: frame.schema for number, frame in read.items()}
    arrow = {number: to_arrow_schema(schema, timezone="UTC") for number, schema in schemas.items()}
    layout = LayoutMaker(job, _arrow, arrow).layout()
    payload = pickled_function(layout, file)
    parts, first = [], 0
    for source in job.sources:  # all sources are one frame, their partitions in turn
        frame = read.get(source.number)
        if frame is None and _is_read(source):
            frame = _script_frame(source, spark, file)
        if frame is None:
            records = pickled_function(fed_records(source, _arrow), file)
            subtasks = spark.range(0, source.parallelism, 1, source.parallelism)
            parts.append(subtasks.mapInArrow(_worker("run_feed", job, payload, source.vertex, records), ROW_DDL))
        else:
            parts.append(frame.mapInArrow(_worker("run_rows", job, payload, source.vertex, first), ROW_DDL))
        first += source.parallelism
    rows = reduce(DataFrame.unionAll, parts)
    for number, vertices in enumerate(job.layers, start=1):
        width = max(vertex.parallelism for vertex in vertices)
        moved = rows.repartitionById(width, F.pmod(F.col("subtask"), F.lit(width)).cast("int"))
        rows = moved.mapInArrow(_worker("run_ending_layer", job, payload, number), ROW_DDL)
    return ChunkFrames(rows=rows, layout=layout, schemas=schemas)


def _is_read(source: ChunkSource) -> bool:
    return isinstance(source.operator.behaviour, Reader)


def _own_frame(source: ChunkSource, spark: SparkSession, file: str) -> DataFrame:
    """A reader of our own API with the SQL operators next to it, a partition for each subtask, also an empty one."""
    count = source.parallelism
    with blamed(source.operator, source.operation.name, "cannot be read"):
        frame = source_frame(
            spark, source.operation, count, lambda path: resolved_path(path, file), ParquetFooters(spark)
        )
    made = _after_sql(source.sql, frame)
    return made.coalesce(1) if count == 1 else made.repartitionById(count, F.pmod(F.spark_partition_id(), F.lit(count)))


def _after_sql(sql: tuple[Operation, ...], frame: DataFrame) -> DataFrame:
    for operation in sql:
        with blamed(operation.operator, operation.name):
            frame = applied(operation, frame)
    return frame


def _schema(columns: str) -> StructType:
    declared = StructType.fromDDL(columns)
    assert isinstance(declared, StructType)
    return declared


def _arrow(columns: str) -> Any:
    return to_arrow_schema(_schema(columns), timezone="UTC")


def _script_frame(source: ChunkSource, spark: SparkSession, file: str) -> DataFrame:
    """A reader of a script, a partition for each subtask."""
    count, reader = source.parallelism, source.operator.behaviour
    assert isinstance(reader, Reader)
    with blamed(source.operator, source.operation.name, "cannot be read"):
        frame, part = _read(source, reader, spark, file)
        columns = [
            F.col(field.name).cast(field.dataType).alias(field.name) for field in _schema(str(source.operator.output))
        ]
        placed = frame.coalesce(1) if count == 1 else _spread(frame, count, part)
        return placed.select(*columns)


def _read(source: ChunkSource, given: Reader, spark: SparkSession, file: str) -> tuple[DataFrame, Any]:
    """What a reader gives, and what its records are spread by."""
    options = dict(given.options)
    reader = spark.read.format(given.format).options(**options)
    if not source.paths:
        return reader.load(), F.col("partition")
    paths = [resolved_path(path, file) for path in source.paths]
    if given.format not in ("text", "binaryFile"):  # lines of text are bytes in any charset
        reader = reader.schema(str(source.operator.output))
    return reader.load(paths), F.input_file_name()


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


def avro_frame(records: DataFrame, schema: str) -> DataFrame:
    """Records of Avro as what Spark writes as text: one row for each file. A text may be any bytes."""
    return records.mapInArrow(_containers(schema), "value BINARY").select(F.col("value").cast("string"))


# What Spark takes is nothing but bytes and names: workers load everything from what was shipped.


def _worker(step: str, job: ChunkPlan, *arguments: Any) -> Callable[[Any], Any]:
    script = job.script

    def run(batches: Any) -> Any:
        from spark_runner.executor import layers

        made = getattr(layers, step)(*arguments, batches)
        if not script:
            yield from made
            return
        from planner.frontends.python.stand_in import pyflink_stand_in

        with pyflink_stand_in():
            yield from made

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
