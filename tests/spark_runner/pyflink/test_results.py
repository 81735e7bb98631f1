"""PyFlink scripts on Spark give the records that real PyFlink 2.3 gave for them (recorded.json)."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.pyflink_engine import EngineRun
from tests.support.pyflink_runs import FOLDER, SCRIPTS, ScriptRun, recorded, without_subtask

TRUTH = recorded()
# one source, one subtask, one sink at a time: Flink leaves no order open
ORDERED = (
    "event_time_timers", "function_classes", "processing_time_timers", "several_jobs", "state_with_ttl",
    "states_of_all_kinds", "word_count_stream",
)  # fmt: skip


# these go through the workers' code in this process
WITHOUT_SPARK = {
    "batch_in_a_row", "broadcast_both_kinds", "keyed_extremes", "printed_collections", "states_edge_cases",
    "windows_counted", "collected_behind_key_by", "collected_pickled_pairs", "collected_with_limit",
    "connect_half_keyed", "connect_timers_and_sides", "runtime_contexts", "timers_set_by_timers",
    "types_at_their_edges", "windows_mixed", "windows_triggers",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(WITHOUT_SPARK))
def test_workers_give_the_records_of_real_pyflink(name: str, tmp_path: Path) -> None:
    script = tmp_path / f"{name}.py"
    shutil.copy(FOLDER / "scripts" / f"{name}.py", script)
    lines = EngineRun().run(script)
    assert Counter(map(without_subtask, lines)) == Counter(map(without_subtask, TRUTH[name]))


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in WITHOUT_SPARK])
def test_the_records_are_those_of_real_pyflink(name: str, spark: Any, tmp_path: Path) -> None:
    lines = ScriptRun(spark).run(name, tmp_path)
    assert Counter(map(without_subtask, lines)) == Counter(map(without_subtask, TRUTH[name]))
    if name in ORDERED:
        assert lines == TRUTH[name]


def test_every_script_was_recorded() -> None:
    assert sorted(TRUTH) == SCRIPTS
    assert len(SCRIPTS) >= 30
