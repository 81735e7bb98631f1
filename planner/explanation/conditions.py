"""One edge against all twelve chaining conditions: what each found, also where it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planner.chaining.registry import RULES
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.pipeline import Plan

__all__ = ["Condition", "check_conditions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How one chaining condition came out on one edge."""

    code: str
    slug: str
    holds: bool
    found: str

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-ready data."""
        return {"code": self.code, "slug": self.slug, "holds": self.holds, "found": self.found}


def check_conditions(plan: Plan, position: int) -> tuple[Condition, ...]:
    """All conditions on the edge at `position` of the stream graph, in the order of their codes."""
    failed = {obstacle.code: obstacle for obstacle in plan.obstacles[position]}
    seen = _Seen.of(plan, plan.stream_graph.edges[position])
    return tuple(
        Condition(
            code=rule.code,
            slug=rule.slug,
            holds=rule.code not in failed,
            found=failed[rule.code].values if rule.code in failed else _HELD[rule.code](seen),
        )
        for rule in RULES
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What the conditions that hold have looked at."""

    edge: StreamEdge
    upstream: StreamNode
    downstream: StreamNode
    inputs: int

    @classmethod
    def of(cls, plan: Plan, edge: StreamEdge) -> _Seen:
        graph = plan.stream_graph
        return cls(
            edge=edge,
            upstream=graph.by_id[edge.source],
            downstream=graph.by_id[edge.target],
            inputs=len(graph.in_edges.get(edge.target, ())),
        )


def _inputs(seen: _Seen) -> str:
    if seen.inputs == 1:
        return f"{seen.downstream.name} has one input edge"
    return f"{seen.downstream.name} has {seen.inputs} input edges, and chains sources like {seen.upstream.name}"


def _max_parallelism(seen: _Seen) -> str:
    before, after = seen.upstream.max_parallelism, seen.downstream.max_parallelism
    if before == after:
        return "unset on both" if before < 0 else f"{before} on both"
    words = [("unset" if value < 0 else str(value)) for value in (before, after)]
    return f"{words[0]} -> {words[1]}, which the job allows"


def _yielding(seen: _Seen) -> str:
    if not seen.downstream.yielding:
        return f"{seen.downstream.name} is not async"
    return "the head of the upstream's chain is not a legacy source"


_HELD: dict[str, Callable[[_Seen], str]] = {
    "CH001": lambda seen: "chaining is on for the job",
    "CH002": _inputs,
    "CH003": lambda seen: f"both in {seen.upstream.slot_sharing_group!r}",
    "CH004": lambda seen: f"{seen.upstream.name} has the strategy {seen.upstream.chaining_strategy}",
    "CH005": lambda seen: f"{seen.downstream.name} has the strategy {seen.downstream.chaining_strategy}",
    "CH006": lambda seen: f"{seen.downstream.name} has the strategy {seen.downstream.chaining_strategy}",
    "CH007": lambda seen: "the partitioner is FORWARD",
    "CH008": lambda seen: f"the exchange mode is {seen.edge.exchange_mode}",
    "CH009": lambda seen: f"{seen.upstream.parallelism} on both",
    "CH010": _max_parallelism,
    "CH011": lambda seen: f"no other edge enters input {seen.edge.type_number} of {seen.downstream.name}",
    "CH012": _yielding,
}
