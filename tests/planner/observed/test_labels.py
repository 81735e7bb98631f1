"""What the names of operators give away."""

from __future__ import annotations

import pytest

from planner.observed.labels import may_be_multiple_input, plan_mode, short_name
from planner.operators import without_counters


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("Multiple Input", "Multiple Input"),
        ("MultipleInput[3]", "[3]:MultipleInput(members=[x])"),
        ("OrderJoin", "OrderJoin"),
    ],
)
def test_these_may_take_sources_into_their_own_task(name: str, description: str) -> None:
    assert may_be_multiple_input(name, description)


@pytest.mark.parametrize(
    "name",
    ["Map", "Co-Process", "Keyed-Join-Process", "TumblingEventTimeWindows", "out: Writer", "Sink: Print to Std. Out"],
)
def test_these_never_do(name: str) -> None:
    assert not may_be_multiple_input(name, name)
    assert not may_be_multiple_input("Join[7]", "[7]:Join(joinType=[InnerJoin])")


def test_operators_of_one_planner_tell_the_mode() -> None:
    calc = "[1]:Calc(select=[a])"
    assert plan_mode([calc, "[2]:GroupAggregate(groupBy=[a])"]) is False
    assert plan_mode([calc, "[2]:HashJoin(joinType=[InnerJoin])"]) is True
    assert plan_mode([calc, "[2]:WindowTableFunction(window=[x])", "[3]:Rank(x)"]) is None, "both planners make these"
    assert plan_mode(["Map", "Filter"]) is None


def test_sql_names_without_their_counters() -> None:
    assert without_counters("Calc[36]") == without_counters("Calc[4]") == "Calc"
    assert short_name("[36]:Calc(select=[a])") == "Calc[36]"
    assert short_name("plain name") == "plain name"
