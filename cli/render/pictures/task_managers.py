"""The physical stage on a cluster: task managers as frames, their slots inside, free ones too."""

from __future__ import annotations

from cli.render.names import vertex_names
from cli.render.pictures.physical import short_name
from cli.render.pictures.picture import Box, Cluster, Picture
from cli.render.words import count
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.pipeline import Plan

__all__ = ["side_by_side", "task_manager_picture"]

MOST_TASK_MANAGERS = 16
MOST_SLOTS = 12  # of one task manager
IN_A_ROW = 4


def task_manager_picture(plan: Plan, placement: Placement, layout: Layout) -> Picture:
    """Which subtasks run in which slot of which task manager."""
    cluster = placement.cluster
    shown = min(cluster.task_managers, MOST_TASK_MANAGERS)
    names = [short_name(name) for name in vertex_names(plan)]
    stacks = [_slots(placement, layout, manager, names) for manager in range(shown)]
    if cluster.task_managers > shown:
        rest = count(cluster.task_managers - shown, "task manager")
        stacks.append([Box(id="rest", title=f"{rest} more", kind="folded")])
    used = f"{len(placement.task_managers)} of {count(cluster.total_slots, 'slot')} used"
    return Picture(
        title=plan.stream_graph.name,
        subtitle=f"physical: {count(cluster.task_managers, 'task manager')}, {used}",
        boxes=tuple(box for stack in stacks for box in stack),
        clusters=tuple(
            Cluster(id=f"t{manager}", title=f"task manager {manager}", kind="task-manager") for manager in range(shown)
        ),
        columns=side_by_side(stacks),
    )


def side_by_side(stacks: list[list[Box]]) -> tuple[tuple[str, ...], ...]:
    """Stacks of boxes in rows of a few: each column goes on with the stack of the next row."""
    return tuple(
        tuple(box.id for stack in stacks[column::IN_A_ROW] for box in stack)
        for column in range(min(IN_A_ROW, len(stacks)))
    )


def _slots(placement: Placement, layout: Layout, manager: int, names: list[str]) -> list[Box]:
    cluster = f"t{manager}"
    here = sorted(
        (placement.turns[slot], placement.numbers[slot], slot)
        for slot, place in enumerate(placement.task_managers)
        if place == manager
    )
    boxes = [
        Box(
            id=f"{cluster}_{turn}_{number}",
            title=f"slot {number}, turn {turn + 1}" if placement.last_turn else f"slot {number}",
            lines=tuple(f"{names[vertex]} [{subtask}]" for vertex, subtask in layout.physical.slots[slot]),
            kind="slot",
            cluster=cluster,
        )
        for turn, number, slot in here[:MOST_SLOTS]
    ]
    if len(here) > MOST_SLOTS:
        rest = count(len(here) - MOST_SLOTS, "slot")
        boxes.append(Box(id=f"{cluster}_rest", title=f"{rest} more", kind="folded", cluster=cluster))
    free = placement.cluster.slots - len({number for _, number, _ in here})
    if free:
        boxes.append(Box(id=f"{cluster}_free", title=f"{count(free, 'slot')} free", kind="folded", cluster=cluster))
    return boxes
