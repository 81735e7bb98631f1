"""What a chaining rule is, and what it looks at.

A rule is one file: what it finds, what it says where it holds, the change that removes the obstacle, and its page.
`plan explain`, `plan rule`, the lint rules and docs/rules read all of it from here.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.graphs.obstacle import About, Obstacle, Side
from planner.graphs.stream_graph import StreamEdge, StreamGraph, StreamNode
from planner.job import Operator, Partitioner
from planner.records import record


@record
class Candidate:
    """One edge with everything the twelve conditions read."""

    edge: StreamEdge
    upstream: StreamNode
    downstream: StreamNode
    upstream_outputs: int
    downstream_inputs: int
    upstream_fed_by: frozenset[Partitioner]  # the partitioners of the edges into the upstream
    position_shared: bool  # another edge enters the same input position
    chain_head: StreamNode  # head of the chain that the upstream is in
    chaining: bool
    chain_different_max_parallelism: bool


def always(graph: StreamGraph) -> bool:
    """A rule that is asked about every edge."""
    return True


def never(graph: StreamGraph) -> bool:
    """A rule that finds nothing on ordinary edges, in no graph."""
    return False


@record
class ChainingRule:
    """One of Flink's conditions: named after the obstacle it finds."""

    code: str
    slug: str
    about: About
    summary: str  # completes "not chained because ..."
    checks: str
    why: str
    fix: str
    example: str
    find: Callable[[Candidate], Obstacle | None]
    holds: Callable[[Candidate], str]  # what was seen on an edge where `find` finds nothing
    # Whether it may find something on an ordinary edge of a graph (`is_ordinary` in evaluation.py). Where it cannot,
    # it is not asked: most edges of a large job are ordinary.
    ordinary: Callable[[StreamGraph], bool] = always

    def obstacle(
        self,
        values: str,
        change: str | None,
        *,
        needed: bool = False,
        settings: tuple[str, ...] = (),
        side: Side = "both",
        consequence: bool = False,
    ) -> Obstacle:
        """This rule's finding on one edge."""
        return Obstacle(
            code=self.code,
            slug=self.slug,
            values=values,
            change=change,
            needed=needed,
            settings=settings,
            about=self.about,
            side=side,
            consequence=consequence,
        )


def as_written(operator: Operator, python: str, yaml: str) -> str:
    """A setting as the operator's author writes it: a call in Python, a key in YAML."""
    return python if operator.location.file.endswith(".py") else f"`{yaml}`"
