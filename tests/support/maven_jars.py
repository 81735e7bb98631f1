"""Jars for tests: Maven fetches them into `.cache/` once, with its own settings and mirrors."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.support.sources import ROOT

__all__ = ["NoJars", "maven_jars"]

PATIENCE = 300.0
_ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"


class NoJars(Exception):
    """Why there are no jars here."""


@cache
def maven_jars(name: str, artifacts: Sequence[tuple[str, str, str]], *, alone: bool = False) -> Path:
    """The folder of these artifacts (group, artifact, version) with what they depend on, or `alone` without it."""
    home = ROOT / ".cache" / name
    maven = shutil.which("mvn")
    if home.is_dir():
        return home
    if maven is None:
        raise NoJars(f"the jars of {name} come through Maven, and there is no mvn on PATH")
    home.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(_project(artifacts, alone), encoding="utf-8")
        command = [maven, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"]
        try:
            done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise NoJars(f"mvn did not fetch {name} within {PATIENCE:g} s") from None
        if done.returncode:
            raise NoJars(f"mvn could not fetch {name}: {(done.stdout + done.stderr).strip()[:300]}")
        try:
            (Path(scratch) / "jars").rename(home)
        except OSError:
            assert home.is_dir(), "another test process was expected to have fetched them"
    return home


def _project(artifacts: Sequence[tuple[str, str, str]], alone: bool) -> str:
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>"
        f"{_ALONE if alone else ''}</dependency>"
        for group, name, version in artifacts
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>plan.tests</groupId><artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{wanted}</dependencies></project>\n"
    )
