"""Too few slots: how many are missing in which slot sharing group, and the changes that would fit.

A change is offered only after the job was compiled with it: it fits, or it is not named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

from planner.deployment.cluster import Cluster
from planner.deployment.layout import Layout, lay_out
from planner.deployment.placement import least_slots
from planner.deployment.starting import FLINK_SAYS, Starting, find_starting, given_slots
from planner.errors import PlanningError
from planner.graphs.job_graph import JobVertex
from planner.job import JobDefinition, Operator
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.records import record

__all__ = ["GroupNeed", "Shortage", "SlotChange", "explain_shortage"]

ChangeKind = Literal["task-managers", "slots", "parallelism", "slot-sharing-group", "schedule"]
_Value = TypeVar("_Value", int, str)


@record
class GroupNeed:
    """What one slot sharing group requires, and how many of the slots Flink gives it."""

    group: str
    required: int
    offered: int


@record
class SlotChange:
    """One change after which the slots suffice."""

    kind: ChangeKind
    sentence: str
    settings: tuple[str, ...] = ()  # as `plan explain --set` takes them; empty for changes of the cluster

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON-ready data."""
        return {"kind": self.kind, "sentence": self.sentence, "settings": list(self.settings)}


@record
class Shortage:
    """A cluster on which not all of the job starts."""

    required: int  # at one time
    offered: int
    groups: tuple[GroupNeed, ...]
    starting: Starting
    changes: tuple[SlotChange, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shortage as JSON-ready data."""
        return {
            "required": self.required,
            "offered": self.offered,
            "missing": self.required - self.offered,
            "groups": [
                {"slot_sharing_group": need.group, "required": need.required, "offered": need.offered}
                for need in self.groups
            ],
            "flink_says": FLINK_SAYS,
            "regions": {
                "start": sorted(self.starting.starts),
                "wait": sorted(self.starting.waits),
                "never": sorted(self.starting.never),
            },
            "changes": [change.to_dict() for change in self.changes],
        }


def explain_shortage(plan: Plan, layout: Layout, cluster: Cluster, *, at_once: bool = False) -> Shortage | None:
    """What is missing, and what would help; None where the slots suffice. `at_once`: all slots are held together."""
    required, offered = least_slots(layout, at_once=at_once), cluster.total_slots
    if required <= offered:
        return None
    if at_once and least_slots(layout) <= offered:
        return _without_eager(layout, cluster)
    found = (
        _more_task_managers(required, cluster),
        _more_slots(required, cluster),
        _less_parallelism(plan, layout, offered),
        _fewer_groups(plan, layout, offered),
    )
    return Shortage(
        required=required,
        offered=offered,
        groups=_needs(layout, offered),
        starting=find_starting(layout, offered, at_once=at_once),
        changes=tuple(change for change in found if change),
    )


def _without_eager(layout: Layout, cluster: Cluster) -> Shortage:
    """Blocking results would let the slots be used in turns, if only the schedule did."""
    required, least = least_slots(layout, at_once=True), least_slots(layout)
    enough = "1 slot is" if least == 1 else f"{least} slots are"
    change = SlotChange(kind="schedule", sentence=f"--schedule regions: {enough} enough when regions run in turns")
    return Shortage(
        required=required,
        offered=cluster.total_slots,
        groups=_needs(layout, cluster.total_slots),
        starting=find_starting(layout, cluster.total_slots, at_once=True),
        changes=(change, _more_task_managers(required, cluster), _more_slots(required, cluster)),
    )


def _needs(layout: Layout, offered: int) -> tuple[GroupNeed, ...]:
    needs: dict[str, list[int]] = {}
    given = set(given_slots(layout, offered))
    for slot, subtasks in enumerate(layout.physical.slots):
        need = needs.setdefault(layout.job_graph.vertices[subtasks[0][0]].sharing, [0, 0])
        need[0] += 1
        need[1] += slot in given
    return tuple(GroupNeed(group=group, required=need[0], offered=need[1]) for group, need in needs.items())


def _more_task_managers(required: int, cluster: Cluster) -> SlotChange:
    wanted = -(-required // cluster.slots)
    more = wanted - cluster.task_managers
    return SlotChange(
        kind="task-managers",
        sentence=f"{more} more task manager{'' if more == 1 else 's'}: {wanted} with {cluster.slots} "
        f"slot{'' if cluster.slots == 1 else 's'} each (--task-managers {wanted})",
    )


def _more_slots(required: int, cluster: Cluster) -> SlotChange:
    wanted = -(-required // cluster.task_managers)
    return SlotChange(
        kind="slots",
        sentence=f"{wanted} slots on each task manager instead of {cluster.slots} (--slots {wanted}, "
        f"taskmanager.numberOfTaskSlots: {wanted})",
    )


def _less_parallelism(plan: Plan, layout: Layout, offered: int) -> SlotChange | None:
    """Cap the parallelism of the largest groups, as high as fits."""
    for caps in _caps(dict(layout.execution_graph.slots_by_group), offered):
        lowered: dict[str, int] = {}
        for vertex in layout.job_graph.vertices:
            if vertex.parallelism > caps[vertex.sharing]:
                lowered |= {operator.key: caps[vertex.sharing] for operator in _operators(plan, vertex)}
        changed = _with_operators(plan.job, lowered, lambda operator, cap: replace(operator, parallelism=cap))
        if lowered and _fits(plan, changed, offered):
            found = _lowering(plan, lowered)
            cap = max(lowered.values())
            several = len(found.settings) > 1 and cap < plan.job.parallelism
            if several and _fits(plan, replace(plan.job, parallelism=cap), offered):
                return _lowering_job(plan, cap)  # one setting suffices
            return found
    return None


def _caps(required: Mapping[str, int], offered: int) -> list[dict[str, int]]:
    """The slots that each group may have: the same highest level for all; and before that, with the rest given out."""
    if offered < len(required):
        return []
    low, high = 1, max(required.values())
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(need, middle) for need in required.values()) <= offered:
            low = middle
        else:
            high = middle - 1
    level = {group: min(need, low) for group, need in required.items()}
    rest = offered - sum(level.values())
    given = dict(level)
    for group in sorted(required):
        if rest and required[group] > low:
            given[group], rest = low + 1, rest - 1
    return [given, level]


def _lowering_job(plan: Plan, cap: int) -> SlotChange:
    return SlotChange(
        kind="parallelism",
        sentence=f"a lower parallelism: job {plan.job.parallelism} -> {cap}",
        settings=(f"job.parallelism={cap}",),
    )


def _lowering(plan: Plan, lowered: Mapping[str, int]) -> SlotChange:
    """The change in words: of the job's default where that is what all these operators run with."""
    before = {node.operator.key: node.parallelism for node in plan.stream_graph.nodes}
    inherited = {node.operator.key for node in plan.stream_graph.nodes if not node.parallelism_configured}
    targets = {key: cap for key, cap in lowered.items() if key not in inherited}
    caps = {lowered.get(key) for key in inherited}
    cap = caps.pop() if len(caps) == 1 else None
    if cap is not None:
        before["job"] = plan.job.parallelism
        targets = {"job": cap, **targets}
    else:
        targets = dict(lowered)
    return SlotChange(
        kind="parallelism",
        sentence="a lower parallelism: " + ", ".join(f"{key} {before[key]} -> {to}" for key, to in targets.items()),
        settings=tuple(f"{key}.parallelism={to}" for key, to in targets.items()),
    )


def _fewer_groups(plan: Plan, layout: Layout, offered: int) -> SlotChange | None:
    """Put the fewest, and so the largest, slot sharing groups together. Batch mode makes its own by region."""
    if layout.job_graph.dynamic:
        return None
    needs = sorted(layout.execution_graph.slots_by_group, key=lambda need: (-need[1], need[0]))
    for count in range(2, len(needs) + 1):
        merged = sum(need for _, need in needs[count:]) + needs[0][1]
        if merged <= offered:
            return _merging(plan, layout, [group for group, _ in needs[:count]], offered)
    return None


def _merging(plan: Plan, layout: Layout, groups: list[str], offered: int) -> SlotChange | None:
    into = "default" if "default" in groups else groups[0]
    moved = {
        operator.key: into
        for vertex in layout.job_graph.vertices
        if vertex.sharing in groups and vertex.sharing != into
        for operator in _operators(plan, vertex)
    }
    changed = _with_operators(plan.job, moved, lambda operator, group: replace(operator, slot_sharing_group=group))
    if not _fits(plan, changed, offered):
        return None
    return SlotChange(
        kind="slot-sharing-group",
        sentence=f"the slot sharing groups {_listed(groups)} put together",
        settings=tuple(f"{key}.slot_sharing_group={into}" for key in moved),
    )


def _operators(plan: Plan, vertex: JobVertex) -> list[Operator]:
    nodes = (plan.stream_graph.by_id[node] for node in (*vertex.nodes, *vertex.chained_sources))
    return list({node.operator.key: node.operator for node in nodes}.values())


def _with_operators(
    job: JobDefinition, values: Mapping[str, _Value], change: Callable[[Operator, _Value], Operator]
) -> JobDefinition:
    changed = {t.id: change(t, values[t.key]) for t in job.operators if t.key in values}
    return replace(job, transformations=tuple(changed.get(t.id, t) for t in job.transformations))


def _fits(plan: Plan, job: JobDefinition, offered: int) -> bool:
    try:
        layout = lay_out(compile_plan(job, flink=plan.flink))
    except PlanningError:  # for example an explicit forward between groups that were lowered differently
        return False
    return layout is not None and least_slots(layout) <= offered


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
