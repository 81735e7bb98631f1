"""Placing 100,000 subtasks on 5,000 task managers, next to planning the same job."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.jobs import wide
from benchmarks.measure import Figure
from planner.deployment.deployment import plan_deployment
from planner.deployment.request import DeploymentRequest
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import Plan, plan

TITLE = "placement"
TASK_MANAGERS = 5_000
SLOTS = 2
ROUNDS = 3


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Placement, schedule and costs of ten vertices that fill every slot."""
    managers = TASK_MANAGERS // (10 if quick else 1)
    planning, deploying = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        made = plan(load_job_data(wide(managers * SLOTS), Location("wide.yaml", 1)))
        planned = time.perf_counter()
        _deploy(made, managers)
        planning.append(planned - start)
        deploying.append(time.perf_counter() - planned)
    yield Figure(
        what=f"{10 * managers * SLOTS:,} subtasks on {managers:,} task managers",
        ours=min(deploying),
        other="planning the job",
        theirs=min(planning),
    )


def _deploy(made: Plan, managers: int) -> None:
    request = DeploymentRequest(task_managers=managers, slots=SLOTS, schedule="eager")
    if plan_deployment(made, request).placement is None:
        raise RuntimeError("the job did not fit")
