"""The same jobs on every master: the records and the figures are those of the local run.

One job on a standalone cluster and all of them on Connect belong to every run of the tests, the others to
`make test-clusters`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.plan_runs import JOBS, SAMPLES, run_locally, run_plan
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.yarn import YarnCluster

JOBS_TO_RUN = (
    SAMPLES / "order_enrichment" / "job.py",  # two inputs with shared state, side outputs, asynchronous calls, windows
    JOBS / "keyed" / "job.py",  # state with timers, a side output that is written, windows
    JOBS / "partitions" / "job.py",  # every way of moving records
    JOBS / "sums" / "job.yaml",  # SQL alone: a sum, a join, two sinks
)
every_job = pytest.mark.parametrize("job", JOBS_TO_RUN, ids=lambda job: job.parent.name)


@pytest.mark.parametrize(
    "job",
    [JOBS_TO_RUN[0], *(pytest.param(job, marks=pytest.mark.cluster) for job in JOBS_TO_RUN[1:])],
    ids=lambda job: job.parent.name,
)
def test_standalone(job: Path, standalone: StandaloneCluster) -> None:
    run_plan(job, standalone.url).check_like(run_locally(job))


@every_job
def test_connect(job: Path, connect: ConnectServer) -> None:
    run_plan(job, connect.url).check_like(run_locally(job))


@pytest.mark.cluster
@every_job
def test_yarn(job: Path, yarn: YarnCluster) -> None:
    run_plan(job, "yarn", settings=yarn.settings, environment=yarn.environment).check_like(run_locally(job))
