"""Running on Spark: the same pipelines as a plan and hand-written in PySpark, in turns in one session."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, Unavailable

TITLE = "Spark: a plan against the same pipeline written by hand"

_WARM_UP = 3  # rounds
_SETTINGS = {  # what `plan run` sets too, for both sides
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}


def split(line: str) -> list[str]:
    """The words of a line."""
    return line.split(",")


def lower(word: str) -> str:
    """A word in small letters."""
    return word.lower()


def keep(word: str) -> bool:
    """Whether a word counts."""
    return not word.startswith("x")


def pair(word: str) -> tuple[str, int]:
    """A word and one."""
    return word, 1


def weigh(counted: tuple[str, int]) -> tuple[str, int]:
    """A word and how long it is."""
    return counted[0], len(counted[0])


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """The three promises: SQL, the fused chain, and what fusing saves."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise Unavailable("pyspark is not installed") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    rounds = 2 if quick else 9
    try:
        with tempfile.TemporaryDirectory(prefix="plan-bench-") as folder:
            yield from _sql(spark, Path(folder), 1_000_000 if quick else 60_000_000, rounds)
            yield from _chain(spark, Path(folder), 40_000 if quick else 400_000, rounds)
    finally:
        spark.stop()


def _in_turns(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The fewest seconds of each run, which other work on the machine disturbed least.

    They take turns, in changing order, and are timed once the JVM has compiled what they share.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(-_WARM_UP, rounds):
        for name in list(runs)[:: 1 if number % 2 else -1]:
            start = time.perf_counter()
            runs[name]()
            if number >= 0:
                times[name].append(time.perf_counter() - start)
    return {name: min(values) for name, values in times.items()}


def _planned(spark: Any, build: Callable[[Any], None]) -> Callable[[], Any]:
    from planner import StreamExecutionEnvironment
    from planner.pipeline import plan
    from spark_runner.batch.execute import execute
    from spark_runner.lowering.lower import lower as lowered

    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    build(env)
    program = lowered(plan(env.build("benchmark")))
    return lambda: execute(program, spark, events=lambda event: None)


def _sql(spark: Any, folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    from pyspark.sql import functions as F

    from planner import ReaderSource, WatermarkStrategy, WriterSink

    path = str(folder / "numbers")
    spark.range(0, rows, 1, 2).selectExpr("id", "id % 1000 as k", "cast(id % 97 as double) as v").write.parquet(path)

    def build(env: Any) -> None:
        source = env.from_source(ReaderSource("parquet", path), WatermarkStrategy.no_watermarks(), "numbers")
        doubled = source.filter("v > 10").map({"k": "k", "v": "v * 2"})
        doubled.key_by("k").sum("v").sink_to(WriterSink("noop"))

    def by_hand() -> None:
        frame = spark.read.parquet(path).where("v > 10").select("k", (F.col("v") * 2).alias("v"))
        frame.groupBy("k").agg(F.sum("v").alias("v")).write.format("noop").mode("overwrite").save()

    spark.conf.set("spark.sql.shuffle.partitions", "2")
    times = _in_turns({"plan": _planned(spark, build), "hand": by_hand}, rounds)
    yield Figure(
        what=f"SQL: filter, map, keyed sum of {rows:,} rows", ours=times["plan"], other="DataFrame by hand",
        theirs=times["hand"], target=1.10,
    )  # fmt: skip


def _chain(spark: Any, folder: Path, lines: int, rounds: int) -> Iterator[Figure]:
    from planner import ReaderSource, Types, WatermarkStrategy, WriterSink

    path = str(folder / "lines")
    spark.range(0, lines, 1, 2).selectExpr("concat('Flink,Spark,xero,W', id % 5000, ',Hadoop') as value").write.parquet(
        path
    )
    counted = Types.TUPLE([Types.STRING(), Types.LONG()])

    def build(env: Any) -> None:
        source = env.from_source(
            ReaderSource("parquet", path), WatermarkStrategy.no_watermarks(), "lines", Types.STRING()
        )
        words = source.flat_map(split, Types.STRING()).map(lower, Types.STRING()).filter(keep)
        words.map(pair, counted).map(weigh, counted).sink_to(WriterSink("noop"))

    def drain(frame: Any) -> None:
        frame.write.format("noop").mode("overwrite").save()

    separate = _separate()
    runs = {
        "plan": _planned(spark, build),
        "hand": lambda: drain(spark.read.parquet(path).mapInArrow(_fused(), "f0 string, f1 bigint")),
        "separate": lambda: drain(separate(spark.read.parquet(path))),
    }
    times = _in_turns(runs, rounds)
    what = f"Python: five operators over {lines * 5:,} words"
    yield Figure(what=what, ours=times["plan"], other="one mapInArrow by hand", theirs=times["hand"], target=1.15)
    yield Figure(
        what=what, ours=times["plan"], other="a mapInArrow an operator", theirs=times["separate"], target=1 / 3
    )


def _fused() -> Callable[[Any], Any]:
    import pyarrow as pa

    # local names: nothing of this module has to be imported by the worker
    one, two, three, four, five = split, lower, keep, pair, weigh

    def run(batches: Any) -> Any:
        for batch in batches:
            words, sizes = [], []
            for line in batch.column(0).to_pylist():
                for word in one(line):
                    small = two(word)
                    if three(small):
                        made = five(four(small))
                        words.append(made[0])
                        sizes.append(made[1])
            arrays = [pa.array(words, pa.string()), pa.array(sizes, pa.int64())]
            yield pa.RecordBatch.from_arrays(arrays, names=["f0", "f1"])

    return run


def _separate() -> Callable[[Any], Any]:
    import pyarrow as pa

    one, two, three, four, five = split, lower, keep, pair, weigh

    def values(function: Callable[[list[str]], list[str]]) -> Callable[[Any], Any]:
        def run(batches: Any) -> Any:
            for batch in batches:
                made = function(batch.column(0).to_pylist())
                yield pa.RecordBatch.from_arrays([pa.array(made, pa.string())], names=["value"])

        return run

    def pairs(read: Callable[[Any], Any], function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(batches: Any) -> Any:
            for batch in batches:
                made = [function(record) for record in read(batch)]
                arrays = [pa.array([m[0] for m in made], pa.string()), pa.array([m[1] for m in made], pa.int64())]
                yield pa.RecordBatch.from_arrays(arrays, names=["f0", "f1"])

        return run

    def read_values(batch: Any) -> Any:
        return batch.column(0).to_pylist()

    def read_pairs(batch: Any) -> Any:
        return zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)

    def apply(frame: Any) -> Any:
        words = frame.mapInArrow(values(lambda lines: [w for line in lines for w in one(line)]), "value string")
        small = words.mapInArrow(values(lambda found: [two(w) for w in found]), "value string")
        kept = small.mapInArrow(values(lambda found: [w for w in found if three(w)]), "value string")
        paired = kept.mapInArrow(pairs(read_values, four), "f0 string, f1 bigint")
        return paired.mapInArrow(pairs(read_pairs, five), "f0 string, f1 bigint")

    return apply
