"""What a driver on the cluster tells goes through JSON and comes back the same."""

from __future__ import annotations

import json
import typing

import pytest

from spark_runner.figures.results import (
    ActionFinished,
    ActionStarted,
    CollectedRecord,
    Event,
    OperatorFigures,
    PrintedRecord,
    RunResult,
    SinkFigures,
    SinkWritten,
    StageFigures,
    StreamBatch,
    SubtaskFigures,
    TaskFigures,
    VertexFigures,
    VertexFinished,
    WritingAside,
)
from spark_runner.figures.wire import data_of, event_data, event_of, value_of
from spark_runner.program.stage_shapes import Share

VERTEX = VertexFigures(
    vertex=1,
    name="Map",
    parallelism=2,
    operators=(OperatorFigures(node=3, key="map-1", name="Map", records_in=None, records_out=7),),
    subtasks=(SubtaskFigures(subtask=0, stage=4, attempt=0, host="h", started=1.5, seconds=0.25),),
    shares=(Share(stage=4, first=0, count=2, reads=True),),
)
SINK = SinkFigures(operator="sink-1", format="csv", path=None, records=3)
EVENTS: list[Event] = [
    ActionStarted(sink="a", vertices=(0, 1)),
    ActionFinished(sink="a", vertices=()),
    VertexFinished(figures=VERTEX),
    SinkWritten(figures=SINK),
    WritingAside(path="/data/_out.plan-0123456789ab"),
    StreamBatch(batch=3, ended=2.5, seconds=0.5, vertices=(), backlog=(("in", "2 files"),)),
    PrintedRecord(operator="print-1", subtask=None, text="ü > 'x'"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_come_back_the_same(event: Event) -> None:
    assert event_of(json.loads(json.dumps(event_data(event)))) == event


def test_every_kind_of_event_is_tried_here() -> None:
    """Collected records are left out: any Python object, only for scripts that run on this machine."""
    assert {type(event) for event in EVENTS} | {CollectedRecord} == set(typing.get_args(Event))


def test_results_and_figures_come_back_the_same() -> None:
    result = RunResult(vertices=(VERTEX,), sinks=(SINK,))
    assert value_of(RunResult, json.loads(json.dumps(data_of(result)))) == result
    task = TaskFigures(index=0, attempt=1, host="h", started=2.0, seconds=1.0)
    figures = {4: StageFigures(stage=4, attempt=0, shuffle_read=1, shuffle_write=2, tasks=(task,))}
    assert value_of(dict[int, StageFigures], json.loads(json.dumps(data_of(figures)))) == figures
