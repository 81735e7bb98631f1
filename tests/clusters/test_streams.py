"""Streams on every master: output as the reference gives it, while executors, workers and clients die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.plan_runs import Started, driver_environment, run_plan, start_plan
from tests.clusters.servers import wait_until
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import build_python
from tests.clusters.yarn import YarnCluster
from tests.spark_runner.pyflink.test_streams import INPUT, WRITTEN, feed, script_in, written_by
from tests.spark_runner.streaming.test_kills import JOB, batches, check_output, write_input

MOMENTS = 5


def options(folder: Path) -> tuple[str, ...]:
    """A stream with its checkpoint in a folder that everybody sees."""
    return "--mode", "streaming", "--checkpoint", str(folder / "checkpoint")


def surroundings(folder: Path, kind: str, **more: str) -> dict[str, str]:
    """What the job looks for in its environment."""
    return {"KILLED_JOB_FOLDER": str(folder), "KILLED_JOB_KIND": kind, **more}


def check_whole_run(
    folder: Path,
    master: str,
    *,
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """A stream from its start to its end, against the reference, with exact counts."""
    found = write_input(folder, Random(3), files=4)
    variables = surroundings(folder, "windows", **(environment or {}))
    run = run_plan(JOB, master, *options(folder), settings=settings, environment=variables)
    assert run.code == 0, run.errors
    check_output("windows", folder, found)
    assert run.counts["map-1"] == (len(found), len(found))
    assert run.report["batches"][-1]["vertices"][1]["watermark"] is not None


def test_connect(connect: ConnectServer, tmp_path: Path) -> None:
    check_whole_run(tmp_path, connect.url)


@pytest.mark.cluster
def test_a_pyflink_script_continues_over_connect(connect: ConnectServer, tmp_path: Path) -> None:
    script = script_in(tmp_path)
    for number in range(len(INPUT)):
        feed(tmp_path, number)
        checkpoint = ("--checkpoint", str(tmp_path / "checkpoint"))
        run = run_plan(script, connect.url, "--trigger", "available-now", *checkpoint)
        assert run.code == 0, run.errors
    assert written_by(tmp_path) == WRITTEN


def test_standalone(standalone: StandaloneCluster, tmp_path: Path) -> None:
    check_whole_run(tmp_path, standalone.url)


@pytest.mark.cluster
def test_yarn(yarn: YarnCluster, tmp_path: Path) -> None:
    check_whole_run(tmp_path, "yarn", settings=yarn.settings, environment=yarn.environment)


# --- parts of the cluster die


@pytest.fixture
def own_cluster() -> Iterator[StandaloneCluster]:
    """A cluster that loses its parts."""
    with StandaloneCluster() as cluster:
        yield cluster


def kill_at_moments(run: Started, folder: Path, random: Random, kill: Callable[[], None]) -> list[int]:
    """Kill something some time after a new batch began, again and again; the numbers of the batches that were hit."""
    hit: list[int] = []
    while run.alive and len(hit) < MOMENTS:
        before = batches(folder)
        wait_until(lambda before=before: batches(folder) > before or not run.alive, "a new batch", patience=900)
        time.sleep(random.uniform(0, 2))
        if run.alive:
            kill()
            hit.append(batches(folder) - 1)
    return hit


@pytest.mark.cluster
@pytest.mark.parametrize("what", ["executor", "worker"])
def test_parts_of_the_cluster_die(what: str, own_cluster: StandaloneCluster, tmp_path: Path) -> None:
    random = Random(7)
    found = write_input(tmp_path, random, files=4 * MOMENTS)

    def kill() -> None:
        living = [n for n, worker in enumerate(own_cluster.workers) if worker.alive]
        busy = [n for n in living if own_cluster.executors(n)] or living
        if what == "executor":
            own_cluster.kill_executor(random.choice(busy))
        else:
            own_cluster.kill_worker(random.choice(busy))
            own_cluster.start_worker()

    variables = surroundings(tmp_path, "windows")
    with start_plan(JOB, own_cluster.url, *options(tmp_path), environment=variables) as run:
        hit = kill_at_moments(run, tmp_path, random, kill)
        ended = run.end(patience=900)
    assert ended.code == 0, ended.errors
    counts = check_output("windows", tmp_path, found)
    assert ended.counts["map-1"] == (len(found), len(found))  # exact, whatever ran twice
    print(f"\n{what} killed in the batches {hit}; as the reference: {counts}")
    assert len(hit) == MOMENTS


# --- a client dies


def command(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command of `plan`, as a user gives it."""
    return subprocess.run(
        [sys.executable, "-m", "cli", *words],
        cwd=folder, env=driver_environment(), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.cluster
def test_a_stream_whose_client_was_killed_is_found_and_ended(connect: ConnectServer, tmp_path: Path) -> None:
    write_input(tmp_path, Random(5), files=4)
    variables = surroundings(tmp_path, "sums")
    endless = (*options(tmp_path), "--trigger", "processing-time=0s", "--id", "lonely")
    with start_plan(JOB, connect.url, *endless, environment=variables) as run:
        wait_until(lambda: batches(tmp_path) > 1, "the first batches", patience=900)
        run.send(signal.SIGKILL)
        wait_until(lambda: not run.alive, "the client's end")
        listed = json.loads(command("runs", "lonely", "--format", "json", folder=run.folder).stdout)
        assert listed["state"] == "FAILED" and "`plan cancel lonely` ends it" in listed["message"]
        before = batches(tmp_path)
        late = tmp_path / "in" / "999.txt"
        late.write_text("a,1,100000\n")
        wait_until(lambda: batches(tmp_path) > before, "a batch without a client", patience=600)
        ended = command("cancel", "lonely", folder=run.folder)
        assert ended.returncode == 0 and "its query was ended on the server" in ended.stdout, ended.stderr
        after = batches(tmp_path)
        os.utime(late)
        (tmp_path / "in" / "999b.txt").write_text("a,1,100001\n")
        time.sleep(5)
        assert batches(tmp_path) == after


# --- what a cluster lacks


@pytest.mark.cluster
def test_workers_without_protobuf_are_named_before_the_start(standalone: StandaloneCluster, tmp_path: Path) -> None:
    bare = build_python(tmp_path / "bare", ("pyspark", "pyarrow"))
    write_input(tmp_path, Random(5), files=1)
    variables = surroundings(tmp_path, "sums", PYSPARK_PYTHON=str(bare / "bin" / "python"))
    run = run_plan(JOB, standalone.url, *options(tmp_path), environment=variables)
    run.check_refusal("no protobuf", "pip install protobuf")
    assert not batches(tmp_path)
