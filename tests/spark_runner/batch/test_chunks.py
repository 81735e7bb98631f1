"""Batches of our API that columns cannot carry: broadcast state, windows of counts, of triggers, of the clock."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner import (
    BroadcastProcessFunction,
    MapStateDescriptor,
    ReaderSource,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
    WriterSink,
)
from planner.errors import JobDefinitionError
from planner.pipeline import plan
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.request import RunRequest
from spark_runner.lowering.lower import lower
from spark_runner.runs.foresight import check_files
from tests.support.spark_jobs import PAIR, environment

RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class Above(BroadcastProcessFunction):  # type: ignore[misc]
    """Counts rules in the state that every subtask has."""

    def process_element(self, value: Any, ctx: Any) -> Any:
        yield value

    def process_broadcast_element(self, value: Any, ctx: Any) -> Any:
        ctx.get_broadcast_state(RULES).put(value[0], value[1])
        yield "rule", len(list(ctx.get_broadcast_state(RULES).keys()))


def _summed(one: Any, other: Any) -> Any:
    return one[0], one[1] + other[1]


@pytest.mark.parametrize("parallelism", [1, 3])
@pytest.mark.parametrize("chaining", [True, False])
def test_broadcast_state_and_sums_behind_it(run: Any, parallelism: int, chaining: bool) -> None:
    env = environment(parallelism, chaining)
    rules = env.from_collection([("x", 1), ("y", 2)], PAIR)
    numbers = env.from_collection([("a", 1), ("b", 2), ("a", 3), ("c", 4)], PAIR)
    made = numbers.connect(rules.broadcast(RULES)).process(Above(), PAIR)
    made.key_by(lambda pair: pair[0]).sum(1).print()
    printed = run(env.build("rules")).printed["print-1"]
    # each subtask has all rules: one and two of them
    assert printed == Counter(["(a,4)", "(b,2)", "(c,4)", f"(rule,{3 * parallelism})"])


@pytest.mark.parametrize("parallelism", [1, 3])
def test_windows_of_counts_and_sums_before_them(run: Any, parallelism: int) -> None:
    env = environment(parallelism)
    pairs = env.from_collection([(name, 1) for name in "aabababba"], PAIR)
    pairs.key_by(lambda pair: pair[0]).count_window(2).reduce(_summed).key_by(lambda pair: pair[0]).sum(1).print()
    assert run(env.build("counts")).printed["print-1"] == Counter(["(a,4)", "(b,4)"])


def _with_files(folder: Path) -> StreamExecutionEnvironment:
    (folder / "in").mkdir()
    (folder / "in" / "a.csv").write_text("a,1\nb,2\nb,3\na,4\nb,5\n")
    env = environment(2)
    kind = Types.ROW_NAMED(["name", "number"], [Types.STRING(), Types.LONG()])
    rows = env.from_source(
        ReaderSource("csv", str(folder / "in"), bounded=True), WatermarkStrategy.no_watermarks(), "rows", kind
    )
    pairs = rows.filter("number > 1").map(lambda row: (row.name, row["number"]), output_type=PAIR)
    doubled = pairs.key_by(lambda pair: pair[0]).count_window(2).reduce(_summed).map({"name": "upper(f0)", "sum": "f1"})
    doubled.print()
    doubled.sink_to(WriterSink("json", str(folder / "out")))
    return env


def test_sql_runs_behind_a_reader_and_in_front_of_sinks(run: Any, spark: Any, tmp_path: Path) -> None:
    done = run(_with_files(tmp_path).build("sql"))
    assert done.printed["print-1"] == Counter(["+I[B, 5]"])
    assert [tuple(row) for row in spark.read.json(str(tmp_path / "out")).collect()] == [("B", 5)]


def test_files_are_looked_at_before_the_start(tmp_path: Path) -> None:
    program = lower(plan(_with_files(tmp_path).build("files")))
    assert program.chunks is not None
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old.json").write_text("{}")
    with pytest.raises(JobDefinitionError, match="out"):
        check_files(program, RunRequest(job="job.py", folder=str(tmp_path), mode="batch"), parse_master("local[2]"))
