"""The eight ship strategies as Spark exchanges, each with exactly the consumer's number of partitions.

A record's partition never depends on the order in which a shuffle happened to deliver it: where a position is needed
after one, the partition is sorted first, so that a task that runs again sends every record where it sent it before.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import MapType, VariantType

from spark_runner.executor.hidden_columns import HIDDEN, KEY, ROW, SIDE, STAMP, TARGET
from spark_runner.program.program import Exchange, Inlet
from spark_runner.program.sql_text import quoted

_SEED = 20_261_116
_POSITION_BITS = 33  # monotonically_increasing_id keeps the row's position in its low bits


def key_columns(inlet: Inlet) -> list[Column]:
    """The columns that carry a stream's key."""
    assert inlet.key is not None
    return [F.col(KEY)] if inlet.key.is_hidden else [F.col(quoted(name)) for name in inlet.key.columns]


def moved(frame: DataFrame, inlet: Inlet, *, settled: bool) -> DataFrame:
    """One stream after its exchange. `settled`: no shuffle came before, so that row order can be relied on."""
    exchange = inlet.exchange
    if exchange is None or exchange.strategy == "FORWARD":
        return frame
    if exchange.strategy == "HASH":
        return frame.repartition(exchange.consumers, *key_columns(inlet))
    if exchange.strategy == "REBALANCE" and not settled:
        return frame.repartition(exchange.consumers)
    targeted = with_target(frame, inlet, settled=settled)
    return targeted.repartitionById(exchange.consumers, F.col(TARGET)).drop(TARGET)


def with_target(frame: DataFrame, inlet: Inlet, *, settled: bool) -> DataFrame:
    """The stream with the partition each record goes to."""
    exchange = inlet.exchange
    if exchange is None or exchange.strategy == "FORWARD":
        return frame.withColumn(TARGET, F.spark_partition_id())
    count = exchange.consumers
    match exchange.strategy:
        case "HASH":
            return frame.withColumn(TARGET, F.expr(f"pmod({_hash(inlet)}, {count})").cast("int"))
        case "GLOBAL":
            return frame.withColumn(TARGET, F.lit(0))
        case "BROADCAST":
            return frame.withColumn(TARGET, F.explode(F.sequence(F.lit(0), F.lit(count - 1))))
        case "CUSTOM":
            return frame
        case "RESCALE":
            return _rescaled(frame, exchange, settled)
    rows = frame if settled else _sorted(frame)
    row = F.monotonically_increasing_id()
    if exchange.strategy == "SHUFFLE":
        return rows.withColumn(TARGET, F.pmod(F.xxhash64(F.lit(_SEED), row), F.lit(count)).cast("int"))
    return rows.withColumn(TARGET, F.pmod(_position(row) + F.spark_partition_id(), F.lit(count)).cast("int"))


def _hash(inlet: Inlet) -> str:
    assert inlet.key is not None
    names = [KEY] if inlet.key.is_hidden else list(inlet.key.columns)
    return f"hash({', '.join(map(quoted, names))})"


def _position(row: Column) -> Column:
    return row.bitwiseAND(F.lit((1 << _POSITION_BITS) - 1))


def _rescaled(frame: DataFrame, exchange: Exchange, settled: bool) -> DataFrame:
    readers: list[list[int]] = [[] for _ in range(exchange.producers)]
    for consumer, first, last in exchange.ranges:
        for partition in range(first, last + 1):
            readers[partition].append(consumer)
    lowest = F.element_at(_literals([one[0] for one in readers]), F.spark_partition_id() + 1)
    if all(len(one) == 1 for one in readers):
        return frame.withColumn(TARGET, lowest)
    rows = frame if settled else _sorted(frame)
    width = F.element_at(_literals([len(one) for one in readers]), F.spark_partition_id() + 1)
    return rows.withColumn(TARGET, (lowest + F.pmod(_position(F.monotonically_increasing_id()), width)).cast("int"))


def _literals(numbers: Sequence[int]) -> Column:
    return F.array(*(F.lit(number) for number in numbers))


def _sorted(frame: DataFrame) -> DataFrame:
    # equal rows are interchangeable, so any order by content makes positions stable; maps cannot be compared
    names = [f.name for f in frame.schema.fields if not isinstance(f.dataType, MapType | VariantType)]
    return frame.sortWithinPartitions(*(F.col(quoted(name)) for name in names)) if names else frame


def joined_inlets(
    frames: Sequence[DataFrame], inlets: Sequence[Inlet], *, parallelism: int, settled: bool
) -> DataFrame:
    """Several streams as one input: each record still goes to the very subtask its own edge chooses."""
    stamped = any(STAMP in frame.columns for frame in frames)
    keyed = all(i.exchange is not None and i.exchange.strategy == "HASH" for i in inlets) and all(
        i.key is not None and i.key == inlets[0].key for i in inlets
    )
    prepared = [
        frame if keyed else with_target(frame, i, settled=settled) for frame, i in zip(frames, inlets, strict=True)
    ]
    if stamped:
        prepared = [f if STAMP in f.columns else f.withColumn(STAMP, F.lit(None).cast("bigint")) for f in prepared]
    union = prepared[0]
    for other in prepared[1:]:
        union = union.unionByName(other)
    if keyed:
        return union.repartition(parallelism, *key_columns(inlets[0]))
    return union.repartitionById(parallelism, F.col(TARGET)).drop(TARGET)


def sided(frame: DataFrame, inlet: Inlet, other: DataFrame, other_inlet: Inlet) -> DataFrame:
    """One input of two, shaped so that both fit into one frame: its records in `in0` or `in1`, its key in a column."""
    side = inlet.position
    mine = [F.col(quoted(name)) for name in _own_columns(frame, inlet)]
    missing = F.lit(None).cast(
        other.select(F.struct(*(F.col(quoted(n)) for n in _own_columns(other, other_inlet))).alias("s"))
        .schema[0]
        .dataType
    )
    columns = [F.lit(side).alias(SIDE)]
    columns += (
        [F.struct(*mine).alias("in0"), missing.alias("in1")]
        if side == 0
        else [missing.alias("in0"), F.struct(*mine).alias("in1")]
    )
    if inlet.key is not None:
        keys = key_columns(inlet)
        columns.append(
            (keys[0] if len(keys) == 1 else F.struct(*(k.alias(f"k{n}") for n, k in enumerate(keys)))).alias(KEY)
        )
    columns.append((F.col(STAMP) if STAMP in frame.columns else F.lit(None).cast("bigint")).alias(STAMP))
    columns += [F.col(name) for name in (TARGET, ROW) if name in frame.columns]
    return frame.select(*columns)


def _own_columns(frame: DataFrame, inlet: Inlet) -> list[str]:
    """The columns of the records, without those that came along as keys alone."""
    return [name for name in data_columns(frame) if ROW not in frame.columns or name in (inlet.read or ())]


def without(frame: DataFrame, column: str) -> DataFrame:
    """Drop `column` if present. Frames without it are returned as they are: drop() would start an analysis."""
    return frame.drop(column) if column in frame.columns else frame


def data_columns(frame: DataFrame) -> list[str]:
    """The columns that are the records' own."""
    return [name for name in frame.columns if name not in HIDDEN]
