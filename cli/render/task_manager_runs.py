"""Task managers that hold the same, a constant number of subtasks further on, as one run: for text and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.graphs.physical import Subtask
from planner.records import record

if TYPE_CHECKING:
    from planner.deployment.layout import Layout
    from planner.deployment.placement import Placement

__all__ = ["PlacedSlot", "manager_runs", "placed_slots", "progression"]

FOLDED_FROM = 9  # task managers; fewer are shown one by one


@record
class PlacedSlot:
    """One slot in use on its task manager."""

    turn: int
    number: int
    slot: int  # position in Physical.slots
    subtasks: tuple[Subtask, ...]


Slots = list[PlacedSlot]  # of one task manager


def placed_slots(placement: Placement, layout: Layout) -> list[Slots]:
    """The slots of every task manager, in order; an empty list is an idle one."""
    managers: list[Slots] = [[] for _ in range(placement.cluster.task_managers)]
    for slot, subtasks in enumerate(layout.physical.slots):
        entry = PlacedSlot(
            turn=placement.turns[slot],
            number=placement.numbers[slot],
            slot=slot,
            subtasks=subtasks,
        )
        managers[placement.task_managers[slot]].append(entry)
    for slots in managers:
        slots.sort(key=lambda slot: (slot.turn, slot.number))
    return managers


def manager_runs(managers: Sequence[Slots]) -> list[tuple[int, int]]:
    """First and last of task managers that hold the same, each a constant number of subtasks further on."""
    if len(managers) < FOLDED_FROM:
        return _idle_together(managers)
    runs: list[tuple[int, int]] = []
    start = 0
    while start < len(managers):
        end = start + 1
        if end < len(managers) and _shape(managers[start]) == _shape(managers[end]):
            step = _step(managers[start], managers[end])
            while end + 1 < len(managers) and _continues(managers[end], managers[end + 1], step):
                end += 1
            end += 1
        runs.append((start, end - 1))
        start = end
    return runs


def progression(low: int, high: int, length: int) -> str:
    """Subtasks at equal distances: "3", "0-4", or "0,2,..,8" where they are not neighbours."""
    if length == 1:
        return str(low)
    step = (high - low) // (length - 1)
    if step == 1:
        return f"{low}-{high}"
    return f"{low},{high}" if length == 2 else f"{low},{low + step},..,{high}"


def _idle_together(managers: Sequence[Slots]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for manager, slots in enumerate(managers):
        if runs and not slots and not managers[manager - 1]:
            runs[-1] = (runs[-1][0], manager)
        else:
            runs.append((manager, manager))
    return runs


def _shape(slots: Slots) -> list[tuple[int, int, tuple[int, ...]]]:
    return [(slot.turn, slot.number, tuple(vertex for vertex, _ in slot.subtasks)) for slot in slots]


def _step(before: Slots, after: Slots) -> list[int]:
    return [
        following - subtask
        for one, other in zip(before, after, strict=True)
        for (_, subtask), (_, following) in zip(one.subtasks, other.subtasks, strict=True)
    ]


def _continues(before: Slots, after: Slots, step: list[int]) -> bool:
    return _shape(before) == _shape(after) and _step(before, after) == step
