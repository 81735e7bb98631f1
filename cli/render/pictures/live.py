"""The live figures of a running job, laid over its pictures: how busy each task is, and what flows through it."""

from __future__ import annotations

from cli.render.pictures.overlay import Overlay, VertexNote
from cli.render.words import records_words
from planner.frontends.flink_export.live import LiveFigures, VertexFigures
from planner.observed.pressure import flow_of, heat_of
from planner.pipeline import Plan

__all__ = ["live_overlay"]

_LOADS = ("busy", "backpressured")


def live_overlay(plan: Plan, live: LiveFigures) -> Overlay:
    """How busy each vertex is, by its colour too, and the records of its operators."""
    assert plan.observed is not None and plan.job_graph is not None
    figures = {vertex.id: vertex for vertex in live.vertices}
    job, places = plan.observed.job, plan.observed.place_of
    vertices: dict[int, VertexNote] = {}
    records: dict[int, str] = {}
    for position, vertex in enumerate(plan.job_graph.vertices):
        own = figures.get(vertex.id)
        if own is None:
            continue
        known = [f"{word} {share * 100:.0f}%" for word in _LOADS if (share := own.most(word)) is not None]
        if known:  # a finished job has no load any more
            vertices[position] = VertexNote(text=", ".join(known), heat=_heat(own))
        for node in vertex.nodes:
            operator = job.operators[places[node]]
            flow = flow_of(own, operator.running_name or operator.name)
            if flow is not None:
                records[node] = f"{records_words(flow.records_in)} in, {records_words(flow.records_out)} out"
    return Overlay(vertices=vertices, records=records)


def _heat(figures: VertexFigures) -> float:
    """How hot a vertex is drawn: by how busy it is; one that is only blocked is as warm as it waits, up to a half."""
    busy, blocked = figures.most("busy") or 0.0, figures.most("backpressured") or 0.0
    return max(busy, min(blocked, 0.5) if heat_of(figures) == "blocked" else 0.0)
