"""Spark of another version than ours: its scripts and jars, fetched by pip into `.cache/` once."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from tests.clusters.worker_python import ROOT

VERSION = "4.0.1"
WANTED = ("bin", "jars")
PATIENCE = 300.0


class NoOtherSpark(Exception):
    """Why there is no other Spark here."""


@cache
def other_spark() -> Path:
    """A SPARK_HOME of that version, without its Python; `NoOtherSpark` says why there is none."""
    home = ROOT / ".cache" / f"spark-{VERSION}"
    if not home.is_dir():
        home.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
            _download(Path(scratch))
            _unpack(Path(scratch), home)
    return home


def _download(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    try:
        done = subprocess.run(
            [*command, "-d", str(folder), f"pyspark=={VERSION}"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoOtherSpark(f"pip did not fetch PySpark {VERSION} within {PATIENCE:g} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise NoOtherSpark(f"pip could not fetch PySpark {VERSION}: {said[-1] if said else done.returncode}")


def _unpack(folder: Path, home: Path) -> None:
    (package,) = folder.glob("*.tar.gz")
    inside = tuple(f"pyspark-{VERSION}/deps/{name}/" for name in WANTED)
    with tarfile.open(package) as archive:
        for member in archive:
            if member.name.startswith(inside):
                archive.extract(member, folder, filter="tar")
    try:
        (folder / f"pyspark-{VERSION}" / "deps").rename(home)
    except OSError:
        assert home.is_dir(), "another test process was expected to have fetched it"
