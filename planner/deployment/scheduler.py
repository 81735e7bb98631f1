"""What Flink's scheduler refuses when a job starts, although the job compiles."""

from __future__ import annotations

from planner.errors import PlanningError
from planner.pipeline import Plan

__all__ = ["SCHEDULER_OPTION", "refuse_pipelined_batch"]

SCHEDULER_OPTION = "jobmanager.scheduler"


def refuse_pipelined_batch(plan: Plan) -> None:
    """Refuse a pipelined exchange in batch mode: the adaptive batch scheduler, which is the default there, does."""
    graph = plan.job_graph
    if graph is None or not graph.dynamic or str(plan.job.options.get(SCHEDULER_OPTION, "")).lower() == "default":
        return
    edge = next((edge for edge in graph.edges if edge.result_type != "BLOCKING"), None)
    if edge is None:
        return
    stream_edge = plan.stream_graph.edges[edge.stream_edge]
    source, target = graph.vertices[edge.source].name, graph.vertices[edge.target].name
    operator = plan.stream_graph.by_id[stream_edge.target].operator
    raise PlanningError(
        f"the exchange from {source} to {target} is pipelined, and Flink would not start the job: its batch scheduler "
        '"requires batch workloads to be executed with types of all edges being BLOCKING or HYBRID"',
        location=stream_edge.partition.location if stream_edge.partition else operator.location,
        hint=f"remove `exchange: pipelined`, or set the option `{SCHEDULER_OPTION}: Default`",
    )
