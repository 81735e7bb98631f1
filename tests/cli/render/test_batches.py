"""The charts of a streaming run's batches, and its lines."""

from __future__ import annotations

import io
from dataclasses import asdict, replace

from rich.console import Console

from cli.render.page.run_report import batch_charts
from cli.render.text.stream_view import StreamTable, batch_line
from spark_runner.figures.results import StreamBatch, VertexBatch


def batch(number: int, *, watermark: int | None = 1_767_225_600_000) -> StreamBatch:
    """One batch of a source and a window."""
    source = VertexBatch(
        vertex=0, name="Source: s", records_in=100, records_out=90, late=0, watermark=None, keys=0, bytes=0
    )
    window = VertexBatch(
        vertex=1, name="w", records_in=90, records_out=3, late=2, watermark=watermark, keys=7, bytes=2048
    )
    return StreamBatch(batch=number, ended=1_767_225_610.0, seconds=1.5, vertices=(source, window))


def test_a_batch_is_one_line() -> None:
    assert batch_line(batch(3)) == (
        "  batch 3: 100 records in 1.5 s, watermark 2026-01-01 00:00:00 (lag 10 s), 7 keys (2 KiB), 2 late"
    )
    assert "watermark at its end" in batch_line(batch(3, watermark=2**63 - 1))
    assert "watermark 42 ms" in batch_line(batch(3, watermark=42))


def test_the_table_of_a_stream_is_drawn_in_place() -> None:
    shown = io.StringIO()
    table = StreamTable(Console(file=shown, force_terminal=True, width=100, color_system=None))
    table.show(batch(1))
    table.print_above("a record")
    table.show(batch(2))
    table.close()
    text = shown.getvalue()
    assert "batch 1, 1.5 s" in text and "batch 2, 1.5 s" in text and "a record" in text
    assert "2026-01-01 00:00:00" in text and "10 s" in text and "2 KiB" in text


def test_long_names_are_cut_and_figures_are_not() -> None:
    shown = io.StringIO()
    drawn = batch(1)
    long = replace(drawn.vertices[1], name="EventTimeSessionWindows -> " + "Map -> " * 20 + "Sink: Print to Std. Out")
    table = StreamTable(Console(file=shown, force_terminal=True, width=100, color_system=None))
    table.show(replace(drawn, vertices=(drawn.vertices[0], long)))
    table.close()
    line = next(line for line in shown.getvalue().splitlines() if "EventTime" in line)
    assert "…" in line and line.split("…")[1].split() == [
        "60",
        "2",
        "2026-01-01",
        "00:00:00",
        "10",
        "s",
        "7",
        "2",
        "KiB",
        "2",
    ]


def test_batches_are_drawn_over_time() -> None:
    charts = batch_charts([asdict(batch(n)) for n in range(3)])
    assert charts.count("<polyline") == 4
    assert "<b>records in</b>, up to 100" in charts and "<b>watermark lag, seconds</b>, up to 10" in charts
    assert "<h2>3 batches, over time</h2>" in charts
    assert batch_charts([]) == ""


def test_until_the_first_batch_the_terminal_says_what_is_waited_for() -> None:
    shown = io.StringIO()
    table = StreamTable(Console(file=shown, force_terminal=True, width=100, color_system=None))
    table.wait("starting Spark, 3 s")
    assert "starting Spark, 3 s" in shown.getvalue()
    table.show(StreamBatch(batch=0, ended=1.0, seconds=1.0, vertices=()))
    table.wait("never")
    table.close()
    assert "never" not in shown.getvalue()
