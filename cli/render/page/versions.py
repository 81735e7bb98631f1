"""What changed since another version, on the page: marks for the pictures, and the list of changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cli.render.pictures.overlay import Gone, Overlay
from cli.render.pictures.picture import Mark
from planner.diff.changes import Change, find_changes
from planner.diff.comparison import Comparison
from planner.pipeline import Plan

__all__ = ["diff_data", "diff_marks"]


def diff_marks(plan: Plan, comparison: Comparison) -> Overlay:
    """Added and changed operators and edges, and those that are gone."""
    nodes = [node.id for node in plan.stream_graph.nodes]  # a snapshot keeps their order
    changed = {change.subject for change in find_changes(comparison)}
    marks: dict[int, Mark] = {nodes[at]: "added" for at in comparison.added}
    for pair in comparison.operators:
        if pair.new.label in changed:
            marks[nodes[pair.new_at]] = "changed"
    edges: dict[int, Mark] = dict.fromkeys(comparison.added_edges, "added")
    for before, after in comparison.edges:
        old, new = comparison.old.edges[before], comparison.new.edges[after]
        if (old.partitioner, old.chained) != (new.partitioner, new.chained):
            edges[after] = "changed"
    return Overlay(operators=marks, edges=edges, gone=_gone(comparison, nodes))


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
    """The changes, state-breaking ones first, each with the operator it is about where that is clear."""
    nodes = [node.id for node in plan.stream_graph.nodes]
    subjects: dict[str, list[int]] = {}
    for at, operator in enumerate(comparison.new.operators):
        subjects.setdefault(operator.label, []).append(nodes[at])
    marks = diff_marks(plan, comparison)
    return {
        "against": against,
        "changes": [_change(change, subjects) for change in find_changes(comparison)],
        "marks": {str(node): mark for node, mark in marks.operators.items()},
        "edgeMarks": {str(edge): mark for edge, mark in marks.edges.items()},
        "gone": [{"id": gone.id, "name": gone.name} for gone in marks.gone],
    }


def _change(change: Change, subjects: Mapping[str, list[int]]) -> dict[str, Any]:
    found = subjects.get(change.subject, [])
    return {
        "level": change.level,
        "kind": change.kind,
        "message": change.message,
        "before": change.before if change.kind == "operator-id" else None,
        "after": change.after if change.kind == "operator-id" else None,
        "node": found[0] if len(found) == 1 else None,
    }
