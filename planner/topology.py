"""The one topological walk: every node after all nodes that lead to it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

__all__ = ["longest_ways", "topological_order"]

Node = TypeVar("Node", bound=Hashable)


def topological_order(
    nodes: Iterable[Node], edges: Iterable[tuple[Node, Node]], *, smallest_first: bool = False
) -> list[Node]:
    """The nodes, each after the sources of its edges (source, target); nodes on or downstream of a cycle are left out.

    Nodes that are ready at the same time keep the order in which they became ready, or go by size.
    """
    after, waiting = _tables(nodes, edges)
    if smallest_first:
        return _smallest_first(after, waiting)
    order = [node for node, count in waiting.items() if not count]
    for node in order:  # grows while it is walked
        order += _released(after[node], waiting)
    return order


def _tables(
    nodes: Iterable[Node], edges: Iterable[tuple[Node, Node]]
) -> tuple[Mapping[Node, list[Node]], dict[Node, int]]:
    """The targets of each node, and how many edges each waits for."""
    after: dict[Node, list[Node]] = {node: [] for node in nodes}
    waiting = dict.fromkeys(after, 0)
    for source, target in edges:
        after[source].append(target)
        waiting[target] += 1
    return after, waiting


def _released(targets: Iterable[Node], waiting: dict[Node, int]) -> Iterable[Node]:
    """The targets that waited for one last edge."""
    for target in targets:
        waiting[target] -= 1
        if not waiting[target]:
            yield target


def _smallest_first(after: Mapping[Node, list[Node]], waiting: dict[Node, int]) -> list[Node]:
    ready: list[Any] = [node for node, count in waiting.items() if not count]
    heapify(ready)
    order: list[Node] = []
    while ready:
        order.append(heappop(ready))
        for target in _released(after[order[-1]], waiting):
            heappush(ready, target)
    return order


def longest_ways(
    nodes: Iterable[Node], edges: Iterable[tuple[Node, Node]], costs: Mapping[Node, int] | None = None
) -> dict[Node, int]:
    """The most costly way from a start to each node, without the node's own cost; each node costs 1 unless given."""
    known, links = list(nodes), list(edges)
    after, _ = _tables(known, links)
    ways = dict.fromkeys(known, 0)
    for node in topological_order(known, links):
        done = ways[node] + (1 if costs is None else costs[node])
        for target in after[node]:
            ways[target] = max(ways[target], done)
    return ways
