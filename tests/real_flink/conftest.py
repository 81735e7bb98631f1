"""Real Flink from PyPI: its jars are downloaded once into `.cache`, and a JDK compiles the programs of this folder."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
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
    """The jobs by name, once each has completed checkpoints and measured how busy all of its vertices are."""
    found = {job["name"]: f"{address}/jobs/{job['jid']}" for job in _get(f"{address}/jobs/overview")["jobs"]}
    for job in found.values():
        wait_for(lambda job=job: _get(f"{job}/checkpoints")["counts"]["completed"] >= 2)
        for vertex in _get(job)["vertices"]:
            place = f"{job}/vertices/{vertex['id']}/backpressure"
            wait_for(lambda place=place: _get(place).get("subtasks"))
    return found


def _get(address: str) -> Any:
    with urlopen(address, timeout=30) as answer:
        return json.load(answer)


def wait_for(ready: Callable[[], object]) -> None:
    """Wait until something is so; a busy machine may take its time."""
    for _ in range(240):
        if ready():
            return
        time.sleep(0.5)
    raise AssertionError("the cluster did not get there in two minutes")
