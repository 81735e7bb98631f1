"""Native functions in whole runs: the same records and counts as in Python, and nothing twice where Spark gives up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink
from planner.errors import ExecutionError
from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.batch.execute import execute
from spark_runner.figures.results import Event, FellBack, PrintedRecord, RunResult
from spark_runner.lowering.lower import lower
from spark_runner.lowering.natives import NativePolicy
from tests.support.spark_jobs import PAIR, environment

Build = Callable[[StreamExecutionEnvironment], None]
BIG = 2**62


def job_of(build: Build, parallelism: int = 2) -> JobDefinition:
    env = environment(parallelism)
    build(env)
    return env.build("native")


def both_ways(spark: Any, job: JobDefinition) -> tuple[list[list[str]], list[dict[str, Any]], list[Event]]:
    """What is printed and counted natively and in Python, and the events of the native run."""
    printed, counts, events = [], [], []
    for native in (True, False):
        seen: list[Event] = []
        result = execute(lower(plan(job), native=NativePolicy(wanted=native)), spark, events=seen.append)
        printed.append([str(event) for event in seen if isinstance(event, PrintedRecord)])
        counts.append(counted(result))
        events.append(seen)
    return printed, counts, events[0]


def counted(result: RunResult) -> dict[str, Any]:
    return {o.key: (o.records_in, o.records_out) for v in result.vertices for o in v.operators}


def natively(job: JobDefinition) -> dict[str, bool]:
    program = lower(plan(job))
    return {o.operator.key: o.native is not None for one in program.passes for o in one.operations}


def words(env: StreamExecutionEnvironment) -> None:
    lines = env.from_collection(["Flink,spark,,x", "", "spark,Ünder"], type_info=Types.STRING())
    found = lines.flat_map(lambda line: [w for w in line.split(",") if w], Types.STRING())
    kept = found.filter(lambda word: not word.startswith("x"))
    kept.map(lambda word: (word, len(word)), PAIR).key_by(lambda pair: pair[0]).sum(1).print()


def test_the_same_records_and_counts(spark: Any) -> None:
    job = job_of(words)
    assert all(native for key, native in natively(job).items() if key.split("-")[0] in ("flat_map", "filter", "map"))
    printed, counts, events = both_ways(spark, job)
    assert sorted(printed[0]) == sorted(printed[1])
    assert counts[0] == counts[1]
    assert not any(isinstance(event, FellBack) for event in events)


def test_a_record_for_python_leaves_the_run_to_python_and_prints_once(spark: Any) -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        numbers = env.from_collection([(1, BIG), (2, 3), (3, BIG)], type_info=Types.TUPLE([Types.LONG(), Types.LONG()]))
        numbers.filter(lambda pair: pair[1] > 0).print()
        # more than 64 bits on the way, and fewer in the end: fine in Python
        numbers.map(lambda pair: pair[1] * pair[1] % 1000, Types.LONG()).print()

    printed, counts, events = both_ways(spark, job_of(build))
    assert printed[0] == printed[1] and len(printed[0]) == 6
    assert counts[0] == counts[1]
    assert [event.operator for event in events if isinstance(event, FellBack)] == ["map-1"]


def test_files_are_there_once(spark: Any, tmp_path: Path) -> None:
    target = tmp_path / "out"

    def build(env: StreamExecutionEnvironment) -> None:
        numbers = env.from_sequence(1, 20)
        strange = numbers.map(lambda n: "é" if n == 13 else str(n), Types.STRING())
        strange.map(lambda text: text.upper(), Types.STRING()).sink_to(WriterSink("json", str(target)))

    events: list[Event] = []
    program = lower(plan(job_of(build)))
    assert program.in_python is not None
    result = execute(program, spark, events=events.append)
    assert result.in_python
    found = sorted(row.value for row in spark.read.json(str(target)).collect())
    assert found == sorted(["É", *(str(n) for n in range(1, 21) if n != 13)])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_is_told_as_python_tells_it(spark: Any) -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        pairs = env.from_collection([("a", 1), ("b", 0)], type_info=PAIR)
        pairs.map(lambda pair: 10 // pair[1], Types.LONG()).map(lambda n: n + 1, Types.LONG()).print()

    job, told = job_of(build, 1), []
    assert natively(job)["map-1"]
    for native in (True, False):
        with pytest.raises(ExecutionError) as failed:
            execute(lower(plan(job), native=NativePolicy(wanted=native)), spark, events=lambda event: None)
        told.append((failed.value.message, failed.value.operator, failed.value.location))
    assert told[0] == told[1]
    assert "ZeroDivisionError" in told[0][0] and "('b', 0)" in told[0][0] and "10 // pair[1]" in told[0][0]


def test_what_nobody_reads_is_computed_all_the_same(spark: Any) -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        pairs = env.from_collection([("a", 1), ("b", 0)], type_info=PAIR)
        pairs.map(lambda pair: (pair[0], 10 // pair[1]), PAIR).map(lambda pair: pair[0], Types.STRING()).print()

    with pytest.raises(ExecutionError, match="ZeroDivisionError"):
        execute(lower(plan(job_of(build))), spark, events=lambda event: None)


def test_text_that_python_could_not_read_is_not_read_by_spark(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_bytes(b"fine\nb\xffd\n")

    def build(env: StreamExecutionEnvironment) -> None:
        source = ReaderSource("text", str(tmp_path / "lines.txt"))
        lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines", Types.STRING())
        lines.filter(lambda line: line != "x").print()

    assert natively(job_of(build, 1))["filter-1"]
    with pytest.raises(ExecutionError, match="utf-8"):
        execute(lower(plan(job_of(build, 1))), spark, events=lambda event: None)


def test_a_sink_that_writes_at_once_allows_no_second_attempt() -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        numbers = env.from_sequence(1, 3)
        numbers.map(lambda n: n + 1, Types.LONG()).map(lambda n: (n, n), Types.TUPLE([Types.LONG()] * 2)).add_sink(
            print
        )

    program = lower(plan(job_of(build, 1)))
    operations = {o.operator.key: o for one in program.passes for o in one.operations}
    assert operations["map-1"].native is None
    assert "writes at once" in str(operations["map-1"].why_python)
    assert program.in_python is None


def test_a_collection_of_other_types_than_declared_stays_in_python() -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        env.from_collection([1, 2.5], type_info=Types.DOUBLE()).map(lambda n: n * 2, Types.DOUBLE()).print()

    assert not natively(job_of(build, 1))["map-1"]
