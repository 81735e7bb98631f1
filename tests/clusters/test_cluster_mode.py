"""YARN's cluster mode: a driver on the cluster restarts, tells its figures, and ends when it is told to."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clusters.marks import JOB, Marks
from tests.clusters.plan_runs import Started, driver_environment, run_locally
from tests.clusters.servers import processes_in, wait_until
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

ON_THE_CLUSTER = ("--deploy-mode", "cluster")
NAME = "three vertices"


@pytest.fixture
def marks(tmp_path: Path) -> Marks:
    return Marks(tmp_path)


def applications(yarn: YarnCluster) -> dict[str, str]:
    """The job's applications, and how each ended."""
    return {one["id"]: one["finalStatus"] for one in yarn.applications() if one["name"] == NAME}


def check_killed(yarn: YarnCluster, before: dict[str, str]) -> None:
    """Assert that one application was begun since, that YARN ended it, and that nothing of it runs any more."""
    (new,) = set(applications(yarn)) - set(before)
    wait_until(lambda: applications(yarn)[new] == "KILLED", f"{new} to be killed")
    for node in range(len(yarn.nodes)):
        left = yarn.folder / f"node{node}" / "local"
        wait_until(lambda left=left: not processes_in(left), f"the containers of node {node} to end")


def test_a_run_restarts_with_its_driver_and_tells_its_figures(yarn: YarnCluster, marks: Marks) -> None:
    """Two failures: the attempt after them has the records and the figures of an undisturbed run."""
    settings = yarn.settings | {"spark.task.maxFailures": "1"}
    restarts = {"PLAN_TEST_RESTARTS": "2", "PLAN_TEST_PAUSE": "0"}
    with marks.start(
        "yarn",
        *ON_THE_CLUSTER,
        misfortunes="fail-twice",
        environment=yarn.environment,
        settings=settings,
        more=restarts,
    ) as started:
        run = started.end()
    run.check_like(run_locally(JOB))
    assert run.report["attempt"] in (2, 3)  # both failures may be of one attempt
    assert marks.count("fail-twice") == 2
    for vertex in run.report["vertices"]:
        assert vertex["stages"]
        assert all(subtask["host"] for subtask in vertex["subtasks"])
    assert sum(vertex["shuffle_write"] for vertex in run.report["vertices"]) > 0
    assert applications(yarn)[run.report["application"]] == "SUCCEEDED"


def test_ctrl_c_ends_the_application(yarn: YarnCluster, marks: Marks) -> None:
    before = applications(yarn)
    with marks.start("yarn", *ON_THE_CLUSTER, environment=yarn.environment, settings=yarn.settings) as run:
        marks.place_of("first", run)
        run.send(signal.SIGINT)
        ended = run.end()
    assert (ended.code, ended.report["state"]) == (130, "CANCELED"), ended.errors
    check_killed(yarn, before)


def test_cancelling_ends_an_application_whose_driver_is_not_there_yet(yarn: YarnCluster, marks: Marks) -> None:
    before = applications(yarn)
    with marks.start(
        "yarn", *ON_THE_CLUSTER, "--id", "early", environment=yarn.environment, settings=yarn.settings
    ) as run:
        wait_until(lambda: len(applications(yarn)) > len(before) or not run.alive, "the application to be accepted")
        _cancel(run, "early")
        ended = run.end()
    assert (ended.code, ended.report["state"]) == (3, "CANCELED"), ended.errors
    check_killed(yarn, before)
    assert not marks.count("first")


def _cancel(run: Started, name: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "cli", "cancel", name],
        cwd=run.folder,
        env=driver_environment(),
        check=True,
        capture_output=True,
        timeout=60,
    )
