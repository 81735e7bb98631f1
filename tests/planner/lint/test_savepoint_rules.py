"""`plan lint --savepoint`: PL201, PL202 and PL203."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.app import main
from planner.errors import OptionError
from planner.lint.engine import lint
from planner.lint.finding import Finding
from planner.savepoints.contents import describe_savepoint
from planner.savepoints.files import load_savepoint
from tests.support.savepoints import restores


def findings(name: str, folder: Path) -> list[Finding]:
    pair = restores()[name]
    (folder / "_metadata").write_bytes(pair.savepoint)
    (folder / "job.json").write_text(json.dumps(pair.job, indent=1))
    contents = describe_savepoint(load_savepoint(str(folder)))
    return list(lint([str(folder / "job.json")], select=["PL2"], savepoint=contents).findings)


def test_state_that_is_not_found_is_a_finding_at_its_operator(tmp_path: Path) -> None:
    (found,) = findings("op-added-at-start-2.3.0", tmp_path)
    assert (found.code, found.severity, found.operator) == ("PL201", "error", "total")
    assert "Filter (f) was added upstream" in found.message
    assert '"uid_hash": "90bea66de1c231edf33913ecd54406c1"' in (found.fix or "")


def test_one_cause_for_all_operators_is_one_finding(tmp_path: Path) -> None:
    (found,) = findings("maxp-set-other-2.3.0", tmp_path)
    assert found.code == "PL202"
    assert found.location.line == 1
    assert "saved with max parallelism 128, and the job sets 256" in found.message
    assert found.fix == "set pipeline.max-parallelism, or env.setMaxParallelism, to 128, or do not set it"


def test_state_that_is_dropped_without_a_message_is_a_finding(tmp_path: Path) -> None:
    (found,) = findings("reduce-to-window-2.3.0", tmp_path)
    assert found.code == "PL203"
    assert "_op_state is dropped, because it belongs to a sum" in found.message


@pytest.mark.parametrize("name", ["same-default2-2.3.0", "parallelism-up-1.20.5", "uid-hash-to-old-id-2.3.0"])
def test_a_job_that_restores_has_no_findings(name: str, tmp_path: Path) -> None:
    assert findings(name, tmp_path) == []


def test_a_savepoint_is_of_one_job(tmp_path: Path) -> None:
    pair = restores()["same-default2-2.3.0"]
    (tmp_path / "_metadata").write_bytes(pair.savepoint)
    files = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for file in files:
        Path(file).write_text(json.dumps(pair.job))
    contents = describe_savepoint(load_savepoint(str(tmp_path)))
    with pytest.raises(OptionError, match="belongs to one job"):
        lint(files, savepoint=contents)


def test_the_command_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = restores()["uid-removed-stateful-2.3.0"]
    (tmp_path / "_metadata").write_bytes(pair.savepoint)
    (tmp_path / "job.json").write_text(json.dumps(pair.job))
    job = str(tmp_path / "job.json")
    assert main(["lint", "--savepoint", str(tmp_path), job, "--select", "PL2"]) == 1
    assert "PL201 saved-state-not-found error" in capsys.readouterr().out
    assert main(["lint", job, "--select", "PL2"]) == 0, "without a savepoint there is nothing to compare"
    assert main(["lint", "--savepoint", str(tmp_path / "none"), job]) == 2
