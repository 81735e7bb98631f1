"""260 scripts: the plan is real PyFlink's in every node, edge, id and vertex, or the script is refused where it is."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from planner.errors import PlanError
from planner.frontends.python_loader import load_all_python
from planner.pipeline import plan

CORPUS = Path(__file__).parent / "corpus.jsonl.xz"
CASES = [json.loads(line) for line in lzma.decompress(CORPUS.read_bytes()).splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["script"] for case in CASES])
def test_the_plan_is_real_pyflinks(case: dict[str, Any], tmp_path: Path) -> None:
    script = tmp_path / case["script"]
    script.write_text(case["text"], encoding="utf-8")
    if case["error"]:
        with pytest.raises(PlanError):
            _plans(script)
        return
    plans = _plans(script)
    assert len(plans) == len(case["plans"])
    for ours, real in zip(plans, case["plans"], strict=True):
        assert differences(ours, real) == []


def _plans(script: Path) -> list[dict[str, Any]]:
    return [plan(job).to_dict() for job in load_all_python(script)]


def differences(ours: Any, real: Any, path: str = "") -> list[str]:
    """Where two plans differ, by path. Ours may say more; what batch mode leaves open is not compared."""
    if ours is None and path in (".execution_graph", ".physical"):
        return []
    if isinstance(real, dict):
        return [found for key in real for found in differences(ours.get(key), real[key], f"{path}.{key}")]
    if isinstance(real, list):
        if len(ours) != len(real):
            return [f"{path} has {len(ours)} entries, real PyFlink's {len(real)}"]
        return [
            found
            for place, (mine, its) in enumerate(zip(ours, real, strict=True))
            for found in differences(mine, its, f"{path}[{place}]")
        ]
    return [] if ours == real else [f"{path}: {ours!r}, real PyFlink {real!r}"]
