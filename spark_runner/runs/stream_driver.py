"""The driver of a stream in this process: it holds a checkpoint, and a stop lets the current batch end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planner.errors import PlanError
from spark_runner.clusters.connect import is_connect
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.request import RunRequest
from spark_runner.figures.results import Events, RunResult
from spark_runner.program.program import SparkProgram
from spark_runner.runs.local_driver import LocalDriver
from spark_runner.streaming.full_disk import checkpoint_is_full, read_from, size_of
from spark_runner.streaming.running import StreamWork

__all__ = ["StreamDriver"]

_PATIENCE = 3.0  # seconds that the current batch has to end
_LEFT = "the current batch was left: the next run on the checkpoint runs it again"


class StreamDriver(LocalDriver):
    """A session with one streaming query on it."""

    def __init__(self, request: RunRequest, program: SparkProgram, *, group: str, log: Path) -> None:
        super().__init__(request, program, group=group, log=log)
        self._stream = StreamWork(program, request, log.parent)
        self._idle = threading.Event()
        self._idle.set()
        self.endless = self._stream.endless

    def start(self) -> None:
        """Take the checkpoint, and open the session."""
        with self._naming_a_full_checkpoint():
            self._stream.claim(self._group)
        super().start()
        assert self._session is not None
        if is_connect(self._session.spark):
            self._run.note_server(self._request.master, self._session.spark.session_id)

    def execute(self, events: Events) -> RunResult:
        """Run the query once, until it ends or is halted."""
        assert self._session is not None
        self._idle.clear()
        try:
            with self._naming_a_full_checkpoint(), self._naming_a_lost_pod():
                return self._stream.execute(self._session.spark, events)
        finally:
            self._idle.set()

    @contextmanager
    def _naming_a_full_checkpoint(self) -> Iterator[None]:
        begin = size_of(self._log)
        try:
            yield
        except (PlanError, OSError) as error:
            full = checkpoint_is_full(error, self._stream.checkpoint.path, read_from(self._log, begin))
            if full is None:
                raise
            raise full from error

    def result_so_far(self) -> RunResult | None:
        """What was written before the stream was stopped."""
        return self._stream.result()

    def with_stages(self, result: RunResult) -> RunResult:
        """The query's own figures name them."""
        return result

    def cancel(self) -> str | None:
        """Finish the current batch, so that it is whole for a restart; end it where that takes too long."""
        self._stream.halt()
        left = None if self._idle.wait(_PATIENCE) else _LEFT
        super().cancel()
        return left

    def close(self, *, finished: bool) -> None:
        """Let go of the checkpoint, and end the session."""
        self._stream.release()
        super().close(finished=finished)
        if parse_master(self._request.master).kind == "connect":
            self._run.forget_server()
