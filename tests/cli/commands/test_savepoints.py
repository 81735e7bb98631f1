"""Savepoints on the command line: `plan show SAVEPOINT`, `plan diff SAVEPOINT JOB`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.app import main
from tests.support.savepoints import readings, restores

MOVED = restores()["op-added-at-start-2.3.0"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("savepoint-1").mkdir()
    Path("savepoint-1/_metadata").write_bytes(MOVED.savepoint)
    Path("job.json").write_text(json.dumps(MOVED.job))
    return tmp_path


@pytest.mark.parametrize("argument", ["savepoint-1", "savepoint-1/_metadata", "savepoint-1/"])
def test_a_savepoint_is_shown(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", argument, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 6
    stateful = [each for each in document["operators"] if each["has_state"]]
    assert [(each["name"], each["max_parallelism"]) for each in stateful] == [("Keyed Aggregation", 128)]
    assert stateful[0]["states"] == [{"name": "_op_state", "kind": "KEY_VALUE", "type": "VALUE"}]
    assert main(["show", argument]) == 0
    text = capsys.readouterr().out
    assert "canonical savepoint 2 of Flink 2.1 or later" in text
    assert "keyed state: _op_state (value)" in text


def test_a_job_that_is_refused_shows_why_and_the_fix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "savepoint-1", "job.json"]) == 0
    text = capsys.readouterr().out
    assert "is refused" in text
    assert "certain: Filter (f) was added upstream" in text
    assert 'fix: "uid_hash": "90bea66de1c231edf33913ecd54406c1"' in text
    assert "with these fixes: restores" in text
    assert "another key of the same type" in text
    assert main(["diff", "savepoint-1", "job.json", "--exit-code"]) == 1


def test_the_fix_is_ready_to_paste(capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", "savepoint-1", "job.json", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["restore"]["strict"]["outcome"] == "refused"
    assert [each["kind"] for each in document["restore"]["strict"]["complaints"]] == ["unmapped-state"]
    assert document["restore"]["allow_non_restored_state"] == {"outcome": "started", "complaints": []}
    (fix,) = (each["fix"] for each in document["operators"] if each["fix"])
    operator = next(each for each in MOVED.job["operators"] if each["id"] == fix["operator"])
    fixed = {**operator, **json.loads("{" + fix["written"][0] + "}")}
    others = [each for each in MOVED.job["operators"] if each is not operator]
    Path("fixed.json").write_text(json.dumps({**MOVED.job, "operators": [*others[:-1], fixed, others[-1]]}))
    assert main(["diff", "savepoint-1", "fixed.json", "--exit-code"]) == 0
    assert ": restores" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(name for name in restores() if name.endswith("2.3.0")))
def test_every_recorded_restore_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pair = restores()[name]
    Path("savepoint-1/_metadata").write_bytes(pair.savepoint)
    Path("job.json").write_text(json.dumps(pair.job))
    assert main(["diff", "savepoint-1", "job.json"]) == 0
    text = capsys.readouterr().out
    assert f"Flink's answer               {pair.outcome('strict')}" in text
    assert f"with allowNonRestoredState   {pair.outcome('allow_non_restored_state')}" in text


def test_state_that_is_dropped_is_named_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    pair = restores()["reduce-to-window-2.3.0"]
    Path("savepoint-1/_metadata").write_bytes(pair.savepoint)
    Path("job.json").write_text(json.dumps(pair.job))
    assert main(["diff", "savepoint-1", "job.json", "--exit-code"]) == 1
    text = capsys.readouterr().out
    assert "starts, and state of 1 operator is gone without a message" in text
    assert "dropped: _op_state, because it belongs to a sum, min, max or reduce" in text


def test_an_older_flink_cannot_read_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "savepoint-1", "job.json", "--flink", "1.20", "--exit-code"]) == 1
    assert "cannot be read: Flink 1.20 reads formats up to 4, and this one is 6" in capsys.readouterr().out


def test_wrong_arguments_end_in_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    Path("savepoint-1/_metadata").write_bytes(readings()["sum.hashmap.native-2.3.0"].data[:300])
    Path("empty").mkdir()
    for arguments in (
        ["show", "savepoint-1"],
        ["diff", "savepoint-1", "job.json"],
        ["show", "empty"],
        ["diff", "empty", "job.json"],
        ["diff", "savepoint-1", "no-job.json"],
        ["show", "savepoint-1", "--stage", "job"],
        ["diff", "job.json", "savepoint-1"],
        ["diff", "savepoint-1", "savepoint-1"],
        ["show", "savepoint-1", "--slots", "2"],
    ):
        assert main(arguments) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.startswith("error: ")
        assert "Traceback" not in output.err
