"""The same jobs on every master: the records and the figures are those of the local run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.plan_runs import JOBS, SAMPLES, Finished, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

# Python with state, windows, side outputs and modules beside; SQL alone; every way of moving records.
JOBS_TO_RUN = (
    SAMPLES / "order_enrichment" / "job.py",
    SAMPLES / "two_streams_join" / "job.yaml",
    JOBS / "partitions" / "job.py",
)
every_job = pytest.mark.parametrize("job", JOBS_TO_RUN, ids=lambda job: job.parent.name)


@cache
def locally(job: Path) -> Finished:
    """The job's run on this machine alone, which the others are compared with."""
    run = run_plan(job, "local[2]")
    assert run.code == 0, run.errors
    assert run.printed
    return run


@every_job
def test_standalone(job: Path, standalone: StandaloneCluster) -> None:
    run_plan(job, standalone.url).check_like(locally(job))


@every_job
def test_connect(job: Path, connect: ConnectServer) -> None:
    run_plan(job, connect.url).check_like(locally(job))


@pytest.mark.parametrize("job", (JOBS_TO_RUN[0], JOBS_TO_RUN[2]), ids=lambda job: job.parent.name)
def test_yarn(job: Path, yarn: YarnCluster) -> None:
    run_plan(job, "yarn", settings=yarn.settings, environment=yarn.environment).check_like(locally(job))
