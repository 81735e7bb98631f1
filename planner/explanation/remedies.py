"""What `--set` would have to say to chain an edge: one remedy an obstacle, in a table."""

from __future__ import annotations

from collections.abc import Callable

from planner.graphs.obstacle import Obstacle
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.pipeline import Plan

__all__ = ["settings_for"]

Remedy = Callable[[StreamEdge, StreamNode, StreamNode], tuple[str, ...]]


def settings_for(plan: Plan, edge: StreamEdge, obstacles: tuple[Obstacle, ...]) -> tuple[str, ...]:
    """Settings that together remove all obstacles of an edge, or () where one of them has none."""
    nodes = plan.stream_graph.by_id
    upstream, downstream = nodes[edge.source], nodes[edge.target]
    found: list[str] = []
    for obstacle in obstacles:
        remedy = _REMEDIES.get(obstacle.code)
        settings = remedy(edge, upstream, downstream) if remedy else ()
        if not settings and not _goes_with_parallelism(obstacle, edge):
            return ()
        found += settings
    return tuple(dict.fromkeys(found))


def _goes_with_parallelism(obstacle: Obstacle, edge: StreamEdge) -> bool:
    return obstacle.code == "CH007" and edge.partition is None


def _equal_parallelism(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    if upstream.operator is downstream.operator or min(upstream.parallelism, downstream.parallelism) < 1:
        return ()
    movable = upstream.operator.kind != "source" or upstream.operator.parallel
    own = upstream.parallelism_configured and not downstream.parallelism_configured
    follower, leader = (upstream, downstream) if movable and own else (downstream, upstream)
    return (f"{follower.operator.key}.parallelism={leader.parallelism}",)


def _equal_max_parallelism(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    value = upstream.max_parallelism if upstream.max_parallelism > 0 else "none"
    return (f"{downstream.operator.key}.max_parallelism={value}",)


def _same_group(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    return (f"{downstream.operator.key}.slot_sharing_group={upstream.slot_sharing_group}",)


def _forward(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    # With several inputs the setting would change all of them.
    if edge.partition is None or edge.partition.partitioner == "HASH" or len(downstream.operator.inputs) != 1:
        return ()
    return (f"{downstream.operator.key}.partition=forward",)


def _upstream_chains(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    return (f"{upstream.operator.key}.chaining=none",) if upstream.operator.chaining else ()


def _downstream_chains(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    return (f"{downstream.operator.key}.chaining=none",) if downstream.operator.chaining else ()


def _chaining_on(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode) -> tuple[str, ...]:
    # An async operator may then meet a legacy source at the head of the longer chain: only a new plan tells.
    return () if downstream.yielding else ("job.chaining=true",)


_REMEDIES: dict[str, Remedy] = {
    "CH001": _chaining_on,
    "CH003": _same_group,
    "CH004": _upstream_chains,
    "CH005": _downstream_chains,
    "CH007": _forward,
    "CH009": _equal_parallelism,
    "CH010": _equal_max_parallelism,
}
