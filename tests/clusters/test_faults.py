"""Clusters that lose their parts while a job runs: right records, exact figures, or one message and exit 3."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clusters.high_availability import HighAvailabilityCluster
from tests.clusters.marks import JOB, VERTICES, Marks
from tests.clusters.plan_runs import JOBS, Finished, run_locally, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster


@pytest.fixture
def marks(tmp_path: Path) -> Marks:
    return Marks(tmp_path)


@pytest.fixture(scope="module")
def undisturbed() -> Finished:
    """The job where nothing happens to it."""
    run = run_locally(JOB)
    assert len(run.printed) == 40
    return run


def worker_at(place: Path, cluster: StandaloneCluster) -> int:
    """The number of the worker whose executor works in a folder."""
    return int(place.relative_to(cluster.folder.resolve()).parts[0].removeprefix("worker"))


def test_a_worker_dies_in_every_stage(
    high_availability: HighAvailabilityCluster, marks: Marks, undisturbed: Finished
) -> None:
    with marks.start(high_availability.url) as run:
        for vertex in VERTICES:
            high_availability.kill_worker(worker_at(marks.place_of(vertex, run), high_availability))
            high_availability.start_worker()
        run.end().check_like(undisturbed)
    high_availability.wait_for_workers()


def test_python_exits_a_task_fails_twice_an_executor_dies(
    high_availability: HighAvailabilityCluster, marks: Marks, undisturbed: Finished
) -> None:
    with marks.start(high_availability.url, misfortunes="exit-once fail-twice") as run:
        high_availability.kill_executor(worker_at(marks.place_of("third", run), high_availability))
        run.end().check_like(undisturbed)
    assert (marks.count("exit-once"), marks.count("fail-twice")) == (1, 2)


def test_the_leading_master_dies_in_the_middle_of_a_stage(
    high_availability: HighAvailabilityCluster, marks: Marks, undisturbed: Finished
) -> None:
    first = high_availability.leader
    with marks.start(high_availability.url) as run:
        marks.place_of("second", run)
        high_availability.kill_leader()
        assert not marks.count("third")
        run.end().check_like(undisturbed)
    high_availability.wait_for_workers()
    assert high_availability.leader is not first
    job = JOBS / "sums" / "job.yaml"  # a new run finds the one that leads now
    run_plan(job, high_availability.url).check_like(run_locally(job))


def test_a_node_manager_dies(yarn: YarnCluster, marks: Marks, undisturbed: Finished) -> None:
    with marks.start("yarn", settings=yarn.settings, environment=yarn.environment) as run:
        place = marks.place_of("second", run)
        node = int(place.relative_to(yarn.folder.resolve()).parts[0].removeprefix("node"))
        yarn.kill_node(node)
        run.end().check_like(undisturbed)
    yarn.revive_node(node)


def test_nobody_is_left(high_availability: HighAvailabilityCluster, marks: Marks) -> None:
    """Last of those that harm this cluster."""
    with marks.start(high_availability.url, "--timeout", "60s") as run:
        marks.place_of("first", run)
        for worker in range(len(high_availability.workers)):
            high_availability.kill_worker(worker)
        run.end().check_refusal("--timeout")
