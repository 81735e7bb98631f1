"""Where a running job is slow: which vertices are hot, and where records pile up."""

from __future__ import annotations

import re
from typing import Literal

from planner.frontends.flink_export.live import LiveFigures, OperatorFlow, VertexFigures
from planner.observed.job import ObservedJob, ObservedVertex
from planner.records import record

Heat = Literal["hot", "warm", "blocked", "calm"]

HOT, WARM, BLOCKED = 0.8, 0.5, 0.5  # shares of the time of the subtask that is worst off
_NOT_IN_METRICS = re.compile(r"[^A-Za-z0-9]")
_LONGEST = 80  # characters of an operator's name in its metrics


@record
class PileUp:
    """Records wait upstream of an operator: it works at its limit, and those upstream are held up."""

    vertex: str
    operator: str  # the head of the chain: everything after it in the chain runs in the same thread
    busy: float
    held_up: tuple[tuple[str, float], ...]  # vertices upstream, and how long each is backpressured


def heat_of(figures: VertexFigures) -> Heat:
    """How hot a vertex is: busy itself, or blocked by what is downstream."""
    busy, blocked = figures.most("busy") or 0.0, figures.most("backpressured") or 0.0
    if busy >= HOT:
        return "hot"
    if blocked >= BLOCKED:
        return "blocked"
    return "warm" if busy >= WARM else "calm"


def find_pile_ups(job: ObservedJob, live: LiveFigures) -> tuple[PileUp, ...]:
    """The vertices that hold others up: busy, not blocked, and downstream of a blocked one. The busiest first."""
    figures = {vertex.id: vertex for vertex in live.vertices}
    found = []
    for vertex in job.vertices:
        own = figures.get(vertex.id)
        busy = (own.most("busy") or 0.0) if own else 0.0
        if own is None or busy < WARM or (own.most("backpressured") or 0.0) >= BLOCKED:
            continue
        blocked = _blocked_inputs(job, vertex, figures)
        if blocked:
            head = job.operators[vertex.members[0]].name if vertex.members else own.name
            found.append(PileUp(vertex=vertex.id, operator=head, busy=busy, held_up=blocked))
    return tuple(sorted(found, key=lambda one: -one.busy))


def _blocked_inputs(
    job: ObservedJob, vertex: ObservedVertex, figures: dict[str, VertexFigures]
) -> tuple[tuple[str, float], ...]:
    inputs = {
        job.vertices[place].id
        for edge in job.edges
        if edge.chained is False and job.operators[edge.target].vertex == job.vertices.index(vertex)
        for source in edge.sources
        if (place := job.operators[source].vertex) is not None
    }
    found = ((figures[one].name, figures[one].most("backpressured") or 0.0) for one in sorted(inputs) if one in figures)
    return tuple((name, share) for name, share in found if share >= BLOCKED)


def flow_of(figures: VertexFigures, name: str) -> OperatorFlow | None:
    """The records of a chained operator; None where its name is not, or not only once, among the metrics."""
    spelled = _spelled(name)
    found = [flow for flow in figures.operators if _spelled(flow.operator) == spelled]
    return found[0] if len(found) == 1 else None


def _spelled(name: str) -> str:
    return _NOT_IN_METRICS.sub("_", name)[:_LONGEST]
