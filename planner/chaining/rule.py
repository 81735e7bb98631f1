"""What a chaining rule is, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.graphs.obstacle import Obstacle
from planner.graphs.stream_graph import StreamEdge, StreamNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One edge with everything the twelve conditions read."""

    edge: StreamEdge
    upstream: StreamNode
    downstream: StreamNode
    upstream_outputs: int
    downstream_inputs: int
    position_shared: bool  # another edge enters the same input position
    chain_head: StreamNode  # head of the chain that the upstream is in
    chaining: bool
    chain_different_max_parallelism: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainingRule:
    """One of Flink's conditions: named after the obstacle it finds."""

    code: str
    slug: str
    summary: str  # completes "not chained because ..."
    checks: str
    why: str
    fix: str
    example: str
    find: Callable[[Candidate], Obstacle | None]

    def obstacle(self, values: str, change: str | None, *, needed: bool = False) -> Obstacle:
        """This rule's finding on one edge."""
        return Obstacle(code=self.code, slug=self.slug, values=values, change=change, needed=needed)
