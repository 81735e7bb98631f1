"""Whether state is found is one function; the advice that is given about uids keeps state when it is followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from planner import load_job_data, plan
from planner.diff.changes import find_changes
from planner.diff.comparison import compare
from planner.graphs.state_lookup import finds_own_state, max_parallelism_setting, state_id, uid_recipe, written_setting
from planner.lint.engine import lint
from planner.snapshots.snapshot import Snapshot, take_snapshot

SUM: dict[str, Any] = {"id": "totals", "type": "sum", "input": "parse", "key_by": "user"}
JOB: dict[str, Any] = {
    "name": "orders",
    "parallelism": 2,
    "operators": [
        {"id": "orders", "type": "source", "uid": "orders"},
        {"id": "parse", "type": "map", "input": "orders"},
        SUM,
        {"id": "out", "type": "print", "input": "totals"},
    ],
}


def job(**settings: str) -> dict[str, Any]:
    return {**JOB, "operators": [{**each, **(settings if each is SUM else {})} for each in JOB["operators"]]}


def snapshot(data: dict[str, Any]) -> Snapshot:
    return take_snapshot(plan(load_job_data(data), until="execution"))


def present_id(data: dict[str, Any]) -> str:
    return next(each.id for each in snapshot(data).operators if each.written_id == "totals" or "Aggr" in each.name)


OLD = present_id(JOB)


def test_the_uid_hash_wins_where_the_savepoint_has_it() -> None:
    assert state_id("new", "old", {"old", "new"}) == "old"
    assert state_id("new", "old", {"new"}) == "new"
    assert state_id("new", None, {"old"}) == "new"
    assert finds_own_state("new", "old", old_id="old", saved={"old"})
    assert not finds_own_state("new", None, old_id="old", saved={"old"})


def test_the_recipe_keeps_the_state_at_every_step() -> None:
    before, both, last = (snapshot(each) for each in (JOB, job(uid="totals", uid_hash=OLD), job(uid="totals")))
    assert not compare(before, both).orphaned
    assert not compare(both, last).orphaned, "after a savepoint of the job with both"
    assert compare(before, last).orphaned, "the uid alone loses it"


@pytest.fixture
def written(tmp_path: Path) -> str:
    (tmp_path / "job.json").write_text(json.dumps(JOB))
    return str(tmp_path / "job.json")


def test_a_missing_uid_is_advised_with_the_whole_recipe(written: str) -> None:
    (finding,) = lint([written], select=["PL101"]).findings
    assert finding.fix is not None
    assert f'1. set "uid": "totals", "uid_hash": "{OLD}"' in finding.fix
    assert "take a new savepoint" in finding.fix
    assert f'3. remove "uid_hash": "{OLD}"' in finding.fix


def test_what_if_finds_state_by_its_uid_hash(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", written, "--set", "totals.uid=x"]) == 0
    lost = capsys.readouterr().out
    assert "would not find what a savepoint holds" in lost
    assert f'"uid_hash": "{OLD}"' in lost
    assert main(["explain", written, "--set", "totals.uid=x", "--set", f"totals.uid_hash={OLD}"]) == 0
    kept = capsys.readouterr().out
    assert "found by its uid_hash" in kept
    assert "all state is found" in kept


def test_diff_and_what_if_agree_about_a_uid_hash() -> None:
    changes = find_changes(compare(snapshot(JOB), snapshot(job(uid="x", uid_hash=OLD))))
    assert [change for change in changes if change.level == "state-breaking"] == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("job.py", '.uid("totals").set_uid_hash("00ff")'),
        ("job.yaml", "uid: totals, uid_hash: 00ff"),
        ("job.json", '"uid": "totals", "uid_hash": "00ff"'),
    ],
)
def test_settings_are_written_as_the_file_has_them(file: str, expected: str) -> None:
    assert written_setting(file, uid="totals", uid_hash="00ff") == expected


@pytest.mark.parametrize("value", ["12345678901234567890123456789012", "12e4", "null", "a: b", "yes", ""])
def test_yaml_quotes_what_would_not_stay_text(value: str) -> None:
    assert written_setting("job.yaml", uid=value) == f'uid: "{value}"'


def test_a_v2_sink_gets_no_advice_that_flink_refuses() -> None:
    data = job()
    data["operators"] = [*data["operators"][:-1], {"id": "out", "type": "sink", "api": "v2", "input": "totals"}]
    sink = load_job_data(data).operators[-1]
    assert "uid_hash" not in uid_recipe(sink, OLD)


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("job.sql", "SET 'pipeline.max-parallelism' = '64'"),
        ("job.jar", "set pipeline.max-parallelism, or env.setMaxParallelism, to 64"),
        ("job.py", "set max_parallelism on the job to 64"),
    ],
)
def test_the_max_parallelism_is_set_in_the_words_of_the_file(file: str, wanted: str) -> None:
    assert max_parallelism_setting(file, 64) == wanted
