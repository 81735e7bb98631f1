"""Live figures, and where records pile up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.frontends.flink_export.live import OperatorFlow, SubtaskLoad, VertexFigures, flow_queries, read_live
from planner.frontends.flink_export.saved import SavedJob
from planner.observed.loading import answering, load_observed
from planner.observed.pressure import find_pile_ups, flow_of, heat_of
from tests.support import flink_exports

NAME = "rest/2.3/tuned-heavy-alone"


def loaded(busy: float | None, blocked: float = 0.0) -> tuple[SubtaskLoad, ...]:
    idle = 1 - (busy or 0.0) - blocked
    return (SubtaskLoad(subtask=0, busy=busy, idle=idle, backpressured=blocked),)


@pytest.mark.parametrize("name", flink_exports.recorded())
def test_the_figures_of_a_recorded_cluster(name: str) -> None:
    live = read_live(answering(str(flink_exports.unpacked() / name)))
    job = load_observed(str(flink_exports.unpacked() / name))
    assert {vertex.id for vertex in live.vertices} == {vertex.id for vertex in job.vertices}
    for vertex in live.vertices:
        shares = [load.idle for load in vertex.subtasks if load.idle is not None]
        assert all(0 <= share <= 1 for share in shares)


def test_state_and_checkpoints_are_told_per_vertex() -> None:
    live = read_live(SavedJob(flink_exports.unpacked() / NAME))
    assert live.checkpoint == 38
    source = next(vertex for vertex in live.vertices if vertex.name.startswith("Source"))
    assert (source.state_size, source.checkpoint_duration) == (530, 62)
    assert source.records_out == 4409


def test_nothing_piles_up_in_a_calm_job() -> None:
    folder = flink_exports.unpacked() / NAME
    assert find_pile_ups(load_observed(str(folder)), read_live(SavedJob(folder))) == ()


def test_records_pile_up_in_front_of_the_busy_vertex_behind_a_blocked_one() -> None:
    folder = flink_exports.unpacked() / NAME
    job, live = load_observed(str(folder)), read_live(SavedJob(folder))
    loads = {"Source: events -> parse": loaded(0.05, 0.9), "model": loaded(1.0), "format -> Sink: out": loaded(0.6)}
    vertices = tuple(replace(vertex, subtasks=loads[vertex.name]) for vertex in live.vertices)
    (found,) = find_pile_ups(job, replace(live, vertices=vertices))
    assert found.operator == "model"
    assert found.held_up == (("Source: events -> parse", 0.9),)


@pytest.mark.parametrize(
    ("busy", "blocked", "heat"), [(0.9, 0.0, "hot"), (0.6, 0.0, "warm"), (0.1, 0.9, "blocked"), (None, 0.0, "calm")]
)
def test_how_hot_a_vertex_is(busy: float | None, blocked: float, heat: str) -> None:
    assert heat_of(figures(loaded(busy, blocked))) == heat


def figures(subtasks: tuple[SubtaskLoad, ...], *operators: str) -> VertexFigures:
    flows = tuple(OperatorFlow(operator=name, records_in=1, records_out=2) for name in operators)
    return VertexFigures(
        id="v", name="v", status="RUNNING", subtasks=subtasks, operators=flows, records_in=None, records_out=None,
        state_size=None, checkpoint_duration=None,
    )  # fmt: skip


def test_operators_are_found_by_what_metrics_call_them() -> None:
    own = figures((), "Source__events", "nexmark_q5[48]__Writer", "twice", "twice")
    assert flow_of(own, "Source: events") is not None
    assert flow_of(own, "nexmark_q5[48]: Writer") is not None
    assert flow_of(own, "twice") is None
    assert flow_of(own, "other") is None


def test_requests_for_metrics_stay_short() -> None:
    names = [f"{subtask}.operator {subtask}.numRecordsIn" for subtask in range(500)]
    queries = list(flow_queries([*names, "0.Shuffle.Netty.Input.numRecordsIn", "0.other"]))
    assert all(len(query) < 3_000 for query in queries)
    assert sum(query.count("numRecordsIn") for query in queries) == 500
