"""Which job is meant where none is named, and files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.files import write_whole
from cli.locate import find_job
from planner.errors import OptionError


def test_a_named_job_is_taken_as_it_is() -> None:
    assert find_job("jobs/a.py:second") == "jobs/a.py:second"


@pytest.mark.parametrize("name", ["job.py", "job.yaml", "job.yml"])
def test_the_only_job_file_here(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert find_job(None) == name


def test_two_job_files_are_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("job.py", "job.yaml"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=r"job\.py and job\.yaml"):
        find_job(None)


def test_no_job_file_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError) as refusal:
        find_job(None)
    assert refusal.value.hint is not None and "[tool.plan]" in refusal.value.hint


@pytest.mark.parametrize(
    "written", ['[tool.plan]\njob = "{}"\n', '[tool]\nplan = {{job = "{}"}}\n', 'tool.plan.job = "{}"\n']
)
def test_the_configured_job_wins_over_a_file_here(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jobs/deep").mkdir(parents=True)
    (tmp_path / "jobs/orders.py").touch()
    (tmp_path / "jobs/deep/job.yaml").touch()
    (tmp_path / "pyproject.toml").write_text(written.format("jobs/orders.py:nightly"), encoding="utf-8")
    monkeypatch.chdir(tmp_path / "jobs")
    assert find_job(None) == "orders.py:nightly"
    monkeypatch.chdir(tmp_path / "jobs/deep")
    assert find_job(None) == f"{tmp_path / 'jobs/orders.py'}:nightly"


def test_a_configured_job_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.plan]\njob = "gone.py"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=r"gone\.py"):
        find_job(None)


def test_a_file_is_replaced_in_one_step_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    write_whole(target, "new")
    assert target.read_text(encoding="utf-8") == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["out.svg"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.svg"
    target.write_text("old", encoding="utf-8")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OptionError, match="No space left"):
        write_whole(target, b"new")
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.svg"]


def test_a_folder_that_is_missing_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot write"):
        write_whole(tmp_path / "missing/out.svg", "x")
    with pytest.raises(OptionError, match="folder"):
        write_whole(tmp_path, "x")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.svg").write_text("old", encoding="utf-8")
    (tmp_path / "link.svg").symlink_to(tmp_path / "real.svg")
    write_whole(tmp_path / "link.svg", "new")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_text(encoding="utf-8") == "new"
