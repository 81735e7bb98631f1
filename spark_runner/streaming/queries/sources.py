"""Sources of a streaming query: Spark's streaming readers, with columns that give every record its position."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from planner.errors import ExecutionError
from planner.job import Explode, Reader, Select, Where
from spark_runner.executor.positions import PARTITIONS
from spark_runner.frames.blame import blamed
from spark_runner.frames.kafka_offsets import at_committed_offsets
from spark_runner.frames.read_failures import reader_defaults
from spark_runner.program.chunks import ChunkSource
from spark_runner.program.program import Operation

__all__ = ["EVERY_AGE", "FILE_FORMATS", "HIDDEN", "applied", "now", "reader_frame"]

HIDDEN = ("__b0", "__b1", "__b2", "__split", "__at", "__now")
FILE_FORMATS = frozenset({"text", "csv", "json", "parquet", "orc", "avro", "xml", "binaryfile"})
_LIMITS = {"kafka": {"maxOffsetsPerTrigger": "200000"}}
# Spark passes over files that changed a week before the newest one; Flink takes every file once, however old it is.
EVERY_AGE = {"maxFileAge": "36500d"}
_FILE_LIMIT = {"maxFilesPerTrigger": "100", **EVERY_AGE}
_OWN_COLUMNS = frozenset({"kafka", "rate", "rate-micro-batch"})  # readers that take no schema


def now() -> Column:
    """The batch's time, which is the same when the batch runs again."""
    return F.unix_millis(F.current_timestamp()).alias("__now")


def reader_frame(spark: SparkSession, source: ChunkSource, path_of: Callable[[str], str]) -> DataFrame:
    """The frame of a streaming reader after its SQL operators, with the hidden columns."""
    with blamed(source.operator, source.operation.name, "cannot be read as a stream"):
        frame = _positioned(_loaded(spark, source, path_of), source)
    for operation in source.sql:
        with blamed(operation.operator, operation.name):
            frame = applied(operation, frame)
    return frame


def _loaded(spark: SparkSession, source: ChunkSource, path_of: Callable[[str], str]) -> DataFrame:
    reader = source.operator.behaviour
    assert isinstance(reader, Reader)
    kind = reader.format.lower()
    limits = _FILE_LIMIT if kind in FILE_FORMATS else _LIMITS.get(kind, {})
    declared = source.operator.output is not None
    defaults = reader_defaults(kind, source.operator.output)
    options = at_committed_offsets(spark, source.operator, {**limits, **defaults, **dict(reader.options)})
    path = None if reader.path is None else path_of(reader.path)
    if path is not None and kind in FILE_FORMATS:
        path = _as_pattern(path)
    stream = spark.readStream.format(reader.format).options(**_streamed(kind, options))
    if kind in FILE_FORMATS:
        stream = stream.schema(source.operator.output or _found_schema(spark, source, reader, path))
    elif declared and kind not in _OWN_COLUMNS:
        stream = stream.schema(str(source.operator.output))
    frame = stream.load() if path is None else stream.load(path)
    if not declared or kind not in _OWN_COLUMNS:
        return frame
    return _declared_columns(frame, source, _kafka_position() if kind == "kafka" else [])


def _as_pattern(path: str) -> str:
    """One file of this machine as a pattern that only it fits: Spark's streams read folders and patterns, not files."""
    place = Path(path.removeprefix("file://"))
    return f"{path[:-1]}[{path[-1]}]" if place.is_file() and not set(path) & set("*?[]{}\\^") else path


def _streamed(kind: str, options: dict[str, str]) -> dict[str, str]:
    """Without what only a batch may say."""
    return {k: v for k, v in options.items() if not (kind == "kafka" and k.lower() == "endingoffsets")}


def _found_schema(spark: SparkSession, source: ChunkSource, reader: Reader, path: str | None) -> StructType:
    """The columns of the files that are there already."""
    plain = {k: v for k, v in dict(reader.options).items() if k.lower() != "maxfilespertrigger"}
    batch = spark.read.format(reader.format).options(**plain)
    try:
        return (batch.load() if path is None else batch.load(path)).schema
    except Exception as error:
        raise ExecutionError(
            f"operator {source.operator.key!r} ({source.operation.name}): its columns are not declared, "
            f"and there is no file in {path} to take them from",
            operator=source.operator.key,
            location=source.operator.location,
            hint="declare them: a type for the source (Python), `schema:` (YAML)",
        ) from error


def _declared_columns(frame: DataFrame, source: ChunkSource, position: list[Column]) -> DataFrame:
    """A reader's own columns with the declared names and types, and where each record lies."""
    declared = StructType.fromDDL(str(source.operator.output))
    assert isinstance(declared, StructType)
    unknown = [field.name for field in declared.fields if field.name not in frame.columns]
    if unknown:
        raise ExecutionError(
            f"operator {source.operator.key!r} declares {', '.join(unknown)}, which its records do not have",
            operator=source.operator.key,
            location=source.operator.location,
            hint=f"declare `value` and take it apart in an operator; there are {', '.join(frame.columns)}",
        )
    columns = [F.col(field.name).cast(field.dataType).alias(field.name) for field in declared.fields]
    return frame.select(*columns, *position)


def _kafka_position() -> list[Column]:
    at = F.unix_millis(F.col("timestamp")).alias("__at")
    split = F.crc32(F.col("topic")) * F.lit(PARTITIONS) + F.col("partition")  # as split_of computes it
    return [split.cast("bigint").alias("__split"), at]


def _positioned(frame: DataFrame, source: ChunkSource) -> DataFrame:
    reader = source.operator.behaviour
    assert isinstance(reader, Reader)
    kind = reader.format.lower()
    zero = F.lit(0).cast("bigint")
    if kind in FILE_FORMATS:
        path = F.xxhash64(F.col("_metadata.file_path"))
        base = (F.unix_micros(F.col("_metadata.file_modification_time")), path)
        block = F.col("_metadata.file_block_start") if kind != "binaryfile" else zero
        added = [base[0].alias("__b0"), base[1].alias("__b1"), block.alias("__b2"), path.alias("__split")]
    elif kind == "kafka":
        added = [zero.alias("__b0"), zero.alias("__b1"), zero.alias("__b2")]
        if "__split" not in frame.columns:
            added += _kafka_position()
    else:
        task = F.spark_partition_id().cast("bigint")
        added = [zero.alias("__b0"), task.alias("__b1"), zero.alias("__b2"), task.alias("__split")]
    return frame.select("*", *added, now())


def applied(operation: Operation, frame: DataFrame, hidden: tuple[str, ...] = HIDDEN) -> DataFrame:
    """A SQL operator on a frame whose hidden columns come along."""
    behaviour: Any = operation.operator.behaviour
    kept = [F.col(name) for name in hidden if name in frame.columns]
    if isinstance(behaviour, Where):
        return frame.where(behaviour.condition)
    if isinstance(behaviour, Select):
        return frame.select(*(F.expr(sql).alias(name) for name, sql in behaviour.columns), *kept)
    assert isinstance(behaviour, Explode)
    return frame.select(F.explode(F.expr(behaviour.expression)).alias(behaviour.column), *kept)
