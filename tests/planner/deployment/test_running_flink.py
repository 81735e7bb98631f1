"""Our physical stage against what a running Flink 2.3.0 did: slots, too few slots, restarts, schedules and buffers.

`recordings/README.md` says how they were made; `python -m benchmarks.flink.compare --record FILE` measures them again.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.flink.agreement import disagreements
from benchmarks.flink.cases import BUFFERS, MODES, PLACEMENTS, RESTARTS, SCHEDULES, SHORTAGES

FILE = Path(__file__).with_name("recordings") / "flink-2.3.0.jsonl"
RECORDED = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("recorded", [pytest.param(one, id=one["case"]) for one in RECORDED])
def test_flink_did_what_we_say(recorded: dict[str, Any]) -> None:
    assert disagreements(recorded) == []


def test_every_case_was_recorded() -> None:
    assert len(PLACEMENTS) == 13
    assert Counter(one["measure"] for one in RECORDED) == {
        "placement": len(PLACEMENTS) * len(MODES),
        "shortage": len(SHORTAGES),
        "restart": len(RESTARTS),
        "schedule": len(SCHEDULES),
        "buffers": len(BUFFERS),
    }


@pytest.mark.parametrize(
    ("measure", "field", "value"),
    [
        ("placement", "slots_per_task_manager", [[3, 1]]),
        ("placement", "slots", []),
        ("shortage", "waiting", []),
        ("restart", "restarted", []),
        ("schedule", "states", []),
        ("buffers", "fewest", 1),
    ],
)
def test_another_answer_of_flink_would_be_noticed(measure: str, field: str, value: Any) -> None:
    one = next(one for one in RECORDED if one["measure"] == measure)
    assert disagreements({**one, "observed": {**one["observed"], field: value}})
