"""`plan diff` as it is called: files, baselines, revisions, exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.app import main

JOB = """name: orders
parallelism: 2
operators:
  - {id: orders, type: source, name: orders}
  - {id: parse, type: map, name: parse, input: orders}
  - {id: totals, type: sum, name: totals, input: parse, key_by: user}
  - {id: out, type: print, input: totals}
"""
PYTHON = """from planner import StreamExecutionEnvironment
from keys import first

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([("a", 1)]).key_by(first).sum(1).uid("sums").print()
env.execute("pairs")
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def test_the_same_plan_is_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    write("b.yaml", "# moved\n" + JOB.replace("id: parse", "id: x").replace("input: parse", "input: x"))
    assert main(["diff", "a.yaml", "b.yaml", "--exit-code"]) == 0
    assert capsys.readouterr().out == "orders: no changes\n"


def test_a_break_is_shown_with_its_consequence_for_state(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    write("b.yaml", JOB.replace("name: parse,", "name: parse, parallelism: 4,"))
    assert main(["diff", "a.yaml", "b.yaml"]) == 0
    text = capsys.readouterr().out
    assert "state-breaking" in text
    assert "upstream no longer chains" in text
    assert main(["diff", "a.yaml", "b.yaml", "--exit-code", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["state-breaking"] == 2, "the source and the sum"
    assert {"level", "part", "kind", "subject", "message", "before", "after", "job"} <= set(document["changes"][0])


def test_only_safe_changes_exit_with_zero() -> None:
    write("a.yaml", JOB)
    write("b.yaml", JOB.replace("name: orders\n", "name: purchases\n", 1))
    assert main(["diff", "a.yaml", "b.yaml", "--exit-code"]) == 0


def test_a_baseline_is_compared_by_the_jobs_name(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    write("b.yaml", JOB.replace("name: orders\n", "name: b\n", 1))
    assert main(["lint", "a.yaml", "b.yaml", "--update-baseline"]) == 0
    capsys.readouterr()
    assert main(["diff", "plan.lock.json", "b.yaml", "--exit-code"]) == 0
    assert capsys.readouterr().out == "b: no changes\n"
    write("c.yaml", JOB.replace("name: orders\n", "name: c\n", 1))
    assert main(["diff", "plan.lock.json", "c.yaml"]) == 2
    assert main(["diff", "plan.lock.json", "plan.lock.json", "--exit-code"]) == 0


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_a_revision_is_read_with_the_modules_beside_it(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("jobs/pairs.py", PYTHON)
    write("jobs/keys.py", "def first(pair):\n    return pair[0]\n")
    write("jobs/job.yaml", JOB)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    assert main(["diff", "git:HEAD:jobs/pairs.py", "jobs/pairs.py", "--exit-code"]) == 0
    write("jobs/pairs.py", PYTHON.replace("first", "second"))
    write("jobs/keys.py", "def second(pair):\n    return pair[1]\n")
    capsys.readouterr()
    assert main(["diff", "git:HEAD:jobs/pairs.py", "jobs/pairs.py", "--exit-code"]) == 1
    assert "was keyed by first and is keyed by second" in capsys.readouterr().out
    assert main(["diff", "git:HEAD:jobs/job.yaml", "jobs/job.yaml", "--exit-code"]) == 0
    monkeypatch.chdir(here / "jobs")
    assert main(["diff", "git:HEAD:job.yaml", "job.yaml", "--exit-code"]) == 0, "relative to here"
    assert main(["diff", "git:HEAD~7:job.yaml", "job.yaml"]) == 2
    assert "there is no revision 'HEAD~7' in this repository" in capsys.readouterr().err
    assert main(["diff", "git:HEAD:jobs/job.yaml", "job.yaml", "--exit-code"]) == 0, "or to the repository"


def test_what_cannot_be_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", JOB)
    git("init", "-q")
    for argument in ("git:a.yaml", "git:nowhere:a.yaml", "missing.yaml", "missing.json"):
        assert main(["diff", argument, "a.yaml"]) == 2
        assert "error:" in capsys.readouterr().err
