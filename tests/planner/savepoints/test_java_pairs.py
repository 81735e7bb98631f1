"""Random Java jobs, their savepoints and changed versions of them: Flink 2.3.0's answers to 120 restores."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planner import load_job, plan
from planner.savepoints.contents import describe_savepoint
from planner.savepoints.fates import RestoreReport, restore
from planner.savepoints.files import load_savepoint

ARCHIVE = Path(__file__).with_name("java_pairs.tar.xz")


@cache
def _files() -> dict[str, bytes]:
    with tarfile.open(ARCHIVE) as archive:
        found = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: opened.read() for name, opened in found if opened is not None}


def pairs() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_files()["pairs.json"])
    return found


def report(pair: dict[str, Any], folder: Path) -> RestoreReport:
    (folder / "_metadata").write_bytes(_files()[f"savepoints/{pair['savepoint']}"])
    job = folder / "job.json"
    job.write_bytes(_files()[f"jobs/{pair['pair']}.json"])
    return restore(plan(load_job(job), until="job"), describe_savepoint(load_savepoint(str(folder))))


def test_the_pairs_are_there() -> None:
    assert len(pairs()) == 120
    kinds = [pair["strict"]["kind"] for pair in pairs()]
    assert kinds.count("unmapped-state") == 47
    assert kinds.count("max-parallelism") == 8


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: str(pair["pair"]))
def test_the_answer_is_flinks(pair: dict[str, Any], tmp_path: Path) -> None:
    answers = report(pair, tmp_path).verdict.to_dict()
    for mode in ("strict", "allow_non_restored_state"):
        flink, ours = pair[mode], answers[mode]
        assert ours["outcome"] == flink["outcome"]
        if flink["outcome"] == "refused":
            assert (ours["complaints"][0]["kind"], ours["complaints"][0]["operator"]) == (
                flink["kind"],
                flink["operator"],
            )


def test_fixes_are_written_in_java_and_help(tmp_path: Path) -> None:
    helped = 0
    for pair in pairs():
        found = report(pair, tmp_path)
        fixes = [fate.fix for fate in found.fates if fate.fix]
        if not fixes or found.with_fixes is None:
            continue
        assert all(text.startswith((".uid(", ".setUidHash(")) for fix in fixes for text in fix.written)
        fixed = {fix.uid_hash for fix in fixes}
        left = {one.operator for one in found.with_fixes.strict.complaints if one.kind == "unmapped-state"}
        assert not left & fixed
        helped += 1
    assert helped > 10
