"""397 scripts in PyFlink 1.18, 1.19, 1.20: the plan is real PyFlink's in every node, edge and id, or it is refused.

193 of them use what only 1.x has; 2.3 answers them too. A script that prints prints the same.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from planner.errors import PlanError
from planner.frontends.loading import LoadOptions, load_jobs
from planner.pipeline import plan
from tests.conformance.pyflink_2_3.test_scripts import differences

CORPUS = Path(__file__).parent / "corpus.jsonl.xz"
CASES = [json.loads(line) for line in lzma.decompress(CORPUS.read_bytes()).splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["script"] for case in CASES])
def test_the_plan_is_real_pyflinks(case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / case["script"]
    script.write_text(case["text"], encoding="utf-8")
    for version, answer in case["answers"].items():
        real = case["answers"][answer] if isinstance(answer, str) else answer
        capsys.readouterr()
        if "plans" not in real:
            with pytest.raises(PlanError):
                plans_of(script, version)
            continue
        plans = plans_of(script, version)
        assert len(plans) == len(real["plans"])
        for ours, its in zip(plans, real["plans"], strict=True):
            assert differences(ours, its) == []
        if "stdout" in real:
            assert capsys.readouterr().err == real["stdout"]


def plans_of(script: Path, version: str) -> list[dict[str, Any]]:
    return [plan(job).to_dict() for job in load_jobs(script, LoadOptions(flink=version, parallelism=2))]
