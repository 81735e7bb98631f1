"""Operators that Flink or PyFlink puts in are in the plan, and not in the job: no setting can be tried on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.app import main
from tests.conformance.pyflink_2_3.test_scripts import CASES


@pytest.mark.parametrize("name", ["c026.py", "c081.py"])
def test_advice_passes_over_the_sink_that_collects(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / name
    script.write_text(next(case["text"] for case in CASES if case["script"] == name), encoding="utf-8")
    assert main(["explain", str(script)]) == 0
    assert main(["explain", str(script), "--set", "execute_and_collect.parallelism=2"]) == 2
    assert "puts it in" in capsys.readouterr().err
