"""Pipelined regions: what must run at the same time, and so fails and restarts together."""

from __future__ import annotations

from collections.abc import Sequence

from planner.graphs.components import Components, strongly_connected


def pipelined_regions(size: int, edges: Sequence[tuple[int, int]], pipelined: Sequence[bool]) -> list[int]:
    """The region of each of `size` vertices, named by its smallest member.

    Pipelined edges join their ends. Regions that wait for each other through blocking edges could never start one after
    the other, so Flink merges them too.
    """
    joined = Components(size)
    for (source, target), together in zip(edges, pipelined, strict=True):
        if together:
            joined.join(source, target)
    if all(pipelined):
        return joined.names()
    downstream: dict[int, list[int]] = {}
    for (source, target), together in zip(edges, pipelined, strict=True):
        first, second = joined.find(source), joined.find(target)
        if not together and first != second:
            downstream.setdefault(first, []).append(second)
    if downstream:
        for cycle in strongly_connected(list(downstream), downstream):
            for region in cycle[1:]:
                joined.join(cycle[0], region)
    return joined.names()
