"""What a user sees of a run: bars on a terminal, plain lines when piped, every change with --follow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TextIO

from cli.render.styled import for_terminal
from cli.render.text.run_report import shown_name
from cli.render.text.stream_view import StreamTable, batch_line
from spark_runner.figures.results import PrintedRecord, StreamBatch
from spark_runner.figures.tracking import VertexProgress
from spark_runner.runs.store import FINAL_STATES, RunRecord

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

__all__ = ["Bars", "Collected", "Follow", "FollowCollecting", "Lines", "Streaming"]

_MOMENT = 0.05  # seconds that printed records may wait for others to leave with them
_MOST_BARS = 30  # more would not fit a screen: one bar then stands for all


def _numbered(vertex: VertexProgress) -> str:
    """A vertex's name after its number, as the report has it: several vertices may have the same name."""
    return f"{vertex.vertex} {shown_name(vertex.name)}"


class Collected:
    """Keeps what was printed, and says nothing."""

    def __init__(self) -> None:
        self.records: list[PrintedRecord] = []
        self.for_script: list[Any] = []  # what execute_and_collect gives

    def run_changed(self, record: RunRecord) -> None:
        """Nothing to say."""

    def vertex_changed(self, vertex: VertexProgress) -> None:
        """Nothing to say."""

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Nothing to say."""

    def printed(self, record: PrintedRecord) -> None:
        """Keep it."""
        self.records.append(record)

    def collected(self, record: Any) -> None:
        """Keep it for the script."""
        self.for_script.append(record)

    def noticed(self, text: str) -> None:
        """Nothing to say."""

    def stopping(self, reason: str) -> None:
        """Nothing to say."""

    def batched(self, batch: StreamBatch) -> None:
        """Nothing to say."""


class Lines(Collected):
    """Plain lines: records to one stream as they come, the run's states and finished vertices to the other."""

    def __init__(self, records: TextIO, messages: TextIO) -> None:
        super().__init__()
        self._records, self._messages = records, messages
        self._written = time.monotonic()

    def run_changed(self, record: RunRecord) -> None:
        """Say the run's state, unless it is the end: that is told with its figures."""
        self._records.flush()
        if record.state not in FINAL_STATES:
            message = f": {record.message}" if record.message else ""
            print(f"run {record.id} {record.state}{message}", file=self._messages, flush=True)

    def vertex_changed(self, vertex: VertexProgress) -> None:
        """Say that a vertex has finished."""
        if vertex.state == "FINISHED":
            rows = "" if vertex.records is None else f", {vertex.records} records"
            subtasks = "1 subtask" if vertex.parallelism == 1 else f"{vertex.parallelism} subtasks"
            print(f"  {_numbered(vertex)}: {subtasks} done{rows}", file=self._messages, flush=True)

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Let nothing that was printed wait."""
        self._records.flush()

    def printed(self, record: PrintedRecord) -> None:
        """Print it; a moment's records leave together."""
        self._records.write(f"{for_terminal(str(record), self._records)}\n")
        if time.monotonic() - self._written > _MOMENT:
            self._written = time.monotonic()
            self._records.flush()

    def noticed(self, text: str) -> None:
        """Say it."""
        print(text, file=self._messages, flush=True)

    def stopping(self, reason: str) -> None:
        """Say so at once: stopping Spark takes a few seconds."""
        print(f"stopping: {reason}", file=self._messages, flush=True)

    def batched(self, batch: StreamBatch) -> None:
        """Say what the batch did."""
        print(batch_line(batch), file=self._messages, flush=True)


class Follow(Lines):
    """Every state change of the run and of every vertex, with its time."""

    def __init__(self, records: TextIO, messages: TextIO) -> None:
        super().__init__(records, messages)
        self._before: dict[int, str] = {}

    def run_changed(self, record: RunRecord) -> None:
        """Say the run's state."""
        self._records.flush()
        message = f": {record.message}" if record.message else ""
        self._say(f"run {record.id} {record.state}{message}")

    def vertex_changed(self, vertex: VertexProgress) -> None:
        """Say what the vertex was and is."""
        before = self._before.get(vertex.vertex, "CREATED")
        self._before[vertex.vertex] = vertex.state
        attempt = f" (attempt {vertex.attempt})" if vertex.attempt > 1 else ""
        self._say(f"vertex {_numbered(vertex)}: {before} -> {vertex.state}{attempt}")

    def _say(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=self._messages, flush=True)


class FollowCollecting(Follow):
    """Every state change, with the records kept: for `--follow --format json`."""

    def __init__(self, messages: TextIO) -> None:
        super().__init__(messages, messages)

    def printed(self, record: PrintedRecord) -> None:
        """Keep it."""
        self.records.append(record)


class Streaming(Collected):
    """A table of the stream on a terminal; records are printed above it."""

    def __init__(self, console: Console, records: TextIO) -> None:
        super().__init__()
        self._table, self._records = StreamTable(console), records
        self._state, self._since = "starting Spark", time.monotonic()

    def run_changed(self, record: RunRecord) -> None:
        """Say the run's state; take the table away at the end."""
        if record.state in FINAL_STATES:
            self._table.close()
        else:
            message = f": {record.message}" if record.message else ""
            self._table.print_above(f"run {record.id} {record.state}{message}")
            if record.state == "RUNNING":
                self._state = "waiting for the first batch"

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Show that something happens, until there is a batch to show."""
        self._table.wait(f"{self._state}, {time.monotonic() - self._since:.0f} s")

    def printed(self, record: PrintedRecord) -> None:
        """Print it above the table, or where standard output goes."""
        if self._records.isatty():
            self._table.print_above(for_terminal(str(record), self._records))
        else:
            print(record, file=self._records, flush=True)

    def noticed(self, text: str) -> None:
        """Say it above the table."""
        self._table.print_above(text)

    def stopping(self, reason: str) -> None:
        """Say so at once: the current batch may take a few seconds to end."""
        self._table.print_above(f"stopping: {reason}")

    def batched(self, batch: StreamBatch) -> None:
        """Draw the table again."""
        self._table.show(batch)


class Bars(Collected):
    """One bar per vertex on a terminal; records are printed above them, or where standard output goes."""

    def __init__(self, console: Console, records: TextIO) -> None:
        super().__init__()
        self._console, self._records = console, records
        self._progress: Progress | None = None
        self._bars: dict[int, TaskID] = {}
        self._state = "starting Spark"

    def run_changed(self, record: RunRecord) -> None:
        """Show the state; take the bars away at the end."""
        self._state = record.state.lower()
        if record.state in FINAL_STATES:
            self.close()

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Move the bars."""
        progress = self._progress or self._begin(vertices)
        if len(vertices) > _MOST_BARS:
            done = sum(vertex.done for vertex in vertices)
            progress.update(self._bars[0], completed=done, detail=f"{self._state}, {_finished(vertices)}")
            return
        for vertex in vertices:
            progress.update(self._bars[vertex.vertex], completed=vertex.done, detail=self._detail(vertex))

    def printed(self, record: PrintedRecord) -> None:
        """Print it above the bars, or where standard output goes."""
        if self._progress is not None and self._records.isatty():
            shown = for_terminal(str(record), self._records)
            self._progress.console.print(shown, markup=False, highlight=False, soft_wrap=True)
        else:
            print(for_terminal(str(record), self._records), file=self._records)

    def noticed(self, text: str) -> None:
        """Say it above the bars."""
        self._console.print(text)

    def stopping(self, reason: str) -> None:
        """Take the bars away and say so at once: stopping Spark takes a few seconds."""
        self.close()
        self._console.print(f"stopping: {reason}")

    def close(self) -> None:
        """Take the bars away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _begin(self, vertices: tuple[VertexProgress, ...]) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        self._progress = Progress(
            TextColumn("{task.description}", table_column=Column(ratio=2, no_wrap=True, overflow="ellipsis")),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        if len(vertices) > _MOST_BARS:
            total = sum(vertex.parallelism for vertex in vertices)
            self._bars = {0: self._progress.add_task(f"{len(vertices)} vertices", total=total, detail="")}
        else:
            self._bars = {
                vertex.vertex: self._progress.add_task(_numbered(vertex), total=vertex.parallelism, detail="")
                for vertex in vertices
            }
        self._progress.start()
        return self._progress

    def _detail(self, vertex: VertexProgress) -> str:
        if vertex.state == "CREATED":
            return self._state if self._state != "running" else "waiting"
        rows = "" if vertex.records is None else f", {vertex.records} records"
        failed = f", {vertex.failed} failed" if vertex.failed else ""
        return f"{vertex.state.lower()}, {vertex.running} running{failed}{rows}"


def _finished(vertices: tuple[VertexProgress, ...]) -> str:
    return f"{sum(1 for vertex in vertices if vertex.state == 'FINISHED')} of {len(vertices)} vertices finished"
