"""Placing 100,000 subtasks on 5,000 task managers, next to planning the same job."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figure import Figure, compare
from benchmarks.jobs import wide
from benchmarks.measure import in_turns, timed
from planner.deployment.deployment import plan_deployment
from planner.deployment.request import DeploymentRequest
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import Plan, plan

TASK_MANAGERS = 5_000
SLOTS = 2


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Placement, schedule and costs of ten vertices that fill every slot."""
    managers = TASK_MANAGERS // (10 if quick else 1)
    made = _planned(managers)
    runs = {"plan": timed(lambda: _planned(managers)), "deploy": timed(lambda: _deploy(made, managers))}
    costs = in_turns(runs, rounds=5)
    what = f"{10 * managers * SLOTS:,} subtasks on {managers:,} task managers"
    yield compare(what, costs, "deploy", "plan", other="planning the job")


def _planned(managers: int) -> Plan:
    return plan(load_job_data(wide(managers * SLOTS), Location("wide.yaml", 1)))


def _deploy(made: Plan, managers: int) -> None:
    request = DeploymentRequest(task_managers=managers, slots=SLOTS, schedule="eager")
    if plan_deployment(made, request).placement is None:
        raise RuntimeError("the job did not fit")
