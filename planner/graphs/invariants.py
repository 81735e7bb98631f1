"""What every plan must satisfy: a last pass that only rejects. A failure here is a bug of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.errors import InternalError

if TYPE_CHECKING:
    from planner.pipeline import Plan


def check_invariants(plan: Plan) -> None:
    """Refuse a plan that contradicts itself."""
    if plan.job_graph is None:
        return
    placed = [node for v in plan.job_graph.vertices for node in (*v.nodes, *v.chained_sources)]
    if len(placed) != len(set(placed)) or set(placed) != set(plan.stream_graph.by_id):
        raise InternalError("a stream node is not in exactly one chain")
    if any(edge.source >= edge.target for edge in plan.job_graph.edges):
        raise InternalError("the order of the job vertices is not topological")
    if plan.physical is None or plan.execution_graph is None:
        return
    if sum(map(len, plan.physical.slots)) != plan.execution_graph.execution_vertices:
        raise InternalError("a subtask is not in exactly one slot")
    if sum(map(len, plan.physical.failover_regions)) != plan.execution_graph.execution_vertices:
        raise InternalError("a subtask is not in exactly one failover region")
