"""The physical stage as a picture: slots, and which subtasks share each."""

from __future__ import annotations

from cli.render.folding import span
from cli.render.names import vertex_names
from cli.render.pictures.execution import require_parallelism
from cli.render.pictures.overlay import NOTHING, Overlay
from cli.render.pictures.picture import Box, Picture
from cli.render.pictures.tiles import folded_lines, in_rows
from cli.render.words import count
from planner.graphs.physical import Subtask
from planner.pipeline import Plan

__all__ = ["physical_picture"]

MOST_SLOTS = 24  # more are folded where neighbours hold the next subtasks of the same vertices
MOST_BOXES = 120

Slot = tuple[Subtask, ...]


def physical_picture(plan: Plan, overlay: Overlay = NOTHING) -> Picture:
    """Slots in rows, each with the subtasks that share it."""
    require_parallelism(plan, "physical")
    physical, job_graph = plan.physical, plan.job_graph
    assert physical is not None and job_graph is not None
    names = vertex_names(plan)
    groups = [vertex.slot_sharing_group for vertex in job_graph.vertices]
    runs = _runs(physical.slots)
    boxes = [_box(physical.slots, run, names, groups) for run in runs[:MOST_BOXES]]
    rest = sum(last - first + 1 for first, last in runs[MOST_BOXES:])
    if rest:
        boxes.append(Box(id="rest", title=f"{count(rest, 'slot')} more", kind="folded"))
    regions = count(len(physical.failover_regions), "failover region")
    return Picture(
        title=plan.stream_graph.name,
        subtitle=f"physical: {count(len(physical.slots), 'slot')}, {regions}",
        boxes=tuple(boxes),
        arrangement="grid",
        rows=in_rows([box.id for box in boxes]),
    )


def _runs(slots: tuple[Slot, ...]) -> list[tuple[int, int]]:
    """Positions of slots that one box stands for."""
    if len(slots) <= MOST_SLOTS:
        return [(position, position) for position in range(len(slots))]
    runs: list[tuple[int, int]] = []
    for position, slot in enumerate(slots):
        if runs and _follows(slots[runs[-1][1]], slot):
            runs[-1] = (runs[-1][0], position)
        else:
            runs.append((position, position))
    return runs


def _follows(before: Slot, after: Slot) -> bool:
    return [(vertex, subtask + 1) for vertex, subtask in before] == list(after)


def _box(slots: tuple[Slot, ...], run: tuple[int, int], names: list[str], groups: list[str]) -> Box:
    first, last = run
    ends = zip(slots[first], slots[last], strict=True)
    lines = [f"{vertex + 1}. {names[vertex]} [{span(subtask, end)}]" for (vertex, subtask), (_, end) in ends]
    group = groups[slots[first][0][0]]
    shared = "" if group == "default" else f" · {group}"
    title = f"slot {first}{shared}" if first == last else f"slots {first}-{last}{shared}"
    return Box(
        id=f"p{first}_{last}",
        title=title,
        lines=folded_lines(lines),
        kind="slot",
        tooltip=f"slot sharing group {group}",
    )
