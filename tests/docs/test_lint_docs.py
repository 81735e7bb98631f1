"""What the documentation shows works as it is shown."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

from cli.app import COMMANDS
from planner.frontends.yaml.loader import load_job_data
from planner.graphs.state import state_of
from planner.graphs.stream_building import build_stream_graph
from planner.settings.pyproject import load_config

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_pytest_example_runs(tmp_path: Path) -> None:
    (example,) = [block for block in blocks("ci.md", "python") if "import pytest" in block]
    (tmp_path / "test_plan.py").write_text(example, encoding="utf-8")
    job = (ROOT / "samples/word_count/job.yaml").read_text(encoding="utf-8")
    (tmp_path / "job.yaml").write_text(job.replace("type: sum,", "type: sum, uid: counts,"), encoding="utf-8")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_plan.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "3 passed" in done.stdout, done.stdout
    (tmp_path / "job.yaml").write_text(job, encoding="utf-8")
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Keyed Aggregation (counts) keeps keyed state" in done.stdout


def test_the_workflow_calls_commands_that_exist() -> None:
    (workflow, *_) = blocks("ci.md", "yaml")
    steps = yaml.safe_load(workflow)["jobs"]["lint"]["steps"]
    called = re.findall(r"\bplan (\w+)", "\n".join(step.get("run", "") for step in steps))
    assert called
    assert set(called) <= set(COMMANDS)


def test_the_hooks_have_what_pre_commit_asks_for() -> None:
    hooks = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["plan-lint", "plan-lint-all"]
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["entry"].split()[:2] == ["plan", "lint"]
    pattern = re.compile(hooks[0]["files"])
    assert all(pattern.search(name) for name in ("job.py", "jobs/a/job.yaml", "job.yml"))
    assert not any(pattern.search(name) for name in ("jobs.py", "my_job.txt", "jobber/x.py"))


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    (shown,) = blocks("lint.md", "toml")
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    config = load_config(tmp_path)
    assert config.cluster.total_slots == 32
    assert config.for_job("nightly totals").cluster.total_slots == 64


def test_the_table_of_state_is_what_the_code_says() -> None:
    text = (ROOT / "docs/lint.md").read_text(encoding="utf-8")
    job = load_job_data(
        {
            "operators": [
                {"id": "source", "type": "source", "format": "text", "path": "x"},
                {"id": "map", "type": "map", "input": "source"},
                {"id": "async_map", "type": "async_map", "input": "map"},
                {"id": "process", "type": "process", "input": "async_map"},
                {"id": "sum", "type": "sum", "input": "process", "key_by": "k"},
                {"id": "print", "type": "print", "input": "sum"},
            ]
        }
    )
    states = {node.operator.key: state_of(job, node) for node in build_stream_graph(job).nodes}
    for key, state in states.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| {state} |")]
        assert key in row
