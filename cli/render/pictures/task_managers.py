"""The physical stage on a cluster: task managers as frames, their slots inside, free ones too."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.folding import span
from cli.render.names import vertex_names
from cli.render.pictures.picture import Box, Frame, Picture
from cli.render.pictures.tiles import folded_lines, in_rows
from cli.render.task_manager_runs import PlacedSlot, manager_runs, placed_slots, progression
from cli.render.words import count
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.pipeline import Plan

__all__ = ["task_manager_picture"]

MOST_FRAMES = 24  # each a task manager, or a run of them
MOST_SLOTS = 12  # of one task manager
IN_A_ROW = 4


def task_manager_picture(plan: Plan, placement: Placement, layout: Layout) -> Picture:
    """Which subtasks run in which slot of which task manager; those that follow a pattern in one frame."""
    cluster = placement.cluster
    managers = placed_slots(placement, layout)
    runs = manager_runs(managers)
    names = vertex_names(plan)
    boxes: list[Box] = []
    frames: list[Frame] = []
    for first, last in runs[:MOST_FRAMES]:
        frames.append(_frame(first, last))
        boxes += _slots(placement, managers, first, last, names)
    ids = [frame.id for frame in frames]
    if len(runs) > MOST_FRAMES:
        rest = count(cluster.task_managers - runs[MOST_FRAMES][0], "task manager")
        boxes.append(Box(id="rest", title=f"{rest} more", kind="folded"))
        ids.append("rest")
    used = f"{len(placement.task_managers)} of {count(cluster.total_slots, 'slot')} used"
    return Picture(
        title=plan.stream_graph.name,
        subtitle=f"physical: {count(cluster.task_managers, 'task manager')}, {used}",
        boxes=tuple(boxes),
        clusters=tuple(frames),
        arrangement="grid",
        rows=in_rows(ids, IN_A_ROW),
    )


def _frame(first: int, last: int) -> Frame:
    plural = "" if first == last else "s"
    title = f"task manager{plural} {span(first, last)}"
    return Frame(id=f"t{first}_{last}", title=title, kind="task-manager")


def _slots(
    placement: Placement, managers: Sequence[list[PlacedSlot]], first: int, last: int, names: Sequence[str]
) -> list[Box]:
    frame, here = f"t{first}_{last}", managers[first]
    boxes = [
        Box(
            id=f"p{slot.slot}_{slot.slot}",
            title=f"slot {slot.number}, turn {slot.turn + 1}" if placement.last_turn else f"slot {slot.number}",
            lines=_lines(slot, managers[last][position], last - first + 1, names),
            kind="slot",
            cluster=frame,
        )
        for position, slot in enumerate(here[:MOST_SLOTS])
    ]
    if len(here) > MOST_SLOTS:
        rest = count(len(here) - MOST_SLOTS, "slot")
        boxes.append(Box(id=f"{frame}_rest", title=f"{rest} more", kind="folded", cluster=frame))
    return boxes + _free(placement, here, frame, each=last > first)


def _free(placement: Placement, here: Sequence[PlacedSlot], frame: str, *, each: bool) -> list[Box]:
    """Free slots, drawn where they are; where there are too many, their number."""
    used = {slot.number for slot in here}
    free = [number for number in range(placement.cluster.slots) if number not in used]
    if len(here) + len(free) > MOST_SLOTS:
        title = f"{count(len(free), 'slot')} free{' each' if each else ''}"
        return [Box(id=f"{frame}_free", title=title, kind="folded", cluster=frame)] if free else []
    return [
        Box(id=f"{frame}_free{number}", title=f"slot {number}", lines=("free",), kind="folded", cluster=frame)
        for number in free
    ]


def _lines(slot: PlacedSlot, end: PlacedSlot, length: int, names: Sequence[str]) -> tuple[str, ...]:
    ends = zip(slot.subtasks, end.subtasks, strict=True)
    lines = [f"{vertex + 1}. {names[vertex]} [{progression(low, high, length)}]" for (vertex, low), (_, high) in ends]
    return folded_lines(lines)
