"""What the documentation shows works as it is shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

from cli import __version__
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


def test_the_workflow_uses_the_action_and_only_its_inputs() -> None:
    (workflow, *_) = blocks("ci.md", "yaml")
    steps = yaml.safe_load(workflow)["jobs"]["plan"]["steps"]
    (ours,) = [step for step in steps if "plan-inspector" in step["uses"]]
    assert ours["uses"].endswith(f"@v{__version__}")
    assert set(ours["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"])


def test_the_gitlab_job_calls_commands_that_exist() -> None:
    (job,) = [block for block in blocks("ci.md", "yaml") if "codequality" in block]
    called = re.findall(r"\bplan (\w+)", "\n".join(yaml.safe_load(job)["plan"]["script"]))
    assert called == ["lint", "diff", "diff"]
    assert set(called) <= set(COMMANDS)


def test_the_hooks_have_what_pre_commit_asks_for() -> None:
    hooks = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["plan-lint", "plan-lint-all"]
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["entry"].split()[:2] == ["plan", "lint"]


def test_the_hooks_pass_over_files_without_a_job(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("raise SystemExit('a file that is no job must not be run')\n", encoding="utf-8")
    (tmp_path / "sql.py").write_text(
        "import planner\n\ndef rows(cursor):\n    return cursor.execute('')\n", encoding="utf-8"
    )
    (tmp_path / "values.yaml").write_text("replicas: 3\n", encoding="utf-8")
    job = (ROOT / "samples/word_count/job.yaml").read_text(encoding="utf-8")
    (tmp_path / "job.yaml").write_text(job, encoding="utf-8")
    entry, everything = (hook["entry"].split()[1:] for hook in yaml.safe_load(HOOKS.read_text(encoding="utf-8")))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cli", *arguments]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

    others = ["helper.py", "sql.py", "values.yaml"]
    passed = run(*entry, *others)
    assert (passed.returncode, passed.stdout, passed.stderr) == (0, "", "")
    found = run(*entry, *others, "job.yaml")
    assert (found.returncode, "PL101" in found.stdout) == (1, True)
    assert run(*everything).returncode == 1
    for named in others[1:]:
        alone = run("lint", named)
        assert alone.returncode == 2
        assert "the file defines no job" in alone.stderr
    assert run(*entry, "missing.py").returncode == 2


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
