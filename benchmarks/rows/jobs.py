"""Word counts on Spark: the same pipelines as a plan and hand-written in PySpark, in turns in one session."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.by_hand import words
from benchmarks.figure import Figure, compare
from benchmarks.measure import in_turns, timed
from benchmarks.spark_session import drain, planned, session
from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink
from planner.job import JobDefinition

SQL_TARGET = 1.05
PYTHON_TARGET = 0.95  # next to a loop that was fused by hand
_WARM_UP = 3  # rounds, until the JVM has compiled what both sides share
_COUNTED = Types.TUPLE([Types.STRING(), Types.LONG()])


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """SQL next to DataFrames; Python functions next to mapInArrow, fused by hand and not."""
    rounds = 3 if quick else 9
    with session() as spark, tempfile.TemporaryDirectory(prefix="plan-bench-") as made:
        folder = Path(made)
        yield _sums(spark, folder / "numbers", 1_000_000 if quick else 30_000_000, rounds)
        lines = folder / "lines"
        count = 20_000 if quick else 400_000
        text = "concat('Flink,Spark,xero,W', id % 5000, ',Hadoop') as value"
        spark.range(0, count, 1, 2).selectExpr(text).write.parquet(str(lines))
        yield _word_count(spark, lines, count, rounds)
        yield from _chain(spark, lines, count, rounds)


def _sums(spark: Any, path: Path, rows: int, rounds: int) -> Figure:
    from pyspark.sql import functions as F

    columns = ("id", "id % 1000 as k", "cast(id % 97 as double) as v")
    spark.range(0, rows, 1, 2).selectExpr(*columns).write.parquet(str(path))
    env = _environment()
    kept = _read(env, path).filter("v > 10").map({"k": "k", "v": "v * 2"})
    kept.key_by("k").sum("v").sink_to(WriterSink("noop"))

    def by_hand() -> None:
        frame = spark.read.parquet(str(path)).where("v > 10").select("k", (F.col("v") * 2).alias("v"))
        drain(frame.groupBy("k").agg(F.sum("v").alias("v")))

    runs = {"plan": timed(planned(spark, env.build("sums"))), "DataFrame by hand": timed(by_hand)}
    costs = in_turns(runs, rounds=rounds, warm_up=_WARM_UP, most=40)
    return compare(
        f"SQL: filter, map, keyed sum of {rows:,} rows", costs, "plan", "DataFrame by hand", target=SQL_TARGET
    )


def _word_count(spark: Any, path: Path, lines: int, rounds: int) -> Figure:
    from pyspark.sql import functions as F

    def by_hand() -> None:
        found = spark.read.parquet(str(path)).select(F.explode(F.split("value", ",")).alias("word"))
        drain(found.groupBy("word").agg(F.count("word").alias("n")))

    runs = {"plan": timed(planned(spark, _sql_words(path))), "DataFrame by hand": timed(by_hand)}
    costs = in_turns(runs, rounds=rounds, warm_up=_WARM_UP, most=40)
    return compare(f"SQL: word count of {lines * 5:,} words", costs, "plan", "DataFrame by hand", target=SQL_TARGET)


def _sql_words(path: Path) -> JobDefinition:
    from planner import load_job_data

    return load_job_data(
        {
            "name": "word count",
            "parallelism": 2,
            "operators": [
                {"id": "lines", "type": "source", "format": "parquet", "path": str(path), "schema": "value string"},
                {"id": "words", "type": "flat_map", "input": "lines", "explode": "split(value, ',')", "as": "word"},
                {"id": "ones", "type": "map", "input": "words", "select": {"word": "word", "n": "1L"}},
                {"id": "counts", "type": "sum", "input": "ones", "key_by": "word", "field": "n"},
                {"id": "out", "type": "sink", "input": "counts", "format": "noop"},
            ],
        }
    )


def _chain(spark: Any, path: Path, lines: int, rounds: int) -> Iterator[Figure]:
    env = _environment()
    found = _read(env, path, Types.STRING()).flat_map(words.split, Types.STRING()).map(words.lower, Types.STRING())
    weighed = found.filter(words.keep).map(words.pair, _COUNTED).map(words.weigh, _COUNTED)
    weighed.sink_to(WriterSink("noop"))
    job = env.build("chain")
    runs = {
        "plan": timed(planned(spark, job)),
        "one mapInArrow by hand": timed(lambda: drain(words.fused(spark.read.parquet(str(path))))),
        "one mapInArrow per operator": timed(lambda: drain(words.separate(spark.read.parquet(str(path))))),
    }
    costs = in_turns(runs, rounds=rounds, warm_up=_WARM_UP, most=60)
    what = f"Python: five operators over {lines * 5:,} words"
    yield compare(what, costs, "plan", "one mapInArrow by hand", target=PYTHON_TARGET)
    yield compare(what, costs, "plan", "one mapInArrow per operator")


def _environment() -> Any:
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    return env


def _read(env: Any, path: Path, type_info: Any = None) -> Any:
    source = ReaderSource("parquet", str(path))
    return env.from_source(source, WatermarkStrategy.no_watermarks(), path.name, type_info)
