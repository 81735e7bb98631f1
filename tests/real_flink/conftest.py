"""Real Flink from PyPI: its jars are downloaded once into `.cache`, and a JDK compiles the programs of this folder."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.flink import install, tool
from benchmarks.measure import Unavailable

JAVA = Path(__file__).with_name("java")
EXPORT = Path(__file__).parents[2] / "docs/java/StreamGraphExport.java"


@pytest.fixture(scope="session")
def flink(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs one of the programs, up to its name."""
    if not os.environ.get("PLAN_TEST_FLINK"):
        pytest.skip("real Flink is only asked by make test-flink")
    try:
        java, javac, libraries = tool("java"), tool("javac"), install() / "pyflink" / "lib"
    except Unavailable as reason:
        pytest.skip(str(reason))
    classes = tmp_path_factory.mktemp("classes")
    jars = os.pathsep.join(str(jar) for jar in sorted(libraries.glob("*.jar")))
    sources = [str(EXPORT), *map(str, sorted(JAVA.glob("*.java")))]
    subprocess.run([javac, "-nowarn", "-cp", jars, "-d", str(classes), *sources], check=True, capture_output=True)
    return [java, "-Xmx1500m", "-cp", f"{classes}{os.pathsep}{jars}"]


@pytest.fixture(scope="session")
def cluster(flink: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """A running cluster: the folder with what its jobs exported, and the address of each job by its name."""
    folder = tmp_path_factory.mktemp("cluster")
    command = [*flink, "SmallCluster", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(line.strip() for line in process.stdout if line.startswith("http://"))
            yield folder, _jobs(address)
        finally:
            process.kill()


def _jobs(address: str) -> dict[str, str]:
    """The jobs by name, once each has completed a checkpoint and measured something."""
    with urlopen(f"{address}/jobs/overview", timeout=30) as answer:
        found = {job["name"]: f"{address}/jobs/{job['jid']}" for job in json.load(answer)["jobs"]}
    for job in found.values():
        for _ in range(120):
            with urlopen(f"{job}/checkpoints", timeout=30) as answer:
                if json.load(answer)["counts"]["completed"] >= 2:
                    break
            time.sleep(0.5)
    return found
