"""The plan that is made of exports has the vertices and exchanges that Flink's job plan has, and claims no more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from planner.explanation.explain import explain_plan
from planner.frontends.flink_export.documents import Export
from planner.frontends.flink_export.job_plan import JobPlan
from planner.observed.loading import load_export, read_argument
from planner.pipeline import Plan
from tests.support import flink_exports

EXPORTS = [
    *(str(Path("exports") / name) for name in flink_exports.planned()),
    *(str(Path("random") / name) for name in flink_exports.random_jobs()),
]


def folder_of(name: str) -> Path:
    kind, _, rest = name.partition("/")
    return (flink_exports.unpacked() if kind == "exports" else flink_exports.unpacked_random()) / rest


def told(export: Export) -> JobPlan:
    assert export.job is not None
    return export.job


def exchanges(plan: Plan) -> Counter[tuple[int, int, str]]:
    assert plan.job_graph is not None and plan.observed is not None
    edges = plan.observed.job.edges
    return Counter(
        (edge.source, edge.target, edges[edge.stream_edge].shipped or edges[edge.stream_edge].ship)
        for edge in plan.job_graph.edges
    )


@pytest.mark.parametrize("name", EXPORTS)
def test_a_job_plan_gives_its_own_vertices_and_exchanges(name: str) -> None:
    file = str(folder_of(name) / "jobplan.json")
    plan, job = load_export(file), told(read_argument(file))
    assert plan.job_graph is not None
    assert [vertex.id for vertex in plan.job_graph.vertices] == [vertex.id for vertex in job.vertices]
    assert [vertex.parallelism for vertex in plan.job_graph.vertices] == [vertex.parallelism for vertex in job.vertices]
    expected = Counter((one.source, place, one.ship) for place, own in enumerate(job.vertices) for one in own.inputs)
    assert exchanges(plan) == expected


@pytest.mark.parametrize("name", EXPORTS)
def test_with_the_stream_plan_the_figures_are_flinks(name: str) -> None:
    stream, file = (str(folder_of(name) / f"{part}.json") for part in ("streamplan", "jobplan"))
    plan, job = load_export(stream, file), told(read_argument(file))
    assert plan.job_graph is not None and plan.observed is not None
    summary = explain_plan(plan).summary
    assert summary.chains == len(job.vertices)
    if not plan.observed.settled:
        assert summary.tasks is None and summary.channels is None
        return
    assert summary.tasks == sum(vertex.parallelism for vertex in job.vertices)
    assert len(plan.job_graph.vertices) == len(job.vertices)
    assert len(plan.job_graph.edges) == sum(len(vertex.inputs) for vertex in job.vertices)
    found = {vertex.id for vertex in plan.job_graph.vertices} - {""}
    assert found <= {vertex.id for vertex in job.vertices}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_forecast_has_no_figures_and_no_ids(name: str) -> None:
    plan = load_export(str(folder_of(name) / "streamplan.json"))
    summary = explain_plan(plan).summary
    assert (summary.tasks, summary.slots, summary.channels, summary.buffers_wanted) == (None, None, None, None)
    assert not plan.operator_ids
    assert plan.job_graph is not None and {vertex.id for vertex in plan.job_graph.vertices} == {""}
