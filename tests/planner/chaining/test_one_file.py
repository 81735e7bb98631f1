"""A chaining rule is one file and its lines in the registry: taking one away and adding one shows everywhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import planner

OWN_RULE = '''\
"""Operators that run once."""

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return facts.upstream.source is None and facts.downstream.parallelism == 1


def _describe(edge: Candidate) -> Obstacle:
    key = edge.downstream.operator.key
    return RULE.obstacle(f"{edge.downstream.name} runs once", f"raise {key}", settings=(f"{key}.parallelism=2",))


def _holds(edge: Candidate) -> str:
    return f"{edge.upstream.name} is a source"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return ""


RULE = ChainingRule(
    code="CH099", slug="runs-once", page=None, fails=_fails, describe=_describe, holds=_holds, exported=_exported
)
'''
JOB = """\
name: names
operators:
  - {id: numbers, type: source, collection: [{n: 1}]}
  - {id: first, type: map, input: numbers, chaining: disable}
  - {id: second, type: map, input: first}
  - {id: third, type: map, input: second}
  - {id: out, type: print, input: third}
"""
ASK = """\
import json, sys
from planner import load_plan
from planner.chaining.evaluation import check_conditions
from planner.chaining.registry import BY_CODE
from planner.explanation.explain import explain_plan
compiled = load_plan("job.yaml")
edges = explain_plan(compiled).edges
edge, ordinary = (next(e for e in edges if e.target.key == key) for key in ("second", "third"))
json.dump({
    "rules": sorted(BY_CODE),
    "obstacles": [o.code for o in edge.obstacles],
    "of an ordinary edge": [o.code for o in ordinary.obstacles],
    "changes": [o.change for o in edge.obstacles],
    "settings": [setting for o in edge.obstacles for setting in o.settings],
    "conditions": {c.code: c.found for c in check_conditions(compiled, edges[0].position)},
}, sys.stdout)
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the planner, with a job beside it."""
    source = Path(planner.__file__).parent
    # Scripts for PyFlink are not needed here, and are most of the files.
    shutil.copytree(source, tmp_path / "planner", ignore=shutil.ignore_patterns("__pycache__", "python"))
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    return tmp_path


def ask(house: Path) -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", ASK], cwd=house, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_a_rule_goes_with_its_file_and_comes_with_its_file(house: Path) -> None:
    chaining = house / "planner" / "chaining"
    registry = chaining / "registry.py"
    text = registry.read_text(encoding="utf-8")
    text = "".join(line for line in text.splitlines(keepends=True) if "ch004_upstream_never_chains" not in line)
    text = text.replace(
        "    ch012_yielding_after_legacy_source,\n", "    ch012_yielding_after_legacy_source,\n    mine,\n"
    )
    text = text.replace(
        "ch012_yielding_after_legacy_source.RULE,\n", "ch012_yielding_after_legacy_source.RULE, mine.RULE\n"
    )
    registry.write_text(text, encoding="utf-8")
    (chaining / "rules" / "ch004_upstream_never_chains.py").unlink()
    (chaining / "rules" / "mine.py").write_text(OWN_RULE, encoding="utf-8")
    answer = ask(house)
    codes = [f"CH{number:03}" for number in range(1, 13) if number != 4]
    assert answer["rules"] == [*codes, "CH099"]
    assert answer["obstacles"] == ["CH099"]
    assert answer["of an ordinary edge"] == ["CH099"], (
        "edges with equal facts share the verdict, and each has its obstacle"
    )
    assert answer["changes"] == ["raise second"]
    assert answer["settings"] == ["second.parallelism=2"]
    conditions = answer["conditions"]
    assert isinstance(conditions, dict)
    assert conditions["CH099"] == "Source: Custom Source is a source"
    assert "CH004" not in conditions


def test_no_other_module_of_the_planner_decides_by_the_code_of_a_rule() -> None:
    root = Path(planner.__file__).parent
    readers = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if "chaining" not in path.parts and '"CH0' in path.read_text(encoding="utf-8")
    ]
    assert readers == []
