"""A plan as JSON-ready data: the shape that `plan show --stage all --format json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.graphs.execution_graph import ExecutionGraph
    from planner.graphs.job_graph import JobGraph
    from planner.graphs.physical import Physical
    from planner.pipeline import Plan


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """All stages of a plan; stages that were not compiled are null."""
    return {
        "name": plan.stream_graph.name,
        "stream_graph": _stream_graph(plan),
        "job_graph": _job_graph(plan.job_graph) if plan.job_graph else None,
        "execution_graph": _execution_graph(plan.job_graph, plan.execution_graph)
        if plan.job_graph and plan.execution_graph
        else None,
        "physical": _physical(plan.physical) if plan.physical else None,
    }


def _stream_graph(plan: Plan) -> dict[str, Any]:
    graph = plan.stream_graph
    return {
        "nodes": [
            {
                "id": node.id,
                "name": node.name,
                "parallelism": node.parallelism,
                "max_parallelism": node.max_parallelism,
                "slot_sharing_group": node.slot_sharing_group,
                "chaining_strategy": node.chaining_strategy,
                "source": node.source,
                "yielding": node.yielding,
                "operator_id": plan.operator_ids[node.id],
                "operator": node.operator.key,
                "kind": node.operator.kind,
                "uid": node.uid,
            }
            for node in graph.nodes
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "partitioner": edge.partitioner,
                "exchange_mode": edge.exchange_mode,
                "type_number": edge.type_number,
                "side_output": edge.side_output,
                "chained": not obstacles,
                "obstacles": [obstacle.code for obstacle in obstacles],
            }
            for edge, obstacles in zip(graph.edges, plan.obstacles, strict=True)
        ],
    }


def _job_graph(graph: JobGraph) -> dict[str, Any]:
    return {
        "vertices": [
            {
                "id": vertex.id,
                "name": vertex.name,
                "parallelism": vertex.parallelism,
                "max_parallelism": vertex.max_parallelism,
                "slot_sharing_group": vertex.slot_sharing_group,
                "co_located": vertex.co_location_group is not None,
                "operator_ids": list(vertex.operator_ids),
                "user_hashes": list(vertex.user_hashes),
                "nodes": list(vertex.nodes),
                "chained_sources": list(vertex.chained_sources),
            }
            for vertex in graph.vertices
        ],
        "edges": [
            {
                "source": graph.vertices[edge.source].id,
                "target": graph.vertices[edge.target].id,
                "distribution": edge.distribution,
                "result_type": edge.result_type,
                "ship_strategy": edge.ship_strategy,
                "type_number": edge.type_number,
                "data_set": edge.data_set,
            }
            for edge in graph.edges
        ],
    }


def _execution_graph(job_graph: JobGraph, graph: ExecutionGraph) -> dict[str, Any]:
    return {
        "execution_vertices": graph.execution_vertices,
        "execution_edges": graph.execution_edges,
        "required_slots": graph.required_slots,
        "pipelined_regions": graph.pipelined_regions,
        "edges": [
            {
                "source": job_graph.vertices[edge.source].id,
                "target": job_graph.vertices[edge.target].id,
                "consumed": [list(consumed) for consumed in edge.consumed],
            }
            for edge in graph.edges
        ],
    }


def _physical(physical: Physical) -> dict[str, Any]:
    return {
        "slots": [[list(subtask) for subtask in slot] for slot in physical.slots],
        "failover_regions": [[list(subtask) for subtask in region] for region in physical.failover_regions],
    }
