"""What changed since another version, on the page: the list of changes, and what is marked in its pictures."""

from __future__ import annotations

from typing import Any

from cli.render.pictures.marks import diff_marks
from cli.render.text.changes import MEANINGS
from planner.diff.changes import LEVELS, Change, find_changes
from planner.diff.comparison import Comparison
from planner.pipeline import Plan

__all__ = ["diff_data"]


def diff_data(plan: Plan, comparison: Comparison, against: str) -> dict[str, Any]:
    """The changes, the gravest first, each with the operator it is about where there is one."""
    nodes = [node.id for node in plan.stream_graph.nodes]
    marks = diff_marks(plan, comparison)
    changes = find_changes(comparison)
    return {
        "against": against,
        "levels": [[level, MEANINGS[level]] for level in LEVELS if any(change.level == level for change in changes)],
        "changes": [_change(change, nodes) for change in changes],
        "marks": {str(node): mark for node, mark in marks.operators.items()},
        "edgeMarks": {str(edge): [mark, marks.carried.get(edge, "")] for edge, mark in marks.edges.items()},
        "gone": [{"id": gone.id, "name": gone.name} for gone in marks.gone],
    }


def _change(change: Change, nodes: list[int]) -> dict[str, Any]:
    moved = change.kind == "operator-id"
    return {
        "level": change.level,
        "message": change.message,
        "ids": [change.before, change.after] if moved else None,
        "advice": change.advice,
        "node": None if change.at is None else nodes[change.at],
    }
