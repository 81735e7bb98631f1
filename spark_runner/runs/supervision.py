"""A run from CREATED to its end: start, attempts, cancelling, the time limit, the report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from planner.errors import ExecutionError, PlanError
from planner.job import RestartStrategy
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.start_failures import explain_run_failure
from spark_runner.figures.results import RunResult, VertexFinished
from spark_runner.figures.tracking import VertexProgress, VertexTracker
from spark_runner.program.program import SparkProgram
from spark_runner.runs.audience import Audience, UntilPipeCloses
from spark_runner.runs.driver import Driver
from spark_runner.runs.report import RunReport, build_report
from spark_runner.runs.restart import RestartPolicy
from spark_runner.runs.store import FINAL_STATES, RunFolder, RunRecord, RunState
from spark_runner.runs.watching import Stopped, TimedOut, Watch, stop_once_on_signals, without_gateway_noise

__all__ = ["Audience", "Outcome", "supervise"]

_PATIENCE = 3.0  # seconds that a cancelled action has to end
_MOMENT = 0.1
_NOBODY_READS = "nobody read its output any more: the pipe was closed"

Ended = Literal["finished", "failed", "ctrl-c", "asked", "pipe closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended."""

    record: RunRecord
    report: RunReport
    ended: Ended
    error: PlanError | None = None
    abandoned: bool = False  # a thread still waits for a cluster that does not answer, and would hold Python's end


def supervise(
    program: SparkProgram, run: RunFolder, request: RunRequest, *, strategy: RestartStrategy, audience: Audience
) -> Outcome:
    """Run a program that was accepted (its run is CREATED), and see it to its end.

    The request is given, since the run's own record keeps it without its secrets.
    """
    return _Supervision(program, run, request, strategy, audience).to_the_end()


class _Supervision:
    def __init__(
        self,
        program: SparkProgram,
        run: RunFolder,
        request: RunRequest,
        strategy: RestartStrategy,
        audience: Audience,
    ) -> None:
        self.program, self.run, self.audience = program, run, UntilPipeCloses(audience)
        self.request = request
        self.policy = RestartPolicy(strategy=strategy)
        self.tracker = VertexTracker(program, self._vertex_changed)
        self.driver = _driver(program, run, request)
        self.watch = Watch(run, self.driver, self.tracker, self.audience, timeout=self.request.timeout)
        self.result: RunResult | None = None
        self.error: PlanError | None = None

    def to_the_end(self) -> Outcome:
        with stop_once_on_signals(), without_gateway_noise():
            ended = self._run()
            report = self._report()
            self.driver.close(finished=self.result is not None)
            self.watch.wait(_MOMENT)
        return Outcome(
            record=self.run.seen(), report=report, ended=ended, error=self.error, abandoned=self.watch.working
        )

    def _run(self) -> Ended:
        try:
            self.watch.until_done(self.driver.start, give_up=self.driver.refusal_while_starting)
            self._move("RUNNING")
            self._attempts()
            self._move("FINISHED")
            return "finished"
        except KeyboardInterrupt:
            return self._cancel("ctrl-c", "Ctrl-C")
        except Stopped:
            return self._cancel("asked", "plan cancel" if self.run.cancel_requested() else "SIGTERM")
        except BrokenPipeError:
            return self._pipe_closed()
        except TimedOut:
            return self._time_out()
        except PlanError as failure:
            return self._fail(failure)

    # --- attempts

    def _attempts(self) -> None:
        attempt = 1
        while True:
            try:
                self.watch.until_done(self._execute, give_up=self.driver.refusal_while_running)
                return
            except ExecutionError as failure:
                delay = self._delay_after(failure)
                attempt += 1
                self._restart(attempt, delay, failure)

    def _execute(self) -> None:
        self.result = self.driver.execute(self.watch.events.put)

    def _delay_after(self, failure: ExecutionError) -> float:
        """Seconds until the next attempt. Raises where there is none."""
        self.watch.drain()
        refusal = self.driver.why_lost(failure) or explain_run_failure(failure, self.request.master, self.run.log)
        if refusal is not None:
            raise refusal from (None if refusal is failure else failure)
        delay = self.policy.delay_after_failure(time.monotonic())
        if delay is None or self.watch.working:
            raise failure
        return delay

    def _restart(self, attempt: int, delay: float, failure: ExecutionError) -> None:
        self.tracker.end("FAILED")
        self._move("RESTARTING", message=failure.message, attempt=attempt)
        self.watch.pause(delay)
        self.tracker.restart(attempt)
        self._move("RUNNING", attempt=attempt)

    # --- ends

    def _pipe_closed(self) -> Ended:
        """Nobody reads: end a run that goes on; one that is done has finished all the same."""
        if self.result is None:
            return self._cancel("pipe closed", _NOBODY_READS)
        if self.run.record().state not in FINAL_STATES:
            self._move("FINISHED", message=_NOBODY_READS)
        return "pipe closed"

    def _cancel(self, ended: Ended, reason: str) -> Ended:
        left = self._stop(reason)
        self._end("CANCELED", f"{reason}; {left}" if left else reason)
        return ended

    def _time_out(self) -> Ended:
        """A stream without an end has done what it was asked to; anything else has failed."""
        limit = f"--timeout {(self.request.timeout or 0) / 1000:g}s"
        before, waits_for = self.run.record(), self.driver.waits_for()
        left = self._stop(limit)
        if before.state == "RESTARTING":
            return self._fail(ExecutionError(f"{limit} was over before the restart after: {before.message}"))
        if before.state != "RUNNING" or not self.driver.endless:
            why = f": {waits_for}" if waits_for else ""
            return self._fail(ExecutionError(f"the run took longer than {limit} and was ended{why}"))
        self.watch.drain()
        if left is None and self.watch.failure is not None:
            return self._fail(self.watch.failure)
        if (left or self.result is None) and not self.watch.batches:
            return self._fail(ExecutionError(f"the stream had not ended its first batch when {limit} was over"))
        self._finish_stream(f"ended by {limit}; {left}" if left else f"ended by {limit}")
        return "finished"

    def _finish_stream(self, message: str) -> None:
        result = self.driver.result_so_far()
        for figures in result.vertices if result else ():
            self.tracker.take(VertexFinished(figures=figures))
        self._move("FINISHED", message=message)

    def _fail(self, failure: PlanError) -> Ended:
        self.error = failure
        self._end("FAILED", failure.message)
        return "failed"

    def _stop(self, reason: str) -> str | None:
        """End what runs; what of a stream was broken off."""
        self.watch.events.close(silent=self.program.mode == "batch")  # a stream's batch that ends now never comes again
        self.audience.stopping(reason)
        left = self.driver.cancel()
        self.watch.wait(_PATIENCE)
        return left

    def _end(self, state: Literal["FAILED", "CANCELED"], message: str) -> None:
        self.watch.drain()
        self.tracker.end(state)
        self._move(state, message=message)

    # --- telling

    def _move(self, state: RunState, *, message: str | None = None, attempt: int | None = None) -> None:
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

    # --- figures

    def _report(self) -> RunReport:
        self.watch.look_at_stages()
        if self.result is not None:
            self.result = self.driver.with_stages(self.result)
            self.tracker.learn(self.result.vertices)
        self.tracker.settle()
        result = self.result or self.driver.result_so_far()  # a stream that was stopped has figures all the same
        vertices = result.vertices if result else ()
        stages = {stage for vertex in vertices for stage in vertex.stages}
        stages |= {vertex.stage for vertex in self.tracker.snapshot() if vertex.stage is not None}
        figures = self.driver.figures(stages)
        report = build_report(
            self.run.record(),
            self.program,
            self.tracker.snapshot(),
            result,
            figures,
            application=self.driver.application,
            batches=tuple(self.watch.batches),
        )
        self.run.keep_report(report.to_dict())
        return report


def _driver(program: SparkProgram, run: RunFolder, request: RunRequest) -> Driver:
    if request.deploy_mode == "cluster":
        from spark_runner.runs.remote_driver import RemoteDriver

        return RemoteDriver(request, program, folder=run.path, log=run.log)
    if program.mode == "streaming":
        from spark_runner.runs.stream_driver import StreamDriver

        return StreamDriver(request, program, group=run.id, log=run.log)
    from spark_runner.runs.local_driver import LocalDriver

    return LocalDriver(request, program, group=run.id, log=run.log)
