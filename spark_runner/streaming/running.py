"""A streaming run as its supervision sees it: the checkpoint is taken, attempts are made, a stop lets the batch end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_runner.clusters.request import RunRequest
from spark_runner.figures.results import Events, RunResult
from spark_runner.program.program import SparkProgram
from spark_runner.streaming.opening import open_checkpoint, stream_interval

if TYPE_CHECKING:
    from spark_runner.streaming.execute import StreamRun

__all__ = ["StreamWork"]


class StreamWork:
    """One run's stream, over all its attempts."""

    def __init__(self, program: SparkProgram, request: RunRequest, folder: Path) -> None:
        assert program.chunks is not None
        self.program, self.request, self.chunks = program, request, program.chunks
        self.checkpoint = open_checkpoint(request, folder)
        self._current: StreamRun | None = None
        self._halted = False

    @property
    def endless(self) -> bool:
        """Whether only a stop ends it."""
        interval, once = stream_interval(self.request, self.chunks)
        return interval is not None and not once

    def claim(self, run: str) -> None:
        """Take the checkpoint, and check again that the job may continue from it."""
        self.checkpoint.claim(run)
        self.checkpoint.check(self.chunks)

    def execute(self, spark: Any, events: Events) -> RunResult:
        """One attempt."""
        from spark_runner.streaming.execute import StreamOptions, StreamRun

        interval, once = stream_interval(self.request, self.chunks)
        options = StreamOptions(interval=interval, once=once)
        totals = None if self._current is None else self._current.totals  # counts are those of all attempts
        self._current = StreamRun(self.program, spark, self.checkpoint, options, events=events, totals=totals)
        if self._halted:
            self._current.halt()
        return self._current.run()

    def result(self) -> RunResult | None:
        """What the last attempt has counted so far."""
        return None if self._current is None else self._current.totals.result()

    def halt(self) -> None:
        """Finish the current batch, and start no other."""
        self._halted = True
        if self._current is not None:
            self._current.halt()

    def release(self) -> None:
        """Let go of the checkpoint."""
        self.checkpoint.release()
