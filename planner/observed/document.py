"""What Flink told of a job, as JSON-ready data: operators, edges with how certain each verdict is, vertices."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.frontends.flink_export.live import LiveFigures
from planner.observed.job import ObservedJob, ObservedOperator, ObservedVertex
from planner.observed.judgement import Observation
from planner.observed.pressure import find_pile_ups, heat_of

_MODES = {True: "batch", False: "streaming", None: None}


def explanation_document(observed: Observation, *, only_broken: bool = False) -> dict[str, Any]:
    """The whole explanation; with `only_broken` without the edges that are chained, or expected to be."""
    job = observed.job
    edges = [
        edge_document(observed, position)
        for position, judgement in enumerate(observed.judgements)
        if not (only_broken and judgement.chained)
    ]
    return {
        "name": job.name,
        "origin": job.origin,
        "mode": _MODES[job.batch],
        "operators": [operator_document(job, operator) for operator in job.operators],
        "edges": edges,
        "vertices": [vertex_document(job, vertex) for vertex in job.vertices],
    }


def operator_document(job: ObservedJob, operator: ObservedOperator) -> dict[str, Any]:
    """One operator."""
    return {
        "id": operator.id,
        "name": operator.name,
        "description": operator.description,
        "parallelism": operator.parallelism,
        "vertex": None if operator.vertex is None else job.vertices[operator.vertex].id,
        "operator_id": operator.operator_id,
    }


def edge_document(observed: Observation, position: int) -> dict[str, Any]:
    """One edge: whether it is chained, how certain that is, and the conditions that decide it."""
    job, edge, verdict = observed.job, observed.job.edges[position], observed.judgements[position]
    ruled_out = {
        code: words for code, words in verdict.facts if code not in verdict.reasons and code not in verdict.possible
    }
    return {
        "source": None if edge.source is None else job.operators[edge.source].id,
        "target": job.operators[edge.target].id,
        "sources": [job.operators[one].id for one in edge.sources],
        "ship_strategy": edge.ship,
        "deployed_ship_strategy": edge.shipped,
        "chained": verdict.chained,
        "certainty": verdict.certainty,
        "reasons": list(verdict.reasons),
        "possible": list(verdict.possible),
        "likely": list(verdict.likely),
        "facts": {code: words for code, words in verdict.facts if code not in ruled_out},
        "ruled_out": ruled_out,
    }


def vertex_document(job: ObservedJob, vertex: ObservedVertex) -> dict[str, Any]:
    """One vertex of the deployed job."""
    return {
        "id": vertex.id,
        "parallelism": vertex.parallelism,
        "max_parallelism": vertex.max_parallelism,
        "slot_sharing_group_id": vertex.group,
        "source_kind": vertex.source_kind,
        "operators": [job.operators[one].id for one in vertex.members],
    }


def live_document(job: ObservedJob, live: LiveFigures) -> dict[str, Any]:
    """Live figures, and where records pile up."""
    return {
        "state": live.state,
        "duration_ms": live.duration,
        "checkpoint": live.checkpoint,
        "vertices": [{**asdict(vertex), "heat": heat_of(vertex)} for vertex in live.vertices],
        "pile_ups": [asdict(one) for one in find_pile_ups(job, live)],
    }
