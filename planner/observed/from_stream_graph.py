"""An adaptive batch job: Flink 2.x tells its stream graph while it runs, with the vertex of every deployed operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.frontends.flink_export.job_plan import JobPlan
from planner.frontends.flink_export.running import RunningFacts
from planner.frontends.flink_export.stream_plan import StreamPlan
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.parts import Members, is_operator_id, observed_vertices, planned_operator, running_words
from planner.observed.proven_ids import prove_ids


def observe_stream_graph(plan: StreamPlan, job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """The job that a stream graph with vertices describes."""
    places = [job.by_id.get(node.vertex or "") for node in plan.nodes]
    chained = _chained(plan, places)
    ids = prove_ids(plan, chained, _heads(plan, job, places, chained), {})
    return ObservedJob(
        name=job.name,
        origin="job plan" if facts is None else running_words(facts),
        named=facts is not None,
        planned=False,
        batch=True,
        operators=tuple(
            replace(planned_operator(plan, node), vertex=places[node], operator_id=ids.get(node))
            for node in range(len(places))
        ),
        edges=tuple(
            ObservedEdge(sources=(edge.source,), target=edge.target, ship=edge.ship, mode=edge.exchange, chained=seen)
            for edge, seen in zip(plan.edges, chained, strict=True)
        ),
        vertices=observed_vertices(job, _members(plan, job, places, chained), facts),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _chained(plan: StreamPlan, places: Sequence[int | None]) -> list[bool | None]:
    """By edge, whether both ends run in one vertex; None while neither is deployed."""
    ends = [(places[edge.source], places[edge.target]) for edge in plan.edges]
    return [None if source is None and target is None else source == target for source, target in ends]


def _heads(
    plan: StreamPlan, job: JobPlan, places: Sequence[int | None], chained: Sequence[bool | None]
) -> dict[int, str]:
    return {
        node: job.vertices[place].id
        for node, place in enumerate(places)
        if place is not None
        and is_operator_id(job.vertices[place].id)
        and not any(chained[edge] for edge in plan.into[node])
    }


def _members(
    plan: StreamPlan, job: JobPlan, places: Sequence[int | None], chained: Sequence[bool | None]
) -> list[Members]:
    front = {plan.edges[edge].target: plan.edges[edge].source for edge, seen in enumerate(chained) if seen}
    own = [tuple(node for node, place in enumerate(places) if place == vertex) for vertex in range(len(job.vertices))]
    return [(nodes, tuple(front.get(node) for node in nodes)) for nodes in own]
