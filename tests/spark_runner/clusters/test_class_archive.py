"""The archive of classes: which files a JVM is told to use, and when one is made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from planner.machine.java import JavaRuntime, find_java
from spark_runner.clusters import class_archive


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JavaRuntime:
    """This machine's Java, with an empty cache."""
    found = find_java()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PLAN_CLASS_ARCHIVE", "on")
    monkeypatch.delenv("CI", raising=False)
    class_archive.archive_path(found).parent.mkdir(parents=True, exist_ok=True)
    return found


def test_the_options_name_what_is_there(java: JavaRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = class_archive.archive_path(java)
    assert class_archive.archive_options(java) == ()
    archive.touch()
    assert class_archive.archive_options(java)[0] == f"-XX:SharedArchiveFile={archive}"
    base = archive.with_suffix(".base.jsa")
    base.touch()
    assert class_archive.archive_options(java)[0] == f"-XX:SharedArchiveFile={base}:{archive}"
    monkeypatch.setenv("PLAN_CLASS_ARCHIVE", "off")
    assert class_archive.archive_options(java) == ()


def test_a_java_that_could_not_make_one_is_not_asked_by_every_run(
    java: JavaRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    class_archive.build_archive_in_background(java)
    assert len(started) == 1
    monkeypatch.setattr(class_archive, "_make_base", lambda java, archive: ())
    monkeypatch.setattr(class_archive, "_train", lambda java, archive, options: 1)
    assert not class_archive.build_archive(java)
    class_archive.build_archive_in_background(java)
    assert len(started) == 1


def test_a_runtime_without_an_archive_of_its_own_gets_one(java: JavaRuntime, tmp_path: Path) -> None:
    """As trimmed runtimes do, this one says that it has none."""
    trimmed = tmp_path / "trimmed" / "bin" / "java"
    trimmed.parent.mkdir(parents=True)
    trimmed.write_text(
        f'#!/bin/sh\ncase "$1" in -Xshare:on) exit 1 ;; esac\nexec "{java.executable}" "$@"\n', encoding="utf-8"
    )
    trimmed.chmod(0o755)
    runtime = JavaRuntime(home=trimmed.parents[1], version=java.version)
    archive = class_archive.archive_path(runtime)
    (option,) = class_archive._make_base(runtime, archive)
    base = archive.with_suffix(".base.jsa")
    assert option == f"-XX:SharedArchiveFile={base}" and base.stat().st_size
    answer = subprocess.run([str(java.executable), option, "-Xshare:on", "-version"], capture_output=True, check=False)
    assert answer.returncode == 0, answer.stdout
