"""Assertions on plans for people's own tests."""

from __future__ import annotations

from difflib import get_close_matches

from planner.graphs.obstacle import Obstacle
from planner.pipeline import Plan

__all__ = ["assert_chained", "assert_not_chained"]


def assert_chained(plan: Plan, upstream: str, downstream: str) -> None:
    """Fail, with all obstacles, unless every edge between the two operators is chained.

    Operators go by their name, key (the id in YAML) or uid.
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
    operators = {operator.id: operator for operator in plan.job.operators}
    names: dict[int, tuple[str, ...]] = {}
    for node in plan.stream_graph.nodes:
        operator = operators.get(node.id)
        names[node.id] = (node.name, *((operator.key, operator.uid or operator.key) if operator else ()))
    found = [identity for identity, known in names.items() if wanted in known]
    if len(found) == 1:
        return found[0]
    everything = sorted({name for known in names.values() for name in known})
    if found:
        keys = ", ".join(
            repr(names[identity][1] if len(names[identity]) > 1 else names[identity][0]) for identity in found
        )
        raise AssertionError(f"{len(found)} operators are called {wanted!r}; use one of the keys {keys}")
    near = get_close_matches(wanted, everything, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the plan has {', '.join(map(repr, everything[:20]))}"
    raise AssertionError(f"no operator is called {wanted!r}; {hint}")
