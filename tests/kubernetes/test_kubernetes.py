"""`plan run --master k8s://...` against the real API server: exact results, plain words, and no pod left behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.clusters.marks import JOB as THREE_VERTICES
from tests.clusters.marks import Marks
from tests.clusters.plan_runs import (
    JOBS,
    SAMPLES,
    Finished,
    Started,
    driver_environment,
    run_locally,
    start_plan,
)
from tests.clusters.servers import wait_until
from tests.kubernetes.cluster import KubernetesCluster
from tests.spark_runner.pyflink.test_streams import INPUT, WRITTEN, feed, script_in, written_by
from tests.spark_runner.streaming.test_kills import JOB as KILLED_JOB
from tests.spark_runner.streaming.test_kills import batches, check_output, write_input

pytestmark = pytest.mark.kubernetes
WORD_COUNT = SAMPLES / "word_count" / "job.py"


def start(
    kubernetes: KubernetesCluster,
    job: Path,
    *options: str,
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Started:
    return start_plan(
        job,
        kubernetes.url,
        *options,
        settings={**kubernetes.settings, **(settings or {})},
        environment={**kubernetes.environment, **(environment or {})},
    )


def run(kubernetes: KubernetesCluster, job: Path, *options: str, **more: Any) -> Finished:
    with start(kubernetes, job, *options, **more) as started:
        return started.end()


# --- the same results as elsewhere


@pytest.mark.parametrize("job", [WORD_COUNT, JOBS / "keyed" / "job.py"], ids=lambda job: job.parent.name)
def test_same_as_locally(job: Path, kubernetes: KubernetesCluster) -> None:
    run(kubernetes, job).check_like(run_locally(job))


def test_a_pyflink_script_continues(kubernetes: KubernetesCluster, tmp_path: Path) -> None:
    script = script_in(tmp_path)
    for number in range(len(INPUT)):
        feed(tmp_path, number)
        checkpoint = ("--checkpoint", str(tmp_path / "checkpoint"))
        ended = run(kubernetes, script, "--trigger", "available-now", *checkpoint)
        assert ended.code == 0, ended.errors
    assert written_by(tmp_path) == WRITTEN


# --- pods are lost


def test_a_stream_whose_executors_are_killed(kubernetes: KubernetesCluster, tmp_path: Path) -> None:
    random = Random(7)
    found = write_input(tmp_path, random, files=8)
    variables = {"KILLED_JOB_FOLDER": str(tmp_path), "KILLED_JOB_KIND": "windows"}
    options = ("--mode", "streaming", "--checkpoint", str(tmp_path / "checkpoint"))
    killed: list[str] = []
    with start(kubernetes, KILLED_JOB, *options, environment=variables) as started:
        while started.alive and len(killed) < 2:
            before = batches(tmp_path)
            wait_until(
                lambda before=before: batches(tmp_path) > before or not started.alive, "a new batch", patience=300
            )
            executors = kubernetes.executors()
            if started.alive and executors:
                killed.append(random.choice(executors))
                kubernetes.kubelet.kill(killed[-1])
        ended = started.end(patience=600)
    assert ended.code == 0, ended.errors
    assert len(killed) == 2
    check_output("windows", tmp_path, found)
    assert ended.counts["map-1"] == (len(found), len(found))


def test_a_batch_whose_pod_is_evicted(kubernetes: KubernetesCluster, tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    settings, environment = kubernetes.settings, kubernetes.environment
    with marks.start(kubernetes.url, settings=settings, environment=environment) as started:
        place = marks.place_of("second", started)
        pod = next(pod for pod in kubernetes.pods() if pod["metadata"]["name"] in place.parts)
        kubernetes.kubelet.evict(pod, "The node was low on resource: memory.")
        started.end().check_like(run_locally(THREE_VERTICES))


# --- pods that cannot start


def test_an_image_that_cannot_be_pulled(kubernetes: KubernetesCluster) -> None:
    """One of the ways in which pods do not start, as a user sees it; test_pods.py has the others."""
    missing = {"spark.kubernetes.container.image": "plan.tests/nobody:1"}
    run(kubernetes, WORD_COUNT, settings=missing).check_refusal("plan.tests/nobody:1 cannot be pulled", "pullSecrets")


def test_no_node_has_the_cpu(kubernetes: KubernetesCluster) -> None:
    large = {"spark.kubernetes.executor.request.cores": "64"}
    ended = run(kubernetes, WORD_COUNT, "--timeout", "30s", settings=large)
    ended.check_refusal("--timeout 30s", "no node has enough CPU (64 per pod) free")


def test_more_memory_than_the_limit(kubernetes: KubernetesCluster, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(HUNGRY)
    run(kubernetes, job).check_refusal("it took more memory than its limit", "spark.executor.memory")


HUNGRY = """\
from planner import StreamExecutionEnvironment


def grow(number):
    held = []
    while True:
        held.append(bytearray(2**24))


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2]).map(grow).print()
env.execute("hungry")
"""


# --- an end from outside


def command(*words: str, folder: Path, kubernetes: KubernetesCluster) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli", *words],
        cwd=folder, env=driver_environment(**kubernetes.environment), capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("how", ["cancel", "ctrl-c", "driver killed", "jvm killed"])
def test_an_end_from_outside(how: str, kubernetes: KubernetesCluster, tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    settings, environment = kubernetes.settings, kubernetes.environment
    options = ("--id", "mine")
    with marks.start(kubernetes.url, *options, settings=settings, environment=environment) as started:
        marks.place_of("first", started)
        assert kubernetes.executors()
        if how == "cancel":
            ended = command("cancel", "mine", folder=started.folder, kubernetes=kubernetes)
            assert ended.returncode == 0 and "CANCELED" in ended.stdout, ended.stderr
            assert started.end().code == 3
        elif how == "ctrl-c":
            started.send(signal.SIGINT)
            assert started.end().code == 130
        elif how == "driver killed":
            started.send(signal.SIGKILL)  # its JVM notices, and removes its pods
            wait_until(lambda: not started.alive, "the driver's end")
        else:
            started.kill_jvm()
            started.end().check_refusal("Spark's JVM was killed by SIGKILL")
        kubernetes.wait_until_empty()
        listed = command("runs", "mine", "--format", "json", folder=started.folder, kubernetes=kubernetes)
        expected = {"cancel": "CANCELED", "ctrl-c": "CANCELED"}.get(how, "FAILED")
        assert json.loads(listed.stdout)["state"] == expected


def test_an_end_while_pods_still_wait(kubernetes: KubernetesCluster) -> None:
    large = {"spark.kubernetes.executor.request.cores": "64"}
    with start(kubernetes, WORD_COUNT, settings=large) as started:
        wait_until(lambda: bool(kubernetes.pods()), "a pod that waits")
        started.send(signal.SIGINT)
        assert started.end().code == 130


def test_pods_that_a_killed_run_left_are_removed_by_cancel(kubernetes: KubernetesCluster) -> None:
    """The run and its JVM are killed while the pods wait: nobody is left who could remove them."""
    large = {"spark.kubernetes.executor.request.cores": "64"}
    with start(kubernetes, WORD_COUNT, "--id", "lonely", settings=large) as started:
        wait_until(lambda: bool(kubernetes.pods()), "a pod that waits")
        started.kill_jvm(first=signal.SIGKILL)
        wait_until(lambda: not started.alive, "the run's end")
        assert kubernetes.pods()
        listed = command("runs", "lonely", "--format", "json", folder=started.folder, kubernetes=kubernetes)
        assert "`plan cancel lonely` removes them" in json.loads(listed.stdout)["message"]
        ended = command("cancel", "lonely", folder=started.folder, kubernetes=kubernetes)
        assert ended.returncode == 0 and "its pods were removed" in ended.stdout, ended.stderr
