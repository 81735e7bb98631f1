"""PyFlink scripts on Spark give the records that real PyFlink 2.3 gave for them (recorded.json)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.pyflink_runs import SCRIPTS, ScriptRun, recorded, without_subtask

TRUTH = recorded()
# one source, one subtask, one sink at a time: Flink leaves no order open
ORDERED = (
    "event_time_timers", "function_classes", "processing_time_timers", "several_jobs", "state_with_ttl",
    "states_of_all_kinds", "word_count_stream",
)  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_records_are_those_of_real_pyflink(name: str, spark: Any, tmp_path: Path) -> None:
    lines = ScriptRun(spark).run(name, tmp_path)
    assert Counter(map(without_subtask, lines)) == Counter(map(without_subtask, TRUTH[name]))
    if name in ORDERED:
        assert lines == TRUTH[name]


def test_every_script_was_recorded() -> None:
    assert sorted(TRUTH) == SCRIPTS
    assert len(SCRIPTS) >= 30
