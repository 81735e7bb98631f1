"""PyFlink's surprises: every rule finds its script, and leaves the corrected one alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.lint.engine import lint
from tests.support.pyflink_scripts import write_script

ASSIGNER = "class T(TimestampAssigner):\n    def extract_timestamp(self, v, t): return 0\n"
STRATEGY = "WatermarkStrategy.for_monotonous_timestamps()"


@pytest.mark.parametrize(
    ("code", "wrong", "right"),
    [
        ("PL120", "lines.map(str).map(len).uid('b').print()", "lines.map(str).uid('b').map(len).print()"),
        ("PL121", "lines.rebalance().key_by(len).sum(0)", "lines.rebalance().map(str).key_by(len).sum(0)"),
        (
            "PL122",
            ASSIGNER + f"lines.assign_timestamps_and_watermarks({STRATEGY}.with_timestamp_assigner(T())"
            ".with_idleness(Duration.of_seconds(1))).print()",
            ASSIGNER + f"lines.assign_timestamps_and_watermarks({STRATEGY}.with_idleness(Duration.of_seconds(1))"
            ".with_timestamp_assigner(T())).print()",
        ),
        ("PL123", "lines.print()\nlines.map(str).execute_and_collect()", "lines.map(str).execute_and_collect()"),
        ("PL124", "lines.map(str).map(str).union(lines.map(str)).print()", "lines.map(str).union(lines.map(len))"),
        ("PL125", "lines.print('counts')", "lines.print('counts').name('counts')"),
        ("PL126", "lines.map(str).slot_sharing_group('a').map(str).slot_sharing_group('b').print()",
         "lines.map(str).slot_sharing_group('a').map(str).slot_sharing_group('b').start_new_chain().print()"),
    ],
)  # fmt: skip
def test_the_surprise_is_found_and_its_fix_is_enough(code: str, wrong: str, right: str, tmp_path: Path) -> None:
    executed = "execute_and_collect" not in wrong
    script = write_script(tmp_path, wrong, execute=executed)
    found = [finding for finding in lint([str(script)], select=[code]).findings if finding.code == code]
    assert len(found) == 1
    assert found[0].location.line > 6
    assert found[0].fix
    script = write_script(tmp_path, right, execute=executed)
    assert [finding for finding in lint([str(script)], select=[code]).findings if finding.code == code] == []


def test_an_ignore_with_its_reason_holds_for_a_merged_operator(tmp_path: Path) -> None:
    body = "lines.map(str).map(len).uid('b').print()  # plan: ignore[PL120] stateless"
    assert [f.code for f in lint([str(write_script(tmp_path, body))], select=["PL120"]).findings] == []
