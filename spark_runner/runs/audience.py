"""Who is told what a run does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from spark_runner.figures.results import PrintedRecord, StreamBatch
from spark_runner.figures.tracking import VertexProgress
from spark_runner.runs.store import RunRecord

__all__ = ["Audience", "UntilPipeCloses"]


class Audience(Protocol):
    """Any of these may raise BrokenPipeError: then nobody reads any more, and the run ends."""

    def run_changed(self, record: RunRecord) -> None:
        """The run went to another state."""

    def vertex_changed(self, vertex: VertexProgress) -> None:
        """A vertex went to another state."""

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Some time has passed."""

    def printed(self, record: PrintedRecord) -> None:
        """A `print` sink gave a record."""

    def collected(self, record: Any) -> None:
        """The script itself asked for this record, with execute_and_collect."""

    def batched(self, batch: StreamBatch) -> None:
        """A stream has written a batch."""

    def noticed(self, text: str) -> None:
        """Something happened that a user should know of, and need not do anything about."""

    def stopping(self, reason: str) -> None:
        """The run was asked to end, which may take a few seconds."""


class UntilPipeCloses:
    """An audience that is told nothing more once its pipe is closed. The first time raises BrokenPipeError."""

    def __init__(self, audience: Audience) -> None:
        self._audience, self._closed = audience, False

    def run_changed(self, record: RunRecord) -> None:
        """The run went to another state."""
        self._tell(lambda: self._audience.run_changed(record))

    def vertex_changed(self, vertex: VertexProgress) -> None:
        """A vertex went to another state."""
        self._tell(lambda: self._audience.vertex_changed(vertex))

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Some time has passed."""
        self._tell(lambda: self._audience.progressed(vertices))

    def printed(self, record: PrintedRecord) -> None:
        """A `print` sink gave a record."""
        self._tell(lambda: self._audience.printed(record))

    def collected(self, record: Any) -> None:
        """The script itself asked for this record."""
        self._tell(lambda: self._audience.collected(record))

    def batched(self, batch: StreamBatch) -> None:
        """A stream has written a batch."""
        self._tell(lambda: self._audience.batched(batch))

    def noticed(self, text: str) -> None:
        """Something happened that a user should know of."""
        self._tell(lambda: self._audience.noticed(text))

    def stopping(self, reason: str) -> None:
        """The run was asked to end."""
        self._tell(lambda: self._audience.stopping(reason))

    def _tell(self, tell: Callable[[], None]) -> None:
        if self._closed:
            return
        try:
            tell()
        except BrokenPipeError:
            self._closed = True
            raise
