"""A running stream to look at: a table in place on a terminal, one line for each batch when piped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cli.render.words import memory_words
from spark_runner.figures.results import StreamBatch, VertexBatch

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

__all__ = ["StreamTable", "batch_line"]

_END_OF_TIME = 2**63 - 1
_HEADINGS = ("vertex", "in/s", "out/s", "watermark", "lag", "keys", "state", "late")


def batch_line(batch: StreamBatch) -> str:
    """One batch in one line."""
    parts = [f"batch {batch.batch}: {batch.records} records in {batch.seconds:.1f} s"]
    if batch.watermark is not None:
        parts.append(f"watermark {_moment(batch.watermark)}{_lag(batch.watermark, batch.ended)}")
    keys, size = sum(one.keys for one in batch.vertices), sum(one.bytes for one in batch.vertices)
    if keys:
        parts.append(f"{keys} keys ({memory_words(size)})")
    late = sum(one.late for one in batch.vertices)
    if late:
        parts.append(f"{late} late")
    parts += [f"waiting: {words}" for _, words in batch.backlog]
    return "  " + ", ".join(parts)


class StreamTable:
    """A table that is redrawn in place with every batch."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._drawn = False

    def show(self, batch: StreamBatch) -> None:
        """Draw the latest batch."""
        self._drawn = True
        self._draw(_table(batch, self._console.width))

    def wait(self, text: str) -> None:
        """Say what is waited for, as long as there is no batch to draw."""
        if not self._drawn:
            self._draw(text)

    def print_above(self, text: str) -> None:
        """A line that stays, above the table."""
        self._console.print(text, markup=False, highlight=False)

    def _draw(self, what: Table | str) -> None:
        if self._live is None:
            from rich.live import Live

            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(what, refresh=True)

    def close(self) -> None:
        """Take the table away."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def _table(batch: StreamBatch, width: int) -> Table:
    """The figures whole; where the terminal is too narrow, names are cut."""
    from rich.table import Table

    backlog = "".join(f", waiting: {words}" for _, words in batch.backlog)
    title = f"batch {batch.batch}, {batch.seconds:.1f} s{backlog}"
    rows = [list(_HEADINGS), *(_row(one, batch) for one in batch.vertices)]
    natural = sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True))
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, expand=natural > width)
    table.add_column(_HEADINGS[0], no_wrap=True, overflow="ellipsis", ratio=1)
    for name in _HEADINGS[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows[1:]:
        table.add_row(*row)
    return table


def _row(one: VertexBatch, batch: StreamBatch) -> list[str]:
    seconds = max(batch.seconds, 0.001)
    mark = one.watermark
    return [
        f"{one.vertex} {one.name}",
        f"{one.records_in / seconds:.0f}",
        f"{one.records_out / seconds:.0f}",
        "-" if mark is None else _moment(mark),
        "-" if mark is None else _lag(mark, batch.ended).strip(" ()").removeprefix("lag ") or "-",
        str(one.keys) if one.keys else "-",
        memory_words(one.bytes) if one.keys else "-",
        str(one.late) if one.late else "-",
    ]


def _moment(watermark: int) -> str:
    if watermark >= _END_OF_TIME:
        return "at its end"
    if abs(watermark) < 10**11:  # not a date of our days: the job counts from somewhere else
        return f"{watermark} ms"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(watermark / 1000))


def _lag(watermark: int, now: float) -> str:
    if watermark >= _END_OF_TIME or abs(watermark) < 10**11:
        return ""
    return f" (lag {_span(max(0.0, now - watermark / 1000))})"


def _span(seconds: float) -> str:
    """A time in its largest unit: what is days behind is not read in seconds."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
