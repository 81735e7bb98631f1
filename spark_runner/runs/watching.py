"""Waiting for work in a thread, and looking around meanwhile.

The main thread never waits for Spark: it looks around several times a second, so that Ctrl-C, `plan cancel` and
--timeout work at every moment, also while a master does not answer.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

from planner.errors import ExecutionError, InternalError, PlanError
from spark_runner.figures.results import CollectedRecord, Event, PrintedRecord, StreamBatch, WritingAside
from spark_runner.figures.tracking import VertexTracker
from spark_runner.runs.audience import Audience
from spark_runner.runs.driver import Driver
from spark_runner.runs.event_queue import EventQueue
from spark_runner.runs.store import RunFolder

__all__ = ["Stopped", "TimedOut", "Watch", "stop_once_on_signals", "without_gateway_noise"]

_LOOK = 0.1  # seconds between two looks at the thread
_POLL = 0.5  # seconds between two looks at Spark's stages: each is a few calls into the JVM
_SOME_TIME = 3.0  # seconds that a wait lasts before it is told
_MOST_BATCHES = 5_000  # of a stream that are kept for its report
_Answer = TypeVar("_Answer")


class Stopped(Exception):
    """Somebody asked the run to end."""


class TimedOut(Exception):
    """The run took longer than --timeout allows."""


class Watch:
    """What the main thread does while another one works."""

    def __init__(
        self, run: RunFolder, driver: Driver, tracker: VertexTracker, audience: Audience, *, timeout: int | None
    ) -> None:
        self.events = EventQueue()
        self._run, self._driver, self._tracker, self._audience = run, driver, tracker, audience
        self._timeout = timeout
        self._began, self._polled = time.monotonic(), 0.0
        self._ended = threading.Event()  # not the thread's `join`: a signal while it waits makes Python 3.11 forget it
        self._ended.set()
        self.failure: PlanError | None = None  # what the last work raised
        self._busy = False  # events came with the last look, so more may be there
        self.batches: deque[StreamBatch] = deque(maxlen=_MOST_BATCHES)
        self._waits_for: tuple[str | None, float] = None, 0.0  # what the driver waits for, and since when
        self._told: str | None = None

    def until_done(
        self, work: Callable[[], _Answer], *, give_up: Callable[[float], PlanError | None] = lambda _: None
    ) -> _Answer:
        """Do the work in a thread and look around while it goes on."""
        answers: list[_Answer] = []
        self.failure = None

        def do() -> None:
            try:
                answers.append(work())
            except BaseException as failure:
                self.failure = failure if isinstance(failure, PlanError) else _unexpected(failure)
            finally:
                ended.set()

        ended = self._ended = threading.Event()
        threading.Thread(target=do, daemon=True, name="plan-run").start()
        begun = time.monotonic()
        while not ended.wait(0 if self._busy else _LOOK):
            self._look_around()
            refusal = give_up(time.monotonic() - begun)
            if refusal is not None and not ended.is_set():
                raise refusal
        self.drain()
        if self.failure is not None:
            raise self.failure
        return answers[0]

    def pause(self, seconds: float) -> None:
        """Wait, and look around meanwhile."""
        self.until_done(lambda: time.sleep(seconds))

    def wait(self, seconds: float) -> None:
        """Give the thread some time to end."""
        self._ended.wait(seconds)

    @property
    def working(self) -> bool:
        """Whether a thread still works, perhaps for a cluster that does not answer."""
        return not self._ended.is_set()

    def drain(self) -> None:
        """Pass on what the engine told since the last look."""
        while self._pass_on():
            pass

    def _pass_on(self) -> bool:
        """Pass on what waits now; whether there was anything."""
        events = self.events.take()
        found = bool(events)
        try:
            while events:
                self._tell(events.popleft())
        except BaseException:  # Ctrl-C, or a closed pipe: the rest is told when the run is ended
            self.events.give_back(events)
            raise
        return found

    def _tell(self, event: Event) -> None:
        if isinstance(event, PrintedRecord):
            self._audience.printed(event)
        elif isinstance(event, CollectedRecord):
            self._audience.collected(event.record)
        elif isinstance(event, StreamBatch):
            self.batches.append(event)
            self._tracker.take(event)
            self._audience.batched(event)
        elif isinstance(event, WritingAside):
            self._run.note_aside(event.path)
        else:
            self._tracker.take(event)

    def look_at_stages(self) -> None:
        """Follow Spark's stages."""
        self._tracker.watch(self._driver.stages())

    def _look_around(self) -> None:
        self._busy = self._pass_on()  # not all that comes meanwhile: there may be no end of it
        if self._run.cancel_requested():
            raise Stopped
        now = time.monotonic()
        if self._timeout is not None and now - self._began > self._timeout / 1000:
            raise TimedOut
        if now - self._polled > _POLL:
            self._polled = now
            self._run.sign_of_life()
            self.look_at_stages()
            self._audience.progressed(self._tracker.snapshot())
            self._tell_waiting(now)

    def _tell_waiting(self, now: float) -> None:
        """Tell once what the run waits for; not what is over in a moment."""
        waits_for, (before, since) = self._driver.waits_for(), self._waits_for
        if waits_for != before:
            self._waits_for = waits_for, now
        elif waits_for is not None and waits_for != self._told and now - since > _SOME_TIME:
            self._told = waits_for
            self._audience.noticed(f"waiting: {waits_for}")
            self._run.tell({"type": "waiting", "message": waits_for})


def _unexpected(failure: BaseException) -> PlanError:
    """A failure that nobody turned into words: one of Spark's is the run's, any other is our bug."""
    name = type(failure).__name__
    if type(failure).__module__.startswith(("py4j", "pyspark", "grpc")) or isinstance(failure, OSError):
        lines = [line for line in str(failure).splitlines() if line.strip()]
        return ExecutionError(f"Spark failed: {lines[0].strip() if lines else name}")
    error = InternalError(f"{name}: {failure}")
    error.__cause__ = failure
    return error


@contextlib.contextmanager
def without_gateway_noise() -> Iterator[None]:
    """Keep Py4J's tracebacks of a JVM that has ended off the terminal: whoever called it gets the exception."""

    def not_of_py4j(record: logging.LogRecord) -> bool:
        return record.module not in ("clientserver", "java_gateway")

    logging.root.addFilter(not_of_py4j)
    try:
        yield
    finally:
        logging.root.removeFilter(not_of_py4j)


@contextlib.contextmanager
def stop_once_on_signals() -> Iterator[None]:
    """Turn the first SIGTERM or Ctrl-C into an orderly end, and let no second one disturb that.

    Python allows handlers in the main thread only.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stopping = False

    def stop(number: int, _: object) -> None:
        nonlocal stopping
        if not stopping:
            stopping = True
            raise KeyboardInterrupt if number == signal.SIGINT else Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
