"""Whether our physical stage says what a running Flink did: every recorded case against our own prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from planner.deployment.cluster import Cluster
from planner.deployment.costs import count_costs
from planner.deployment.failover import RELEASE_OPTION, plan_failover
from planner.deployment.layout import Layout, lay_out
from planner.deployment.placement import Placement, place_slots
from planner.deployment.schedule import Schedule, schedule_executions
from planner.deployment.starting import FLINK_SAYS, find_starting
from planner.flink.profile import LoadBalanceMode
from planner.frontends.yaml.loader import load_job_data
from planner.pipeline import Plan, plan

__all__ = ["disagreements"]

_ONLY_HERE = ("records",)  # keys of the harness that are none of the job format
_ONLY_ON_OPERATORS = ("pause",)


def disagreements(recorded: dict[str, Any]) -> list[str]:
    """Where Flink did something else than we say; empty where all agrees."""
    return list(_CHECKS[recorded["measure"]](recorded, recorded["observed"]))


def _plan(recorded: dict[str, Any]) -> Plan:
    job = {key: value for key, value in recorded["job"].items() if key not in _ONLY_HERE}
    job["operators"] = [
        {key: value for key, value in operator.items() if key not in _ONLY_ON_OPERATORS}
        for operator in job["operators"]
    ]
    return plan(load_job_data(job))


def _cluster(recorded: dict[str, Any]) -> Cluster:
    return Cluster(task_managers=recorded["task_managers"], slots=recorded["slots"])


def _layout(recorded: dict[str, Any], mode: LoadBalanceMode = "none") -> Layout:
    layout = lay_out(_plan(recorded), mode)
    assert layout is not None
    return layout


def _placed(recorded: dict[str, Any], mode: LoadBalanceMode = "none") -> tuple[Layout, Placement]:
    layout = _layout(recorded, mode)
    placement = place_slots(layout, _cluster(recorded), mode)
    assert placement is not None
    return layout, placement


def _mode(recorded: dict[str, Any]) -> LoadBalanceMode:
    modes: dict[str, LoadBalanceMode] = {"SLOTS": "slots", "TASKS": "tasks", "MIN_RESOURCES": "min-resources"}
    return modes.get(recorded["options"]["taskmanager.load-balance.mode"], "none")


def _placement(recorded: dict[str, Any], observed: dict[str, Any]) -> Iterator[str]:
    layout, placement = _placed(recorded, _mode(recorded))
    counts = sorted((used for used in placement.slots_used if used), reverse=True)
    if observed["slots_per_task_manager"] != [counts]:
        yield f"slots per task manager: {counts}, Flink has {observed['slots_per_task_manager']}"
    slots = [[list(subtask) for subtask in slot] for slot in layout.physical.slots]
    if observed["sharings"] != 1 or observed["slots"] != slots:
        yield f"slots: {slots}, Flink has {observed['slots']}"
    if placement.certain and observed["groupings"] != 1:
        yield f"called certain, and Flink grouped the slots in {observed['groupings']} ways"


def _shortage(recorded: dict[str, Any], observed: dict[str, Any]) -> Iterator[str]:
    layout = _layout(recorded)
    starting = find_starting(layout, _cluster(recorded).total_slots)
    regions = layout.physical.failover_regions
    waiting = sorted(list(subtask) for region in starting.waits for subtask in regions[region])
    if waiting != sorted(observed["waiting"]):
        yield f"waiting: {waiting}, Flink has {observed['waiting']}"
    if observed["message"] != FLINK_SAYS:
        yield f"Flink says {observed['message']}"


def _restart(recorded: dict[str, Any], observed: dict[str, Any]) -> Iterator[str]:
    layout = _layout(recorded)
    fail, placement = recorded["fail"], None
    if "placement" in observed:
        placement = _as_observed(recorded, layout, observed["placement"])
    found = plan_failover(
        layout,
        (fail["vertex"], fail["subtask"]),
        placement,
        lose_task_manager=fail.get("lose", False),
        release=recorded["options"].get(RELEASE_OPTION) != "false",
    )
    regions = layout.physical.failover_regions
    again = sorted(list(subtask) for restart in found.restarts for subtask in regions[restart.region])
    if again != sorted(observed["restarted"]):
        yield f"restarted: {again}, Flink has {observed['restarted']}"


def _as_observed(recorded: dict[str, Any], layout: Layout, managers: list[Any]) -> Placement:
    """The placement in which Flink had begun every subtask; what had not begun is nowhere near the loss."""
    on = {tuple(subtask): number for number, slots in enumerate(managers) for slot in slots for subtask in slot}
    placement = place_slots(layout, Cluster(task_managers=len(layout.physical.slots), slots=1))
    assert placement is not None
    return replace(placement, task_managers=tuple(on.get(slot[0], -1) for slot in layout.physical.slots))


def _schedule(recorded: dict[str, Any], observed: dict[str, Any]) -> Iterator[str]:
    """Every subtask goes through our states, and none is scheduled before what we say it waits for is finished."""
    layout = _layout(recorded)
    schedule = schedule_executions(layout.job_graph, layout, "regions")
    batch = layout.job_graph.dynamic
    states = ["CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", *(["FINISHED"] if batch else [])]
    if observed["states"] != [[states, layout.first[-1]]]:
        yield f"states: {states} for {layout.first[-1]} subtasks, Flink has {observed['states']}"
    planned = _scheduled_steps(schedule)
    entered = [(at, tuple(subtask)) for subtask, at in observed["entered"]["SCHEDULED"]]
    for (before, one), (after, other) in pairwise(entered):
        if before < after and planned[one] > planned[other]:
            yield f"{one} is scheduled after {other} here, and before it in Flink"


def _scheduled_steps(schedule: Schedule) -> dict[tuple[int, ...], int]:
    return {
        (execution.vertex, subtask): execution.scheduled
        for execution in schedule.executions
        for low, high in execution.subtasks or ()
        for subtask in range(low, high + 1)
    }


def _buffers(recorded: dict[str, Any], observed: dict[str, Any]) -> Iterator[str]:
    layout, placement = _placed(recorded)
    fullest = count_costs(layout, _cluster(recorded), placement).fullest
    fewest = fullest.buffers.fewest if fullest else 0
    if fewest != observed["fewest"]:
        yield f"fewest buffers: {fewest}, Flink has {observed['fewest']}"


_CHECKS = {
    "placement": _placement,
    "shortage": _shortage,
    "restart": _restart,
    "schedule": _schedule,
    "buffers": _buffers,
}
