"""Assertions on plans for people's own tests."""

from __future__ import annotations

from planner.operators import describe_operators, matches, no_operator
from planner.pipeline import Plan
from planner.rules import Obstacle

__all__ = ["assert_chained", "assert_not_chained"]


def assert_chained(plan: Plan, upstream: str, downstream: str) -> None:
    """Fail, with all obstacles, unless every edge between the two operators is chained.

    Operators go by their name, key (the id in YAML) or uid, as everywhere in `plan`.
    """
    broken = []
    for position in _edges(plan, upstream, downstream):
        broken += [_line(obstacle) for obstacle in plan.obstacles[position]]
    if broken:
        raise AssertionError("\n".join([f"{upstream!r} -> {downstream!r} is not chained:", *broken]))


def _line(obstacle: Obstacle) -> str:
    change = f"; {obstacle.change}" if obstacle.change else ""
    return f"  {obstacle.code} {obstacle.slug}: {obstacle.values}{change}"


def assert_not_chained(plan: Plan, upstream: str, downstream: str) -> None:
    """Fail where an edge between the two operators is chained."""
    if any(not plan.obstacles[position] for position in _edges(plan, upstream, downstream)):
        raise AssertionError(f"{upstream!r} -> {downstream!r} is chained")


def _edges(plan: Plan, upstream: str, downstream: str) -> list[int]:
    source, target = _node(plan, upstream), _node(plan, downstream)
    found = [
        position
        for position, edge in enumerate(plan.stream_graph.edges)
        if edge.source == source and edge.target == target
    ]
    if not found:
        raise AssertionError(f"there is no edge from {upstream!r} to {downstream!r}")
    return found


def _node(plan: Plan, wanted: str) -> int:
    operators = describe_operators(plan).values()
    found = matches(wanted, operators)
    if len(found) == 1:
        return found[0].node
    if found:
        keys = ", ".join(repr(ref.key) for ref in found)
        raise AssertionError(f"{len(found)} operators are called {wanted!r}; use one of the keys {keys}")
    raise AssertionError("; ".join(no_operator(wanted, operators)))
