"""Jobs and clusters that the tests of deployments share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from planner.deployment.cluster import Cluster
from planner.deployment.layout import Layout, lay_out
from planner.errors import PlanningError
from planner.frontends.yaml.loader import load_job_data, load_yaml
from planner.job import Location
from planner.pipeline import Plan, plan
from tests.support.strategies import PARALLELISMS, Job, jobs

SAMPLES = Path(__file__).parents[2] / "samples"


def compiled(job: Job) -> Plan:
    return plan(load_job_data(job, Location("job.yaml", 1)))


def sample(name: str) -> Plan:
    return plan(load_yaml(SAMPLES / name / "job.yaml"))


def laid_out(made: Plan) -> Layout:
    layout = lay_out(made)
    assert layout is not None
    return layout


def cluster(task_managers: int, slots: int, **settings: Any) -> Cluster:
    return Cluster(task_managers=task_managers, slots=slots, **settings)


# read[i] and clean[i] are a region for each i; behind a blocking exchange, all of count and write are one.
TWO_STAGES: Job = {
    "name": "two stages",
    "runtime_mode": "batch",
    "operators": [
        {"id": "read", "type": "source", "name": "read", "parallelism": 2},
        {
            "id": "clean",
            "type": "map",
            "name": "clean",
            "input": {"from": "read", "partition": "rescale", "exchange": "pipelined"},
            "parallelism": 2,
        },
        {
            "id": "count",
            "type": "map",
            "name": "count",
            "input": {"from": "clean", "partition": "rebalance"},
            "parallelism": 2,
        },
        {
            "id": "write",
            "type": "sink",
            "name": "write",
            "input": {"from": "count", "partition": "rebalance", "exchange": "pipelined"},
            "parallelism": 2,
        },
    ],
}


@st.composite
def decided_plans(draw: st.DrawFn) -> Plan:
    """Plans of streaming and batch jobs whose every parallelism is known, now and then with operators co-located."""
    mode = draw(st.sampled_from(["streaming", "batch"]))
    job = draw(jobs(runtime_mode=mode))
    for operator in job["operators"]:
        if mode == "batch":
            operator.setdefault("parallelism", draw(PARALLELISMS))
            _mix_exchanges(draw, operator)
    together = draw(st.sets(st.sampled_from([operator["id"] for operator in job["operators"]]), max_size=3))
    co_located = [o | {"co_location_group": "together"} if o["id"] in together else o for o in job["operators"]]
    try:
        return compiled(job | {"operators": co_located})
    except PlanningError:  # not every choice can share a slot for life
        return compiled(job)


def _mix_exchanges(draw: st.DrawFn, operator: Job) -> None:
    """Let half of the written partitions be pipelined, so that regions have more than one vertex."""
    given = operator.get("input")
    if isinstance(given, dict) and draw(st.booleans()):
        given["exchange"] = "pipelined"
