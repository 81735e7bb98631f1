"""A savepoint of a SQL job, and changed scripts: the answers are those that a cluster of Flink 2.3.0 gave."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from planner import load_job, plan
from planner.savepoints.contents import describe_savepoint
from planner.savepoints.fates import RestoreReport, restore
from planner.savepoints.files import load_savepoint

ARCHIVE = Path(__file__).with_name("sql_pairs.tar.xz")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sql")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(made, filter="data")
    return made


def report(folder: Path, script: str) -> RestoreReport:
    compiled = plan(load_job(folder / f"{script}.json"), until="job")
    return restore(compiled, describe_savepoint(load_savepoint(str(folder))))


@pytest.mark.parametrize(
    ("script", "outcome"),
    [("base", "started"), ("before", "started"), ("filter", "started"), ("wider", "started"), ("maxp", "refused")],
)
def test_the_answer_is_flinks(script: str, outcome: str, folder: Path) -> None:
    verdict = report(folder, script).verdict
    assert (verdict.strict.outcome, verdict.allowing.outcome) == (outcome, outcome)
    assert {one.kind for one in verdict.strict.complaints} == ({"max-parallelism"} if outcome == "refused" else set())


def test_the_counters_in_sql_names_are_no_other_operator(folder: Path) -> None:
    """A statement before the job made `GroupAggregate[5]` to `GroupAggregate[9]`."""
    (fate,) = report(folder, "before").of("restored")
    assert fate.node is not None
    assert (fate.saved.name, fate.node.name) == ("GroupAggregate[5]", "GroupAggregate[9]")
    assert not [note for note in fate.notes if "check that it is the same one" in note]
