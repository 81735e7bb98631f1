"""The topological source-first order, by Flink's own algorithm.

Vertices without inputs come first, in the order they were made. Then every placed vertex is taken in turn, and its
outputs in theirs: a consumer whose producers are all placed is placed at once and followed before its siblings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.errors import InternalError


def source_first_order(
    size: int, edges: Sequence[tuple[int, int]], output_order: Mapping[int, Sequence[int]]
) -> list[int]:
    """Vertex numbers in order. `edges` are (source, target); `output_order` lists positions in `edges` a source."""
    missing = [0] * size
    for _, target in edges:
        missing[target] += 1
    order = [vertex for vertex in range(size) if not missing[vertex]]
    placed = [not count for count in missing]
    for source in order:
        for position in output_order.get(source, ()):
            missing[edges[position][1]] -= 1
    start = 0
    while len(order) < size:
        if start >= len(order):
            raise InternalError("the job graph is cyclic")
        _follow(order[start], edges, output_order, missing, placed, order)
        start += 1
    return order


def _follow(
    start: int,
    edges: Sequence[tuple[int, int]],
    output_order: Mapping[int, Sequence[int]],
    missing: list[int],
    placed: list[bool],
    order: list[int],
) -> None:
    """Place what becomes ready after `start`, depth first."""
    stack = [iter(output_order.get(start, ()))]
    while stack:
        position = next(stack[-1], None)
        if position is None:
            stack.pop()
            continue
        target = edges[position][1]
        if placed[target] or missing[target]:
            continue
        placed[target] = True
        order.append(target)
        for following in output_order.get(target, ()):
            missing[edges[following][1]] -= 1
        stack.append(iter(output_order.get(target, ())))
