"""Task managers and their slots as text, large clusters folded into runs that follow a pattern."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.folding import span
from cli.render.styled import Line, Span, line, table
from cli.render.task_manager_runs import PlacedSlot, manager_runs, placed_slots, progression
from cli.render.words import count
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement

__all__ = ["task_manager_lines"]

MOST_ROWS = 40
MOST_SUBTASKS = 20  # of one slot


def task_manager_lines(placement: Placement, layout: Layout, names: Sequence[str]) -> list[Line]:
    """Which subtasks run in which slot of which task manager."""
    managers = placed_slots(placement, layout)
    rows: list[Sequence[str | Span]] = []
    shown = 0
    for first, last in manager_runs(managers):
        if len(rows) >= MOST_ROWS:
            break
        rows += _rows(managers, first, last, names, in_turns=placement.last_turn > 0)
        shown = last + 1
    rest = len(managers) - shown
    return [*table(rows), *([line((f"... and {count(rest, 'task manager')} more", "dim"))] if rest else [])]


def _rows(
    managers: Sequence[list[PlacedSlot]], first: int, last: int, names: Sequence[str], *, in_turns: bool
) -> list[Sequence[str | Span]]:
    label = f"task manager{'' if first == last else 's'} {span(first, last)}"
    if not managers[first]:
        return [(label, "", "", ("idle", "dim"))]
    rows: list[Sequence[str | Span]] = []
    for position, slot in enumerate(managers[first]):
        ends = list(zip(slot.subtasks, managers[last][position].subtasks, strict=True))
        length = last - first + 1
        shown = [f"{names[v]}[{progression(low, high, length)}]" for (v, low), (_, high) in ends[:MOST_SUBTASKS]]
        text = ", ".join(shown) + (f" and {len(ends) - len(shown)} more" if len(ends) > len(shown) else "")
        turn = f"turn {slot.turn + 1}" if in_turns else ""
        rows.append((label if position == 0 else "", turn, f"slot {slot.number}", text))
    return rows
