"""What changed since another version, on the page: marks for the pictures, and the list of changes."""

from __future__ import annotations

from typing import Any

from cli.render.pictures.overlay import Gone, Overlay
from cli.render.pictures.picture import Mark
from cli.render.text.changes import MEANINGS
from planner.diff.changes import LEVELS, Change, find_changes
from planner.diff.comparison import Comparison
from planner.pipeline import Plan

__all__ = ["diff_data", "diff_marks"]


def diff_marks(plan: Plan, comparison: Comparison) -> Overlay:
    """Added and changed operators and edges, and those that are gone."""
    nodes = [node.id for node in plan.stream_graph.nodes]  # a snapshot keeps their order
    changed = [change.at for change in find_changes(comparison) if change.at is not None and _is_seen(change)]
    marks: dict[int, Mark] = {nodes[at]: "changed" for at in changed}
    marks.update({nodes[at]: "added" for at in comparison.added})
    edges: dict[int, Mark] = dict.fromkeys(comparison.added_edges, "added")
    was: dict[int, str] = {}
    for before, after in comparison.edges:
        old, new = comparison.old.edges[before], comparison.new.edges[after]
        if (old.partitioner, old.chained) != (new.partitioner, new.chained):
            edges[after] = "changed"
            was[after] = f"was {old.partitioner}, {'chained' if old.chained else 'not chained'}"
    return Overlay(operators=marks, edges=edges, gone=_gone(comparison, nodes), carried=was)


def _is_seen(change: Change) -> bool:
    """Whether a change marks its operator: not an edge's, and not an id that moved without any state under it."""
    return change.part != "edge" and not (change.kind == "operator-id" and change.level == "safe")


def _gone(comparison: Comparison, nodes: list[int]) -> tuple[Gone, ...]:
    fed_by: dict[int, list[str]] = {at: [] for at in comparison.lost}
    feeds: dict[int, list[str]] = {at: [] for at in comparison.lost}
    for number in comparison.lost_edges:
        edge = comparison.old.edges[number]
        if edge.target in fed_by:
            fed_by[edge.target].append(_box(comparison, edge.source, nodes))
        elif edge.source in feeds:
            feeds[edge.source].append(_box(comparison, edge.target, nodes))
    return tuple(
        Gone(id=f"x{at}", name=comparison.old.operators[at].name, fed_by=tuple(fed_by[at]), feeds=tuple(feeds[at]))
        for at in comparison.lost
    )


def _box(comparison: Comparison, old_at: int, nodes: list[int]) -> str:
    pair = comparison.by_old.get(old_at)
    return f"n{nodes[pair.new_at]}" if pair else f"x{old_at}"


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
