"""The archive of classes: which files a JVM is told to use, and when one is made."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from planner.machine.class_archive import ClassArchive
from planner.machine.java import JavaRuntime, find_java


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClassArchive:
    """The archive of this machine's Java, with an empty cache."""
    java = find_java()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PLAN_CLASS_ARCHIVE", "on")
    monkeypatch.delenv("CI", raising=False)
    made = ClassArchive(java=java, name="some-classes", depends=("1.0",), builder=("some.module",))
    made.path.parent.mkdir(parents=True, exist_ok=True)
    return made


def test_the_options_name_what_is_there(archive: ClassArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    assert archive.options() == ()
    archive.path.touch()
    assert archive.options()[0] == f"-XX:SharedArchiveFile={archive.path}"
    base = archive.path.with_suffix(".base.jsa")
    base.touch()
    assert archive.options()[0] == f"-XX:SharedArchiveFile={base}:{archive.path}"
    monkeypatch.setenv("PLAN_CLASS_ARCHIVE", "off")
    assert archive.options() == ()


def test_other_versions_have_another_archive(archive: ClassArchive) -> None:
    assert replace(archive, depends=("1.1",)).path != archive.path


def test_an_archive_is_made_of_what_a_jvm_loads(archive: ClassArchive) -> None:
    program = str(archive.java.executable)

    def train(options: object) -> int:
        return subprocess.run([program, *options, "-version"], capture_output=True, check=False).returncode  # type: ignore[misc]

    assert archive.build(train)
    used = [program, *archive.options(), "-Xshare:on", "-version"]
    assert subprocess.run(used, capture_output=True, check=False).returncode == 0


def test_a_java_that_could_not_make_one_is_not_asked_by_every_run(
    archive: ClassArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not archive.build(lambda options: 1)
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    archive.build_in_background()
    assert started == []
    replace(archive, depends=("1.1",)).build_in_background()
    assert len(started) == 1


def test_a_runtime_without_an_archive_of_its_own_gets_one(archive: ClassArchive, tmp_path: Path) -> None:
    """As trimmed runtimes do, this one says that it has none."""
    java = archive.java
    trimmed = tmp_path / "trimmed" / "bin" / "java"
    trimmed.parent.mkdir(parents=True)
    trimmed.write_text(
        f'#!/bin/sh\ncase "$1" in -Xshare:on) exit 1 ;; esac\nexec "{java.executable}" "$@"\n', encoding="utf-8"
    )
    trimmed.chmod(0o755)
    made = replace(archive, java=JavaRuntime(home=trimmed.parents[1], version=java.version))
    (option,) = made._make_base()
    base = made.path.with_suffix(".base.jsa")
    assert option == f"-XX:SharedArchiveFile={base}" and base.stat().st_size
    answer = subprocess.run([str(java.executable), option, "-Xshare:on", "-version"], capture_output=True, check=False)
    assert answer.returncode == 0, answer.stdout
