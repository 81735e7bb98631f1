"""PyFlink makes one operator of several: a change of one of them is told as a change of that part."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.diff.changes import find_changes
from planner.diff.comparison import compare
from planner.frontends.loading import load_jobs
from planner.pipeline import plan
from planner.snapshots.snapshot import Snapshot, take_snapshot
from tests.support.mutations import write

JOB = """
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
stream = env.from_collection([1, 2], type_info=Types.INT())
stream = stream.rebalance(){steps}
stream{more}.print()
env.execute("parts")
"""
DOUBLE = ".map(lambda n: n * 2, output_type=Types.INT())"
ADD = ".map(lambda n: n + 1, output_type=Types.INT())"
LARGE = ".filter(lambda n: n > 2)"
SUM = ".key_by(lambda n: n).reduce(lambda a, b: a + b)"


def snapshot(folder: Path, steps: str, more: str = "") -> Snapshot:
    (job,) = load_jobs(write(folder, JOB.format(steps=steps, more=more)))
    return take_snapshot(plan(job, until="execution"))


# What is there before and after, and the level and message of every change but those of generated ids.
CASES = {
    "one put before the first": (
        DOUBLE, LARGE + DOUBLE, ["result Filter, Map: part 1, Filter, was added: lambda _1: _1 > 2"],
    ),
    "one put after the last": (
        DOUBLE, DOUBLE + LARGE, ["result Map, Filter: part 2, Filter, was added: lambda _1: _1 > 2"],
    ),
    "one put between two of its kind": (
        DOUBLE + LARGE + DOUBLE, DOUBLE + ADD + LARGE + DOUBLE,
        ["result Map, Map, Filter, Map: part 2, Map, was added: lambda _1: _1 + 1"],
    ),
    "one taken out": (
        DOUBLE + LARGE + ADD, DOUBLE + ADD, ["result Map, Map: part 2, Filter, was removed: lambda _1: _1 > 2"],
    ),
    "one that is left alone": (LARGE + ADD, ADD, ["result Map: part 1, Filter, was removed: lambda _1: _1 > 2"]),
    "another function": (
        LARGE + DOUBLE + LARGE, LARGE + ADD + LARGE,
        ["result Filter, Map, Filter: part 2: function lambda _1: _1 * 2 -> lambda _1: _1 + 1"],
    ),
    "another name": (
        LARGE + DOUBLE, LARGE + DOUBLE + '.name("double")', ["safe Filter, double: part 2: name Map -> double"],
    ),
    "another order": (
        LARGE + DOUBLE, DOUBLE + LARGE,
        ["result the edge Filter (part 1) -> Map (part 2) was removed",
         "result the edge Map (part 1) -> Filter (part 2) was added"],
    ),
    "another order of two of a kind": (
        DOUBLE + ADD, ADD + DOUBLE,
        ["result Map, Map: part 1: function lambda _1: _1 * 2 -> lambda _1: _1 + 1",
         "result Map, Map: part 2: function lambda _1: _1 + 1 -> lambda _1: _1 * 2"],
    ),
    "one after what keeps state": (
        SUM, SUM + LARGE, ["result Reduce, Filter: part 2, Filter, was added: lambda _1: _1 > 2"],
    ),
    "no longer merged": (
        DOUBLE + LARGE, DOUBLE + LARGE + ".disable_chaining()",
        ["performance Filter is no longer merged with its neighbours",
         "performance Map -> Sink: Print to Std. Out no longer chains: Filter is between them now",
         "performance Map -> Filter: a new exchange, FORWARD from 2 to 2 subtasks",
         "performance Filter -> Sink: Print to Std. Out: a new exchange, FORWARD from 2 to 2 subtasks",
         "performance Filter: chaining unset -> disable"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_change_inside_of_a_merged_operator(tmp_path: Path, name: str) -> None:
    before, after, expected = CASES[name]
    found = find_changes(compare(snapshot(tmp_path, before), snapshot(tmp_path, after)))
    told = [f"{change.level} {change.message}" for change in found if change.kind != "operator-id"]
    assert sorted(told) == sorted(expected)


def test_another_first_part_that_keeps_state_breaks_it(tmp_path: Path) -> None:
    counts = ".key_by(lambda n: n).process(Count(), output_type=Types.INT())"
    function = """
from pyflink.datastream import KeyedProcessFunction


class Count(KeyedProcessFunction):
    def process_element(self, value, context):
        yield value
"""
    (job,) = load_jobs(write(tmp_path, function + JOB.format(steps=counts + LARGE, more="")))
    before = take_snapshot(plan(job, until="execution"))
    found = find_changes(compare(before, snapshot(tmp_path, SUM + LARGE)))
    assert "state-breaking" in {change.level for change in found}


@pytest.mark.parametrize(("part", "told"), [(DOUBLE, False), (".map(str, output_type=Types.STRING())", True)])
def test_a_part_before_the_key_changes_what_state_keeps_by_its_type_alone(
    tmp_path: Path, part: str, told: bool
) -> None:
    named = '.key_by(lambda n: n).reduce(lambda a, b: a + b).uid("sum")'
    before, after = snapshot(tmp_path, "", named), snapshot(tmp_path, part, named)
    found = find_changes(compare(before, after))
    assert ("record-type" in {change.kind for change in found}) == told
    assert not [one.message for one in found if "partition FORWARD" in one.message or "aligns" in one.message]


def test_two_merged_operators_become_one_and_none_is_lost(tmp_path: Path) -> None:
    before, after = (snapshot(tmp_path, DOUBLE + more + LARGE + ADD) for more in (".rebalance()", ""))
    compared = compare(before, after)
    assert [compared.old.operators[at].name for at in compared.joined] == ["Filter, Map"]
    levels = {change.message: change.level for change in find_changes(compared)}
    assert levels["Filter, Map is merged with its neighbours now"] == "performance"
    assert not [message for message in levels if "was added" in message or "was removed" in message]


def test_an_operator_that_is_no_longer_merged_was_not_added_upstream(tmp_path: Path) -> None:
    apart = DOUBLE + LARGE + ".set_parallelism(4)"
    changes = find_changes(compare(snapshot(tmp_path, DOUBLE + LARGE, SUM), snapshot(tmp_path, apart, SUM)))
    causes = [change.message for change in changes if change.kind == "operator-id"]
    assert any(
        "is no longer merged with its neighbours, and generated ids hash everything upstream" in one for one in causes
    )
    assert not any("was added" in change.message for change in changes)
    back = find_changes(compare(snapshot(tmp_path, apart, SUM), snapshot(tmp_path, DOUBLE + LARGE, SUM)))
    assert not any("was removed" in change.message for change in back)
