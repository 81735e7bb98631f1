"""Vertices followed through a run: the states they take, and which Spark stage is whose."""

from __future__ import annotations

import textwrap
from pathlib import Path

from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.figures.results import ActionStarted, OperatorFigures, VertexFigures, VertexFinished
from spark_runner.figures.tracking import StageCounts, VertexTracker, stage_groups
from spark_runner.lowering.lower import lower
from spark_runner.program.program import SparkProgram

JOB = """
name: three vertices
parallelism: 2
operators:
  - {id: numbers, type: source, collection: [1, 2, 3], schema: "value bigint", parallelism: 1}
  - {id: doubled, type: map, input: {from: numbers, partition: rebalance}, select: {value: "value * 2"}}
  - {id: kept, type: filter, input: doubled, where: "value > 2", chaining: disable}
  - {id: out, type: print, input: kept, parallelism: 1}
"""


def program(tmp_path: Path) -> SparkProgram:
    file = tmp_path / "job.yaml"
    file.write_text(textwrap.dedent(JOB))
    return lower(plan(load_job(file)))


def counts(stage: int, tasks: int, **values: int) -> StageCounts:
    return StageCounts(stage=stage, tasks=tasks, **{"active": 0, "done": 0, "failed": 0, **values})


def finished(vertex: int) -> VertexFinished:
    operator = OperatorFigures(node=1, key="k", name="n", records_in=3, records_out=5)
    return VertexFinished(
        figures=VertexFigures(vertex=vertex, name="n", parallelism=2, operators=(operator,), subtasks=())
    )


def test_vertices_joined_without_an_exchange_share_a_stage(tmp_path: Path) -> None:
    one = program(tmp_path)
    groups = stage_groups(one)
    assert sorted(vertex for group in groups for vertex in group) == list(range(len(one.steps)))
    names = [[one.steps[vertex].name for vertex in group] for group in groups]
    assert ["Map", "Filter"] in names


def test_a_vertex_goes_through_every_state_even_if_nobody_looked(tmp_path: Path) -> None:
    seen: list[tuple[int, str]] = []
    tracker = VertexTracker(program(tmp_path), lambda vertex: seen.append((vertex.vertex, vertex.state)))
    tracker.take(ActionStarted(sink="out", vertices=(0, 1)))
    tracker.take(finished(0))
    assert [state for vertex, state in seen if vertex == 0] == ["SCHEDULED", "RUNNING", "FINISHED"]
    assert tracker.snapshot()[0].records == 5
    tracker.end("FAILED")
    assert [vertex.state for vertex in tracker.snapshot()][:2] == ["FINISHED", "FAILED"]
    assert tracker.snapshot()[2].state == "CANCELED", "a vertex that never began did not fail"


def test_stages_go_to_the_vertices_with_as_many_subtasks(tmp_path: Path) -> None:
    one = program(tmp_path)
    tracker = VertexTracker(one, lambda _: None)
    tracker.take(ActionStarted(sink="out", vertices=tuple(range(len(one.steps)))))
    tracker.watch([counts(7, 2, active=1, done=1), counts(5, 1, done=1), counts(6, 99, active=3)])
    by_stage = {vertex.stage: vertex for vertex in tracker.snapshot() if vertex.stage is not None}
    assert sorted(by_stage) == [5, 7]
    assert (by_stage[7].running, by_stage[7].done, by_stage[7].state) == (1, 1, "RUNNING")


def test_a_restart_begins_again_under_the_next_attempt(tmp_path: Path) -> None:
    tracker = VertexTracker(program(tmp_path), lambda _: None)
    tracker.take(ActionStarted(sink="out", vertices=(0,)))
    tracker.end("FAILED")
    tracker.restart(2)
    assert {(vertex.state, vertex.attempt) for vertex in tracker.snapshot()} == {("CREATED", 2)}
