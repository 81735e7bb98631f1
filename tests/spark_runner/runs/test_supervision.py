"""A run and its driver, without Spark: what ends it, and what its record then says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planner.errors import ExecutionError, InternalError, PlanError
from planner.job import RestartStrategy
from spark_runner.clusters.request import RunRequest
from spark_runner.figures.results import Events, PrintedRecord, RunResult, StageFigures
from spark_runner.figures.tracking import StageCounts
from spark_runner.runs import supervision
from spark_runner.runs.store import RunFolder, RunStore
from spark_runner.runs.supervision import Outcome, supervise

RECORD = PrintedRecord(operator="print-1", subtask=None, text="a")
NOTHING = RunResult(vertices=(), sinks=())
PROGRAM: Any = SimpleNamespace(name="test", mode="batch", steps=(), passes=(), sinks=(), stream=None)


class Driver:
    """A driver that does what a test says, and notes what it is asked."""

    application: str | None = "app-1"
    lost = False

    def __init__(self, *attempts: Callable[[Driver, Events], RunResult]) -> None:
        self.attempts, self.asked, self.stopped = list(attempts), list[str](), threading.Event()

    def start(self) -> None:
        self.asked.append("start")

    def execute(self, events: Events) -> RunResult:
        self.asked.append("execute")
        return self.attempts.pop(0)(self, events)

    def refusal_while_starting(self, waited: float) -> PlanError | None:
        return None

    refusal_while_running = refusal_while_starting

    def stages(self) -> Iterable[StageCounts]:
        return ()

    def with_stages(self, result: RunResult) -> RunResult:
        return result

    def result_so_far(self) -> RunResult | None:
        return None

    def figures(self, stages: Iterable[int]) -> dict[int, StageFigures]:
        return {}

    def cancel(self) -> None:
        self.asked.append("cancel")
        self.stopped.set()

    def close(self, *, finished: bool) -> None:
        self.asked.append(f"close finished={finished}")


class Audience:
    """Hears everything; `closed` is a pipe that nobody reads."""

    def __init__(self, *, closed: bool = False) -> None:
        self.heard, self.closed = list[str](), closed

    def run_changed(self, record: Any) -> None:
        self.heard.append(record.state)

    def vertex_changed(self, vertex: Any) -> None:
        pass

    def progressed(self, vertices: Any) -> None:
        pass

    def printed(self, record: PrintedRecord) -> None:
        if self.closed:
            raise BrokenPipeError
        self.heard.append(str(record))

    def stopping(self, reason: str) -> None:
        self.heard.append(f"stopping: {reason}")

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunStore.under(tmp_path).submit(RunRequest(job="job.py", folder=str(tmp_path)))
    folder.move("CREATED")
    return folder


@pytest.fixture
def supervised(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    def supervising(driver: Driver, audience: Audience, strategy: RestartStrategy | None = None) -> Outcome:
        monkeypatch.setattr(supervision, "_driver", lambda program, folder: driver)
        return supervise(PROGRAM, run, strategy=strategy or RestartStrategy(), audience=audience)

    return supervising


def finishes(driver: Driver, events: Events) -> RunResult:
    events(RECORD)
    return NOTHING


def waits(driver: Driver, events: Events) -> RunResult:
    events(RECORD)
    driver.stopped.wait(60)
    raise ExecutionError("canceled")


def fails(driver: Driver, events: Events) -> RunResult:
    raise ExecutionError("it broke", operator="map-1")


def test_a_run_that_finishes(supervised: Callable[..., Outcome]) -> None:
    driver, audience = Driver(finishes), Audience()
    outcome = supervised(driver, audience)
    assert (outcome.ended, outcome.record.state, outcome.error) == ("finished", "FINISHED", None)
    assert audience.heard == ["RUNNING", "a", "FINISHED"]
    assert driver.asked == ["start", "execute", "close finished=True"]


def test_a_failure_is_tried_again_as_the_strategy_says(supervised: Callable[..., Outcome]) -> None:
    strategy = RestartStrategy(type="fixed-delay", attempts=2, delay=1)
    driver, audience = Driver(fails, fails, finishes), Audience()
    outcome = supervised(driver, audience, strategy)
    assert (outcome.ended, outcome.record.attempt) == ("finished", 3)
    assert [word for word in audience.heard if word != "a"] == [
        "RUNNING", "RESTARTING", "RUNNING", "RESTARTING", "RUNNING", "FINISHED",
    ]  # fmt: skip


def test_a_failure_without_another_attempt_ends_the_run(supervised: Callable[..., Outcome]) -> None:
    outcome = supervised(Driver(fails), Audience())
    assert (outcome.ended, outcome.record.state, str(outcome.record.message)) == ("failed", "FAILED", "it broke")
    assert isinstance(outcome.error, ExecutionError)


def test_a_bug_of_ours_is_no_failure_of_the_job(supervised: Callable[..., Outcome]) -> None:
    def breaks(driver: Driver, events: Events) -> RunResult:
        raise KeyError("nobody thought of this")

    outcome = supervised(Driver(breaks), Audience())
    assert isinstance(outcome.error, InternalError) and outcome.record.state == "FAILED"


def test_a_closed_pipe_cancels_what_goes_on(supervised: Callable[..., Outcome]) -> None:
    driver = Driver(waits)
    outcome = supervised(driver, Audience(closed=True))
    assert (outcome.ended, outcome.record.state) == ("pipe closed", "CANCELED")
    assert "the pipe was closed" in str(outcome.record.message)
    assert driver.asked == ["start", "execute", "cancel", "close finished=False"]


def test_a_closed_pipe_does_not_undo_what_is_done(run: RunFolder, supervised: Callable[..., Outcome]) -> None:
    class Closing(Audience):
        def run_changed(self, record: Any) -> None:
            if record.state == "FINISHED":
                raise BrokenPipeError

    outcome = supervised(Driver(lambda driver, events: NOTHING), Closing())
    assert (outcome.ended, outcome.record.state) == ("pipe closed", "FINISHED")


def test_somebody_asks_the_run_to_end(run: RunFolder, supervised: Callable[..., Outcome]) -> None:
    def asks(driver: Driver, events: Events) -> RunResult:
        run.request_cancel()
        return waits(driver, events)

    audience = Audience()
    outcome = supervised(Driver(asks), audience)
    assert (outcome.ended, outcome.record.state) == ("asked", "CANCELED")
    assert audience.heard[-2:] == ["stopping: plan cancel", "CANCELED"]
