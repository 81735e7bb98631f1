"""Task managers and their slots as text, large clusters folded into runs that follow a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.render.folding import span
from cli.render.styled import Line, Span, line, table
from cli.render.words import count
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.graphs.physical import Subtask

__all__ = ["task_manager_lines"]

FOLDED_FROM = 9  # task managers; fewer are shown one by one
MOST_ROWS = 40
MOST_SUBTASKS = 20  # of one slot
PREFERENCE_WORDS = {"none": "", "met": "beside its inputs", "full": "its inputs' task managers are full"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """One slot as it is printed."""

    turn: int
    number: int
    subtasks: tuple[Subtask, ...]
    preference: str


_Slots = list[_Slot]  # of one task manager


def task_manager_lines(placement: Placement, layout: Layout, names: Sequence[str]) -> list[Line]:
    """Which subtasks run in which slot of which task manager."""
    managers: list[_Slots] = [[] for _ in range(placement.cluster.task_managers)]
    for slot, subtasks in enumerate(layout.physical.slots):
        entry = _Slot(
            turn=placement.turns[slot],
            number=placement.numbers[slot],
            subtasks=subtasks,
            preference=PREFERENCE_WORDS[placement.preferences[slot]],
        )
        managers[placement.task_managers[slot]].append(entry)
    for slots in managers:
        slots.sort(key=lambda slot: (slot.turn, slot.number))
    rows: list[Sequence[str | Span]] = []
    shown = 0
    for first, last in _runs(managers):
        if len(rows) >= MOST_ROWS:
            break
        rows += _rows(managers, first, last, names, in_turns=placement.last_turn > 0)
        shown = last + 1
    rest = len(managers) - shown
    return [*table(rows), *([line((f"... and {count(rest, 'task manager')} more", "dim"))] if rest else [])]


def _runs(managers: Sequence[_Slots]) -> list[tuple[int, int]]:
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


def _idle_together(managers: Sequence[_Slots]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for manager, slots in enumerate(managers):
        if runs and not slots and not managers[manager - 1]:
            runs[-1] = (runs[-1][0], manager)
        else:
            runs.append((manager, manager))
    return runs


def _shape(slots: _Slots) -> list[tuple[int, int, tuple[int, ...]]]:
    return [(slot.turn, slot.number, tuple(vertex for vertex, _ in slot.subtasks)) for slot in slots]


def _step(before: _Slots, after: _Slots) -> list[int]:
    return [
        following - subtask
        for one, other in zip(before, after, strict=True)
        for (_, subtask), (_, following) in zip(one.subtasks, other.subtasks, strict=True)
    ]


def _continues(before: _Slots, after: _Slots, step: list[int]) -> bool:
    return _shape(before) == _shape(after) and _step(before, after) == step


def _rows(
    managers: Sequence[_Slots], first: int, last: int, names: Sequence[str], *, in_turns: bool
) -> list[Sequence[str | Span]]:
    label = f"task manager{'' if first == last else 's'} {span(first, last)}"
    if not managers[first]:
        return [(label, "", "", ("idle", "dim"), "")]
    rows: list[Sequence[str | Span]] = []
    for position, slot in enumerate(managers[first]):
        ends = list(zip(slot.subtasks, managers[last][position].subtasks, strict=True))
        length = last - first + 1
        shown = [f"{names[v]}[{_progression(low, high, length)}]" for (v, low), (_, high) in ends[:MOST_SUBTASKS]]
        text = ", ".join(shown) + (f" and {len(ends) - len(shown)} more" if len(ends) > len(shown) else "")
        turn = f"turn {slot.turn + 1}" if in_turns else ""
        preference = (slot.preference if length == 1 else "", "dim")
        rows.append((label if position == 0 else "", turn, f"slot {slot.number}", text, preference))
    return rows


def _progression(low: int, high: int, length: int) -> str:
    """Subtasks at equal distances: "3", "0-4", or "0,2,..,8" where they are not neighbours."""
    if length == 1:
        return str(low)
    step = (high - low) // (length - 1)
    if step == 1:
        return f"{low}-{high}"
    return f"{low},{high}" if length == 2 else f"{low},{low + step},..,{high}"
