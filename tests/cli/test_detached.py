"""The process of a detached run: its exit code is that of `plan run`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli import detached
from cli.run_report_files import write_report
from planner.errors import ExecutionError, InternalError, PlanError
from spark_runner.clusters.request import RunRequest
from spark_runner.runs.store import RunFolder, RunStore

ENDS: list[tuple[str, PlanError | None, int]] = [
    ("finished", None, 0),
    ("failed", ExecutionError("it broke"), 3),
    ("failed", InternalError("we broke it"), 4),
    ("asked", None, 3),
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    monkeypatch.setattr(detached, "check_machine", lambda request: None)
    prepared = SimpleNamespace(program=None, strategy=None, plan=None)
    monkeypatch.setattr(detached, "prepare", lambda request, options: prepared)
    request = RunRequest(job="job.py", folder=str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request.to_dict())))
    return RunStore.under(tmp_path).submit(request)


def supervised(run: RunFolder, ended: str, error: PlanError | None) -> Any:
    return lambda *_, **__: SimpleNamespace(record=run.record(), report=None, ended=ended, error=error)


@pytest.mark.parametrize(("ended", "error", "code"), ENDS)
def test_the_exit_code_is_that_of_plan_run(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch, ended: str, error: PlanError | None, code: int
) -> None:
    monkeypatch.setattr(detached, "supervise", supervised(run, ended, error))
    assert detached.main(run.path, run.record().submitted) == code


def test_a_job_that_is_wrong_ends_with_2(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    from planner.errors import JobDefinitionError

    def refuse(request: RunRequest, options: object) -> Any:
        raise JobDefinitionError("no such job")

    monkeypatch.setattr(detached, "prepare", refuse)
    assert detached.main(run.path, run.record().submitted) == 2


def test_a_report_that_cannot_be_written_at_the_end_says_that_the_run_is_over(tmp_path: Path) -> None:
    document = {"id": "r1", "state": "FINISHED"}
    with pytest.raises(ExecutionError, match="the run is FINISHED, but its report could not be written") as caught:
        write_report(tmp_path / "gone" / "r.json", document, None)  # type: ignore[arg-type]
    assert caught.value.hint == "`plan runs r1` shows the same figures"


def test_a_bug_of_ours_ends_with_4(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise KeyError("nobody thought of this")

    monkeypatch.setattr(detached, "supervise", fail)
    assert detached.main(run.path, run.record().submitted) == 4
