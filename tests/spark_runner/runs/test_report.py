"""Reports as a user reads them, from the plain data that is kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cli.render.page.run_report import report_page
from cli.render.text.run_report import report_lines, shown_bytes, shown_name, shown_seconds
from spark_runner.figures.results import OperatorFigures, StageFigures, SubtaskFigures, TaskFigures, VertexFigures
from spark_runner.figures.tracking import VertexProgress
from spark_runner.program.stage_shapes import Share
from spark_runner.runs.report import VertexReport, _shares, _tasks, _vertex


def vertex(*seconds: float, name: str = "Map -> Filter") -> VertexReport:
    subtasks = tuple(
        SubtaskFigures(subtask=at, stage=3, attempt=0, host=f"h{at}", started=100.0 + at, seconds=took)
        for at, took in enumerate(seconds)
    )
    return VertexReport(
        vertex=0,
        id="a" * 32,
        name=name,
        parallelism=len(seconds) or 1,
        state="FINISHED",
        attempt=1,
        stages=(3,),
        attempts=1,
        operators=(OperatorFigures(node=1, key="map-1", name="Map", records_in=10, records_out=None),),
        subtasks=subtasks,
        shuffle_read=2048,
        shuffle_write=None,
    )


def report(*vertices: VertexReport) -> dict[str, Any]:
    return {
        "id": "r", "name": "job", "state": "FINISHED", "message": None, "master": "local[*]", "mode": "batch",
        "attempt": 1, "submitted": 0.0, "seconds": 2.0, "vertices": [one.to_dict() for one in vertices], "sinks": [],
    }  # fmt: skip


def test_skew_is_the_slowest_over_the_median_and_time_spans_all_subtasks() -> None:
    one = vertex(1.0, 1.0, 4.0)
    assert (one.skew, one.seconds, one.hosts) == (4.0, 6.0, ("h0", "h1", "h2"))
    nothing = vertex()
    assert (nothing.skew, nothing.seconds, nothing.hosts) == (None, None, ())


def test_tasks_stand_for_subtasks_only_where_there_are_as_many() -> None:
    tasks = tuple(TaskFigures(index=at, attempt=0, host="h", started=0.0, seconds=1.0) for at in range(2))
    stage = StageFigures(stage=1, attempt=0, shuffle_read=0, shuffle_write=0, tasks=tasks)
    assert [one.subtask for one in _tasks(_shares(None, [stage], 2), {1: stage})] == [0, 1]
    assert _shares(None, [stage], 3) == ()


def test_vertices_that_share_a_stage_have_their_own_tasks_and_bytes() -> None:
    tasks = tuple(
        TaskFigures(index=at, attempt=0, host="h", started=0.0, seconds=1.0, shuffle_read=5, shuffle_write=10**at)
        for at in range(5)
    )
    stage = StageFigures(stage=1, attempt=0, shuffle_read=25, shuffle_write=11111, tasks=tasks)
    program: Any = SimpleNamespace(steps=[SimpleNamespace(id="a" * 32)] * 2)
    shares = (
        Share(stage=1, first=0, count=3, writes=True),
        Share(stage=1, first=3, count=2, reads=True, writes=True),
    )
    found = [
        _vertex(
            program,
            VertexProgress(vertex=at, name="v", parallelism=share.count),
            VertexFigures(vertex=at, name="v", parallelism=share.count, operators=(), subtasks=(), shares=(share,)),
            {1: stage},
        )
        for at, share in enumerate(shares)
    ]
    assert [[one.subtask for one in vertex.subtasks] for vertex in found] == [[0, 1, 2], [0, 1]]
    assert [(vertex.shuffle_read, vertex.shuffle_write) for vertex in found] == [(0, 111), (10, 11000)]


def test_a_terminal_that_is_too_narrow_gets_sentences_that_fit() -> None:
    data = report(vertex(1.0, 2.0))
    wide, narrow = report_lines(data), report_lines(data, width=80)
    assert wide[0].startswith("vertex / operator") and any("2 KiB" in line for line in wide)
    assert max(map(len, narrow)) <= 80
    assert any("10 in" in line and "- out" in line for line in narrow)


def test_the_page_shows_names_as_text_never_as_markup() -> None:
    page = report_page(report(vertex(1.0, name="<script>alert(1)</script>")))
    assert "<script>alert" not in page and "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert 'href="my%20plan.html"' in report_page(report(vertex(1.0)), "my plan.html")


def test_bars_of_a_stream_are_how_long_subtasks_worked_not_when() -> None:
    of_a_batch = report_page(report(vertex(2.0, 2.0)))
    of_a_stream = report_page({**report(vertex(2.0, 2.0)), "mode": "streaming"})
    assert "Subtasks, over time" in of_a_batch and 'rect x="33.33"' in of_a_batch
    assert "Time of subtasks, all batches together" in of_a_stream and of_a_stream.count('rect x="0.00"') == 2


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "-"), (0.25, "250 ms"), (3.21, "3.2 s"), (250.0, "4 min 10 s"), (179.7, "3 min 0 s")]
)
def test_seconds(value: float | None, shown: str) -> None:
    assert shown_seconds(value) == shown


@pytest.mark.parametrize(("value", "shown"), [(None, "-"), (0, "0 bytes"), (1536, "1.5 KiB"), (5 << 30, "5 GiB")])
def test_bytes(value: int | None, shown: str) -> None:
    assert shown_bytes(value) == shown


def test_a_long_chain_is_named_by_its_ends() -> None:
    name = " -> ".join(["Source: numbers", *["Map"] * 20_000, "Sink: out"])
    assert shown_name(name).startswith("Source: numbers -> Map -> Map")
    assert shown_name(name).endswith("Map -> ... -> Sink: out")
    assert len(shown_name(name)) < 120
    assert shown_name("Source: numbers -> Map") == "Source: numbers -> Map"
    assert shown_name("x" * 300) == "x" * 116 + " ..."
