"""An observed job as chains in source-first order, and with its verdicts as JSON-ready data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from planner.frontends.flink_export.live import LiveFigures
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator, ObservedVertex
from planner.observed.pressure import find_pile_ups, heat_of
from planner.observed.verdicts import Verdict
from planner.records import record


@record
class ObservedChain:
    """One chain; `inputs` are positions in the list of chains."""

    id: str | None  # of the vertex; None while it is only expected
    members: tuple[int, ...]  # positions in ObservedJob.operators, head first
    depth: tuple[int, ...]  # by member, how many operators of the chain are in front of it
    parallelism: int
    inputs: tuple[int, ...] = ()


def chains_of(job: ObservedJob, verdicts: Sequence[Verdict]) -> tuple[ObservedChain, ...]:
    """All chains, each behind its inputs."""
    front: dict[int, int] = {}  # by operator, the one it is chained to
    for edge, verdict in zip(job.edges, verdicts, strict=True):
        if verdict.chained and edge.source is not None:
            front[edge.target] = edge.source
    order = job.sources_first
    depth: dict[int, int] = {}
    head: dict[int, int] = {}
    for operator in order:
        before = front.get(operator)
        depth[operator] = 0 if before is None else depth[before] + 1
        head[operator] = operator if before is None else head[before]
    members: dict[int, list[int]] = {}
    for operator in _deployed_order(job) or order:
        members.setdefault(head[operator], []).append(operator)
    number = {first: place for place, first in enumerate(members)}
    return tuple(
        ObservedChain(
            id=_vertex_id(job, first),
            members=tuple(own),
            depth=tuple(depth[one] for one in own),
            parallelism=job.operators[first].parallelism,
            inputs=_inputs(job, own, {one: number[head[one]] for one in order}),
        )
        for first, own in members.items()
    )


def _vertex_id(job: ObservedJob, operator: int) -> str | None:
    vertex = job.vertex_of(operator)
    return vertex.id if vertex else None


def _inputs(job: ObservedJob, own: Sequence[int], chain: dict[int, int]) -> tuple[int, ...]:
    entering = [job.edges[edge] for one in own for edge in job.into[one]]
    found = {chain[edge.sources[0]] for edge in entering} - {chain[own[0]]}
    return tuple(sorted(found))


def _deployed_order(job: ObservedJob) -> list[int]:
    """The operators by vertex, where every one has its place."""
    placed = [one for vertex in job.vertices for one in vertex.members]
    return placed if len(placed) == len(job.operators) else []


_MODES = {True: "batch", False: "streaming", None: None}


def explanation_document(
    job: ObservedJob, verdicts: tuple[Verdict, ...], *, only_broken: bool = False
) -> dict[str, Any]:
    """The whole explanation; with `only_broken` without the edges that are chained, or expected to be."""
    edges = [
        edge_document(job, edge, verdict)
        for edge, verdict in zip(job.edges, verdicts, strict=True)
        if not (only_broken and verdict.chained)
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


def edge_document(job: ObservedJob, edge: ObservedEdge, verdict: Verdict) -> dict[str, Any]:
    """One edge: its verdict, how certain that is, and what is behind it."""
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
