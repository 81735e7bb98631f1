"""A run from CREATED to its end: session, attempts, restarts, cancelling, the time limit, the report.

The session is opened and the program executed in a thread of their own. The main thread never waits for Spark: it
looks around several times a second, so that Ctrl-C, `plan cancel` and --timeout work at every moment, also while a
master does not answer.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from planner.durable import write_json
from planner.errors import ExecutionError, InternalError, PlanError
from planner.job import RestartStrategy
from spark_runner.clusters.gateway import end_starting_jvms
from spark_runner.clusters.session import Session, open_session
from spark_runner.clusters.start_failures import LogWatch, explain_run_failure
from spark_runner.figures.results import Event, PrintedRecord, RunResult, StageFigures
from spark_runner.figures.stage_figures import running_stages, stage_figures
from spark_runner.figures.tracking import VertexProgress, VertexTracker
from spark_runner.program.program import SparkProgram
from spark_runner.runs.remote_driver import RemoteDriver
from spark_runner.runs.report import RunReport, build_report
from spark_runner.runs.restart import RestartPolicy
from spark_runner.runs.store import RunFolder, RunRecord
from spark_runner.streaming.running import StreamWork

__all__ = ["Audience", "Outcome", "supervise"]

_LOOK = 0.1  # seconds between two looks at the thread
_POLL = 0.5  # seconds between two looks at Spark's stages: each is a few calls into the JVM
_PATIENCE = 3.0  # seconds that a cancelled action has to end
_LONGEST_END = 15.0  # seconds that a session has to stop
_Answer = TypeVar("_Answer")


class Audience(Protocol):
    """Who is told what a run does."""

    def run_changed(self, record: RunRecord) -> None:
        """The run went to another state."""

    def vertex_changed(self, vertex: VertexProgress) -> None:
        """A vertex went to another state."""

    def progressed(self, vertices: tuple[VertexProgress, ...]) -> None:
        """Some time has passed."""

    def printed(self, record: PrintedRecord) -> None:
        """A `print` sink gave a record."""


class _Stopped(Exception):
    """Somebody asked the run to end."""


class _TimedOut(Exception):
    """The run took longer than --timeout allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended. `interrupted`: by Ctrl-C in this terminal."""

    record: RunRecord
    report: RunReport
    error: PlanError | None = None
    interrupted: bool = False
    abandoned: bool = False  # a thread still waits for a cluster that does not answer, and would hold Python's end


def supervise(program: SparkProgram, run: RunFolder, *, strategy: RestartStrategy, audience: Audience) -> Outcome:
    """Run a program that was accepted (its run is CREATED), and see it to its end."""
    return _Supervision(program, run, strategy, audience).to_the_end()


class _Supervision:
    def __init__(self, program: SparkProgram, run: RunFolder, strategy: RestartStrategy, audience: Audience) -> None:
        self.program, self.run, self.audience = program, run, audience
        self.request = run.record().request
        self.policy = RestartPolicy(strategy=strategy)
        self.tracker = VertexTracker(program, self._vertex_changed)
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.session: Session | None = None
        self.driver: RemoteDriver | None = None  # in cluster mode, instead of a session
        self.stream = StreamWork(program, self.request, run.path) if program.stream is not None else None
        self.result: RunResult | None = None
        self.watch = LogWatch(self.request.master, run.log)
        self.began = time.monotonic()
        self.polled = 0.0

    def to_the_end(self) -> Outcome:
        with _stop_once_on_signals(), _without_gateway_noise():
            error, interrupted = self._run()
            report = self._report()
            self._close()
        abandoned = self.worker.is_alive()
        return Outcome(
            record=self.run.record(), report=report, error=error, interrupted=interrupted, abandoned=abandoned
        )

    def _run(self) -> tuple[PlanError | None, bool]:
        error: PlanError | None = None
        interrupted = False
        try:
            self._start()
            self._attempts()
            self._move("FINISHED")
        except (KeyboardInterrupt, _Stopped) as stop:
            interrupted = isinstance(stop, KeyboardInterrupt)
            self._cancel()
            self._end("CANCELED", "Ctrl-C" if interrupted else "plan cancel")
        except _TimedOut:
            self._cancel()
            error = ExecutionError(f"the run took longer than --timeout {_seconds(self.request.timeout)} and was ended")
            self._end("FAILED", error.message)
        except PlanError as failure:
            error = failure
            self._end("FAILED", failure.message)
        return error, interrupted

    def _start(self) -> None:
        if self.stream is not None:
            self._wait_for(functools.partial(self.stream.claim, self.run.id))
        if self.request.deploy_mode == "cluster":
            self.driver = RemoteDriver(self.request, self.program, folder=self.run.path, log=self.run.log)
            self._wait_for(self.driver.start)
            self._move("RUNNING")
            return
        self.session = self._wait_for(
            lambda: open_session(self.request, name=self.program.name, log=self.run.log, meanwhile=_import_early),
            give_up=self.watch.while_starting,
        )
        self._move("RUNNING")

    def _attempts(self) -> None:
        attempt = 1
        while True:
            try:
                self.result = self._wait_for(self._execute, give_up=self.watch.while_running)
                return
            except ExecutionError as failure:
                self._drain()
                refusal = explain_run_failure(failure, self.request.master, self.run.log)
                if refusal is not None:
                    raise refusal from failure
                delay = self.policy.delay_after_failure(time.monotonic())
                if delay is None or self._is_lost():
                    raise
                attempt += 1
                self._restart(attempt, delay, failure)

    def _is_lost(self) -> bool:
        """Whether nobody is left to try again with."""
        return self.worker.is_alive() or (self.driver is not None and self.driver.lost)

    def _execute(self) -> RunResult:
        if self.driver is not None:
            return self.driver.execute(self.events.put)
        if self.stream is not None:
            assert self.session is not None
            return self.stream.execute(self.session.spark, self.events.put)
        from spark_runner.batch.execute import execute

        assert self.session is not None
        self.session.mark(self.run.id, self.program.name)
        return execute(self.program, self.session.spark, events=self.events.put)

    def _restart(self, attempt: int, delay: float, failure: ExecutionError) -> None:
        self.tracker.end("FAILED")
        self._move("RESTARTING", message=failure.message, attempt=attempt)
        self._wait_for(lambda: time.sleep(delay))
        self.tracker.restart(attempt)
        self._move("RUNNING", attempt=attempt)

    def _wait_for(
        self, work: Callable[[], _Answer], *, give_up: Callable[[float], PlanError | None] = lambda _: None
    ) -> _Answer:
        """Do the work in a thread and look around while it goes on."""
        answers: list[_Answer] = []
        failures: list[BaseException] = []

        def do() -> None:
            try:
                answers.append(work())
            except BaseException as failure:
                failures.append(failure)

        self.worker = threading.Thread(target=do, daemon=True, name="plan-run")
        self.worker.start()
        begun = time.monotonic()
        while self.worker.is_alive():
            self.worker.join(_LOOK)
            self._look_around()
            refusal = give_up(time.monotonic() - begun)
            if refusal is not None and self.worker.is_alive():
                raise refusal
        self._drain()
        if failures:
            raise failures[0] if isinstance(failures[0], PlanError) else _unexpected(failures[0])
        return answers[0]

    def _look_around(self) -> None:
        self._drain()
        if self.run.cancel_requested():
            raise _Stopped
        now = time.monotonic()
        if self.request.timeout is not None and now - self.began > self.request.timeout / 1000:
            raise _TimedOut
        if now - self.polled > _POLL:
            self.polled = now
            self._watch_stages()
            self.audience.progressed(self.tracker.snapshot())

    def _watch_stages(self) -> None:
        if self.driver is not None:
            self.tracker.watch(self.driver.stages)
        elif self.session is not None:
            with contextlib.suppress(Exception):  # a JVM that just died: the worker thread reports that
                self.tracker.watch(running_stages(self.session, self.run.id))

    def _drain(self) -> None:
        """Pass on what the engine told since the last look."""
        while True:
            try:
                event = self.events.get_nowait()
            except queue.Empty:
                return
            if isinstance(event, PrintedRecord):
                self.audience.printed(event)
            else:
                self.tracker.take(event)

    def _cancel(self) -> None:
        if self.driver is not None:
            self.driver.kill()
        if self.session is None:
            return
        if self.stream is not None:
            self.stream.halt()  # the batch at hand may end; else it is left whole for a restart
            self.worker.join(_PATIENCE)
        # The call itself may hang when the cluster does: it gets the same patience as the action.
        caller = threading.Thread(target=self.session.cancel, args=(self.run.id,), daemon=True)
        caller.start()
        self.worker.join(_PATIENCE)
        self._drain()

    def _end(self, state: Any, message: str) -> None:
        self._drain()
        self.tracker.end(state)
        self._move(state, message=message)

    def _move(self, state: Any, *, message: str | None = None, attempt: int | None = None) -> None:
        self.audience.run_changed(self.run.move(state, message=message, attempt=attempt))

    def _vertex_changed(self, vertex: VertexProgress) -> None:
        self.run.tell(
            {
                "type": "vertex",
                "vertex": vertex.vertex,
                "name": vertex.name,
                "state": vertex.state,
                "attempt": vertex.attempt,
            }
        )
        self.audience.vertex_changed(vertex)

    def _report(self) -> RunReport:
        self._watch_stages()
        if self.session is not None and self.result is not None and self.stream is None:
            from spark_runner.figures.action_stages import with_shares

            self.result = with_shares(self.result, self.program, self.session.spark, self.run.id)
        self.tracker.learn(self.result.vertices if self.result else ())
        self.tracker.settle()
        application, figures = self._ask_spark()
        report = build_report(
            self.run.record(), self.program, self.tracker.snapshot(), self.result, figures, application=application
        )
        write_json(self.run.report, report.to_dict())
        return report

    def _ask_spark(self) -> tuple[str | None, dict[int, StageFigures]]:
        if self.driver is not None:
            return self.driver.application, self.driver.figures
        if self.session is None:
            return None, {}
        stages = {stage for vertex in (self.result.vertices if self.result else ()) for stage in vertex.stages}
        stages |= {vertex.stage for vertex in self.tracker.snapshot() if vertex.stage is not None}
        try:
            return self.session.application, stage_figures(self.session, stages)
        except Exception:  # the JVM is gone, and its figures with it
            return None, {}

    def _close(self) -> None:
        if self.driver is not None:
            self.driver.close(finished=self.result is not None)
        if self.stream is not None:
            self.stream.release()
        end_starting_jvms()
        if self.session is None:
            return
        # In a thread, since a cluster that does not answer would hold the end of the run.
        closer = threading.Thread(
            target=self.session.close, kwargs={"finished": self.result is not None}, daemon=True, name="plan-close"
        )
        closer.start()
        closer.join(_LONGEST_END)
        self.worker.join(_LOOK)


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
def _without_gateway_noise() -> Iterator[None]:
    """Keep Py4J's tracebacks of a JVM that has ended off the terminal: whoever called it is told by the exception."""

    def not_of_py4j(record: logging.LogRecord) -> bool:
        return record.module not in ("clientserver", "java_gateway")

    logging.root.addFilter(not_of_py4j)
    try:
        yield
    finally:
        logging.root.removeFilter(not_of_py4j)


def _seconds(milliseconds: int | None) -> str:
    return f"{(milliseconds or 0) / 1000:g}s"


@contextlib.contextmanager
def _stop_once_on_signals() -> Iterator[None]:
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
            raise KeyboardInterrupt if number == signal.SIGINT else _Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _import_early() -> None:
    """Import what every run needs."""
    import spark_runner.batch.execute  # noqa: F401
