"""SQL operators as DataFrame expressions."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DateType,
    IntegralType,
    NumericType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from planner.errors import ExecutionError
from planner.job import Aggregate, Explode, Join, Operator, Reader, Select, Sequence, Watermarks, Where
from spark_runner.executor.failures import failed_by
from spark_runner.executor.hidden_columns import KEY, STAMP
from spark_runner.frames.exchange import data_columns, key_columns, without
from spark_runner.frames.kafka_offsets import at_committed_offsets
from spark_runner.frames.parquet_footers import ParquetFooters
from spark_runner.frames.read_failures import reader_defaults
from spark_runner.program.program import Inlet, Operation
from spark_runner.program.sql_text import quoted

COUNT = "__n"


def applied(operation: Operation, frame: DataFrame) -> DataFrame:
    """One SQL operator of one input on a frame. The event time, where there is one, comes along."""
    behaviour = operation.operator.behaviour
    kept = [F.col(STAMP)] if STAMP in frame.columns else []
    if isinstance(behaviour, Where):
        return frame.where(behaviour.condition)
    if isinstance(behaviour, Select):
        return frame.select(*(F.expr(sql).alias(name) for name, sql in behaviour.columns), *kept)
    if isinstance(behaviour, Explode):
        return frame.select(F.explode(F.expr(behaviour.expression)).alias(behaviour.column), *kept)
    if isinstance(behaviour, Watermarks):
        return frame if behaviour.time is None else with_time(frame, behaviour.time, operation.operator)
    raise TypeError(f"no SQL for {behaviour!r}")


def with_time(frame: DataFrame, column: str, operator: Operator) -> DataFrame:
    """The frame with a column as its event time, in milliseconds."""
    _require(column, frame, operator, "time")
    kind, value = frame.schema[column].dataType, F.col(quoted(column))
    if isinstance(kind, IntegralType):
        return frame.withColumn(STAMP, value.cast("bigint"))
    if isinstance(kind, TimestampType | TimestampNTZType | DateType | StringType):
        return frame.withColumn(STAMP, F.expr(f"unix_millis({time_sql(column)})"))
    raise ExecutionError(
        f"operator {operator.key!r}: column {column!r} is {kind.simpleString()}, which is no event time",
        operator=operator.key,
        location=operator.location,
        hint="use a timestamp, or a bigint of milliseconds",
    )


def time_sql(column: str) -> str:
    """A column as a point in time, as SQL: what fails in it is known by its text."""
    return f"cast({quoted(column)} as timestamp)"


def _require(column: str, frame: DataFrame, operator: Operator, what: str) -> None:
    if column not in frame.columns:
        raise ExecutionError(
            f"operator {operator.key!r}: its {what} {column!r} is not a column of its input",
            operator=operator.key,
            location=operator.location,
            hint=f"the columns are {', '.join(data_columns(frame))}",
        )


def aggregated(operation: Operation, frame: DataFrame, inlet: Inlet) -> tuple[DataFrame, list[str]]:
    """One row per key, with how many records went in; and how to select the records from these rows.

    A record is the aggregated field, and the others as in the key's first record.
    """
    operator = operation.operator
    assert isinstance(operator.behaviour, Aggregate)
    names = data_columns(frame)
    field = _field(operator.behaviour.field, frame, operator)
    keys = key_columns(inlet)
    key_names = [] if inlet.key is None or inlet.key.is_hidden else list(inlet.key.columns)
    for name in key_names:
        _require(name, frame, operator, "key")
    groups = [key.alias(f"__k{number}") for number, key in enumerate(keys)]
    found: list[Column] = [F.count(F.lit(1)).alias(COUNT)]
    if STAMP in frame.columns:
        found.append(F.max(STAMP).alias(STAMP))
    kind = frame.schema[field].dataType
    combine: Any = {"sum": F.try_sum, "min": F.min, "max": F.max}[operator.kind]
    found.append(combine(F.col(quoted(field))).try_cast(kind).alias("__field"))
    found.append(F.count(F.col(quoted(field))).alias("__values"))
    others = [name for name in names if name != field and name not in key_names]
    found += [F.first(F.col(quoted(name))).alias(f"__o{n}") for n, name in enumerate(others)]
    places = {field: _fitting(operation, kind) if operator.kind == "sum" else "__field"}
    places |= {name: f"__o{n}" for n, name in enumerate(others)}
    places |= {name: f"__k{n}" for n, name in enumerate(key_names) if name != field}
    records = [f"{places[name]} as {quoted(name)}" for name in names]
    return frame.groupBy(*groups).agg(*found), [*records, *([STAMP] if STAMP in frame.columns else [])]


def _fitting(operation: Operation, kind: Any) -> str:
    """A sum as SQL, which fails for its operator where it is too large for its type."""
    operator = operation.operator
    by = (operator.key, operation.name, str(operator.location))
    failure = str(failed_by(by, f"a sum is too large for its declared type {kind.simpleString()}", None))
    escaped = failure.replace("\\", "\\\\").replace("'", "\\'")
    return f"case when __field is null and __values > 0 then raise_error('{escaped}') else __field end"


def _field(field: str | int, frame: DataFrame, operator: Operator) -> str:
    names = data_columns(frame)
    if isinstance(field, int):
        if not 0 <= field < len(names):
            raise ExecutionError(
                f"operator {operator.key!r}: there is no field {field}, its input has {len(names)}",
                operator=operator.key,
                location=operator.location,
            )
        field = names[field]
    _require(field, frame, operator, "field")
    kind = frame.schema[field].dataType
    if operator.kind == "sum" and not isinstance(kind, NumericType):
        raise ExecutionError(
            f"operator {operator.key!r}: field {field!r} is {kind.simpleString()}, which cannot be added up",
            operator=operator.key,
            location=operator.location,
        )
    return field


def joined(operation: Operation, left: DataFrame, right: DataFrame, inlets: tuple[Inlet, Inlet]) -> DataFrame:
    """An equi-join on the keys; `left.` and `right.` tell columns of one name apart."""
    operator = operation.operator
    behaviour = operator.behaviour
    assert isinstance(behaviour, Join)
    sides = [
        frame.repartition(inlet.exchange.consumers, *key_columns(inlet)) if inlet.exchange else frame
        for frame, inlet in zip((left, right), inlets, strict=True)
    ]
    one, other = (without(frame, STAMP).alias(name) for frame, name in zip(sides, ("left", "right"), strict=True))
    how = {"inner": "inner", "left": "left_outer", "right": "right_outer", "full": "full_outer"}[behaviour.how]
    keys = [inlet.key.columns if inlet.key and not inlet.key.is_hidden else (KEY,) for inlet in inlets]
    if keys[0] == keys[1]:
        both = one.join(other, list(keys[0]), how)
    else:
        pairs = zip(*keys, strict=True)
        on = [F.col(f"left.{quoted(a)}") == F.col(f"right.{quoted(b)}") for a, b in pairs]
        both = one.join(other, on, how)
    if behaviour.select is not None:
        return both.select(*(F.expr(sql).alias(name) for name, sql in behaviour.select))
    kept = both.drop(KEY)
    twice = sorted({name for name in kept.columns if kept.columns.count(name) > 1})
    if twice:
        raise ExecutionError(
            f"operator {operator.key!r}: both sides have the columns {', '.join(twice)}",
            operator=operator.key,
            location=operator.location,
            hint="add `select`, with left.NAME and right.NAME",
        )
    return kept


def source_frame(
    spark: SparkSession, operation: Operation, parallelism: int, resolve_path: Any, parquet: ParquetFooters
) -> DataFrame:
    """A native source with exactly `parallelism` partitions."""
    operator = operation.operator
    behaviour = operator.behaviour
    if isinstance(behaviour, Sequence):
        return spark.range(behaviour.start, behaviour.end + 1, 1, parallelism).toDF("value")
    assert isinstance(behaviour, Reader)
    defaults = reader_defaults(behaviour.format, operator.output)
    options = at_committed_offsets(spark, operator, {**defaults, **dict(behaviour.options)})
    reader = spark.read.format(behaviour.format).options(**options)
    path = None if behaviour.path is None else resolve_path(behaviour.path)
    if operator.output is not None:
        reader = reader.schema(operator.output)
    elif (written := parquet.columns(behaviour, path)) is not None:
        reader = reader.schema(StructType.fromJson(json.loads(written)))
    frame = reader.load() if path is None else reader.load(path)
    return with_partitions(spark, frame, parallelism)


def with_partitions(spark: SparkSession, frame: DataFrame, count: int) -> DataFrame:
    """The frame in exactly `count` partitions, without a shuffle wherever Spark says how many it has now."""
    try:
        now = _partitions(frame)
    except Exception:  # Spark Connect does not say
        return frame.repartition(count)
    if now > count:
        return frame.coalesce(count)
    if now < count:
        nulls = (F.lit(None).cast(f.dataType).alias(f.name) for f in frame.schema.fields)
        # an empty range would have no partitions at all, so each has one row that is left out
        padding = spark.range(0, count - now, 1, count - now).where(F.col("id") < 0)
        return frame.union(padding.select(*nulls))
    return frame


def _partitions(frame: DataFrame) -> int:
    planned = frame._jdf.queryExecution()
    try:
        return int(planned.sparkPlan().inputRDD().getNumPartitions())  # a scan of files: nothing has to be compiled
    except Exception:  # another kind of scan
        return int(planned.toRdd().getNumPartitions())
