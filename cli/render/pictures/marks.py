"""What changed since another version, as marks for pictures."""

from __future__ import annotations

from cli.render.pictures.overlay import Gone, Overlay
from cli.render.pictures.picture import Mark
from planner.diff.changes import Change, find_changes
from planner.diff.comparison import Comparison
from planner.pipeline import Plan

__all__ = ["diff_marks"]


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
    return change.part not in ("edge", "chain") and not (change.kind == "operator-id" and change.level == "safe")


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
