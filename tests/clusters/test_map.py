"""`samples/cluster_map` on a cluster, drawn: which subtask ran on which machine, in which attempt."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.clusters.plan_runs import SAMPLES, Started, driver_environment, start_plan
from tests.clusters.servers import HOSTS
from tests.clusters.standalone import StandaloneCluster

pytestmark = pytest.mark.cluster

JOB = SAMPLES / "cluster_map" / "job.py"


def drawn(run: Started, name: str, format: str) -> bytes:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "cli",
            "render",
            str(JOB),
            "--stage",
            "physical",
            "--run",
            name,
            "-f",
            format,
            "-o",
            "-",
        ],
        cwd=run.folder,
        env=driver_environment(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_map_of_a_run(standalone: StandaloneCluster) -> None:
    with start_plan(JOB, standalone.url, "--id", "map") as run:
        finished = run.end()
        assert finished.code == 0, finished.errors
        svg, png = drawn(run, "map", "svg").decode(), drawn(run, "map", "png")
    workers = set(HOSTS[1:3])
    stamped = [re.fullmatch(r"\((\S+) process (\d+),(\d+)\)", line) for line in finished.printed]
    assert {stamp[1] for stamp in stamped if stamp} <= workers
    assert sum(int(stamp[3]) for stamp in stamped if stamp) == 400
    subtasks = [(vertex["name"], one) for vertex in finished.report["vertices"] for one in vertex["subtasks"]]
    assert len(subtasks) == 4 + 4 + 2
    words = re.sub(r"&#45;|-", "-", svg)
    for _, one in subtasks:
        assert one["host"] in workers
        assert f">{one['host']}<" in words
        assert f"subtask {one['subtask']}: {one['seconds']:.2f} s, attempt {one['attempt'] + 1}" in words
    assert png.startswith(b"\x89PNG")
