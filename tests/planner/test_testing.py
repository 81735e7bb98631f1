"""The assertions for people's own tests."""

from __future__ import annotations

import pytest

from planner import assert_chained, assert_not_chained, load_job_data, plan

PLAN = plan(
    load_job_data(
        {
            "operators": [
                {"id": "s", "type": "source"},
                {"id": "m", "type": "map", "input": "s"},
                {"id": "n", "type": "map", "input": {"from": "m", "partition": "rebalance"}, "uid": "second"},
            ]
        }
    ),
    until="stream",
)


def test_chained_and_not() -> None:
    assert_chained(PLAN, "s", "m")
    assert_not_chained(PLAN, "m", "second")


@pytest.mark.parametrize(
    ("edge", "says"),
    [(("m", "n"), "CH007"), (("s", "Map"), "2 operators"), (("s", "secnd"), "second"), (("n", "m"), "no edge")],
)
def test_failures_say_why(edge: tuple[str, str], says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        assert_chained(PLAN, *edge)
