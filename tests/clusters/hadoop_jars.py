"""Hadoop's resource manager and node manager: jars of PySpark's own version, fetched by Maven into `.cache/` once."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.clusters.servers import SPARK_HOME
from tests.clusters.worker_python import ROOT

# The minicluster leaves out what only its servers need: a certificate library and the old logging classes.
ARTIFACTS = (
    ("org.apache.hadoop", "hadoop-client-minicluster", None),
    ("org.bouncycastle", "bcpkix-jdk18on", "1.82"),
    ("org.slf4j", "slf4j-reload4j", "1.7.36"),
)
PATIENCE = 300.0
REQUIRED = "PLAN_REQUIRE_YARN"


class NoHadoop(Exception):
    """Why there is no YARN here."""


def required() -> bool:
    """Whether a missing YARN is a failure, as it is in CI where there is Maven."""
    return os.environ.get(REQUIRED) == "1"


@cache
def hadoop_jars() -> Path:
    """The folder with the jars; `NoHadoop` says why there is none."""
    home = ROOT / ".cache" / f"hadoop-{_version()}"
    if not home.is_dir():
        maven = shutil.which("mvn")
        if maven is None:
            raise NoHadoop("YARN's servers come through Maven, and there is no mvn on PATH")
        _fetch(maven, home)
    return home


def _version() -> str:
    jar = next((SPARK_HOME / "jars").glob("hadoop-client-api-*.jar"))
    return jar.stem.removeprefix("hadoop-client-api-")


def _fetch(maven: str, home: Path) -> None:
    home.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(_project(), encoding="utf-8")
        command = [maven, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"]
        try:
            done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise NoHadoop(f"mvn did not fetch Hadoop within {PATIENCE:g} s") from None
        if done.returncode:
            said = (done.stdout + done.stderr).strip().splitlines()
            raise NoHadoop(f"mvn could not fetch Hadoop: {said[0] if said else done.returncode}")
        try:
            (Path(scratch) / "jars").rename(home)
        except OSError:
            assert home.is_dir(), "another test process was expected to have fetched them"


def _project() -> str:
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version or _version()}</version></dependency>"
        for group, name, version in ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>plan.tests</groupId><artifactId>yarn</artifactId><version>1</version>"
        f"<dependencies>{wanted}</dependencies></project>\n"
    )
