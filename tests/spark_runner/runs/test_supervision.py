"""A run and its driver, without Spark: what ends it, and what its record then says."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planner.durable import write_json
from planner.errors import ExecutionError, InternalError, PlanError
from planner.job import RestartStrategy
from spark_runner.clusters.request import RunRequest
from spark_runner.figures.results import (
    ActionStarted,
    Events,
    OperatorFigures,
    PrintedRecord,
    RunResult,
    StageFigures,
    StreamBatch,
    VertexBatch,
    VertexFigures,
)
from spark_runner.figures.tracking import StageCounts
from spark_runner.runs import supervision
from spark_runner.runs.store import RunFolder, RunStore
from spark_runner.runs.supervision import Outcome, supervise

RECORD = PrintedRecord(operator="print-1", subtask=None, text="a")
NOTHING = RunResult(vertices=(), sinks=())
STEP = SimpleNamespace(name="Source: a", id="a", parallelism=2, passes=())
PROGRAM: Any = SimpleNamespace(name="test", mode="batch", steps=(STEP,), passes=(), sinks=(), chunks=None)
REQUEST = RunRequest(job="job.py", folder=".")
READ = OperatorFigures(node=1, key="a", name="Source: a", records_in=0, records_out=7)
COUNTED = RunResult(
    vertices=(VertexFigures(vertex=0, name="Source: a", parallelism=2, operators=(READ,), subtasks=()),), sinks=()
)
BATCH = StreamBatch(
    batch=0,
    ended=1.0,
    seconds=1.0,
    vertices=(
        VertexBatch(vertex=0, name="Source: a", records_in=7, records_out=7, late=0, watermark=None, keys=0, bytes=0),
    ),
)


class Driver:
    """A driver that does what a test says, and notes what it is asked."""

    application: str | None = "app-1"
    endless = False
    left: str | None = None
    waiting: str | None = None

    def __init__(self, *attempts: Callable[[Driver, Events], RunResult]) -> None:
        self.attempts, self.asked, self.stopped = list(attempts), list[str](), threading.Event()

    def start(self) -> None:
        self.asked.append("start")

    def execute(self, events: Events) -> RunResult:
        self.asked.append("execute")
        return self.attempts.pop(0)(self, events)

    def why_lost(self, failure: PlanError) -> PlanError | None:
        return None

    def waits_for(self) -> str | None:
        return self.waiting

    def refusal_while_starting(self, waited: float) -> PlanError | None:
        return None

    refusal_while_running = refusal_while_starting

    def stages(self) -> Iterable[StageCounts]:
        return ()

    def with_stages(self, result: RunResult) -> RunResult:
        return result

    def result_so_far(self) -> RunResult | None:
        return COUNTED if self.endless else None

    def figures(self, stages: Iterable[int]) -> dict[int, StageFigures]:
        return {}

    def cancel(self) -> str | None:
        self.asked.append("cancel")
        self.stopped.set()
        return self.left

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

    def noticed(self, text: str) -> None:
        self.heard.append(text)

    def stopping(self, reason: str) -> None:
        self.heard.append(f"stopping: {reason}")

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunStore.under(tmp_path).submit(REQUEST)
    folder.move("CREATED")
    return folder


class Stream(Driver):
    """A driver of a stream that only a stop ends."""

    endless = True


@pytest.fixture
def supervised(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    def supervising(
        driver: Driver, audience: Audience, strategy: RestartStrategy | None = None, timeout: int | None = None
    ) -> Outcome:
        monkeypatch.setattr(supervision, "_driver", lambda program, folder, request: driver)
        if timeout is not None:
            write_json(
                run.path / "run.json", replace(run.record(), request=replace(REQUEST, timeout=timeout)).to_dict()
            )
        return supervise(PROGRAM, run, run.record().request, strategy=strategy or RestartStrategy(), audience=audience)

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


# --- the time limit


def writes_a_batch(driver: Driver, events: Events) -> RunResult:
    events(ActionStarted(sink="stream", vertices=(0,)))
    events(BATCH)
    driver.stopped.wait(60)
    return NOTHING


def reads_nothing(driver: Driver, events: Events) -> RunResult:
    driver.stopped.wait(60)
    return NOTHING


def fails_when_stopped(driver: Driver, events: Events) -> RunResult:
    events(BATCH)
    driver.stopped.wait(60)
    raise ExecutionError("the last batch broke")


def states(outcome: Outcome) -> tuple[str, str, list[str]]:
    return outcome.ended, outcome.record.state, [vertex.state for vertex in outcome.report.vertices]


def test_a_stream_without_end_is_finished_by_its_time_limit(supervised: Callable[..., Outcome]) -> None:
    driver, audience = Stream(writes_a_batch), Audience()
    outcome = supervised(driver, audience, timeout=1500)
    assert states(outcome) == ("finished", "FINISHED", ["FINISHED"]) and outcome.error is None
    assert outcome.record.message == outcome.report.message == "ended by --timeout 1.5s"
    assert audience.heard == ["RUNNING", "stopping: --timeout 1.5s", "FINISHED"]
    assert driver.asked == ["start", "execute", "cancel", "close finished=True"]


def test_a_stream_that_met_no_records_has_finished_too(supervised: Callable[..., Outcome]) -> None:
    assert states(supervised(Stream(reads_nothing), Audience(), timeout=500)) == (
        "finished", "FINISHED", ["FINISHED"],
    )  # fmt: skip


def test_the_time_limit_says_that_a_batch_was_left(supervised: Callable[..., Outcome]) -> None:
    driver = Stream(writes_a_batch)
    driver.left = "the batch was left"
    outcome = supervised(driver, Audience(), timeout=500)
    assert states(outcome)[1] == "FINISHED"
    assert outcome.record.message == "ended by --timeout 0.5s; the batch was left"


def test_a_stream_that_ended_no_batch_in_time_has_failed(supervised: Callable[..., Outcome]) -> None:
    driver = Stream(waits)
    driver.left = "the batch was left"
    outcome = supervised(driver, Audience(), timeout=500)
    assert outcome.ended == "failed" and outcome.record.state == "FAILED"
    assert outcome.record.message == "the stream had not ended its first batch when --timeout 0.5s was over"


def test_a_stream_whose_last_batch_fails_has_failed(supervised: Callable[..., Outcome]) -> None:
    outcome = supervised(Stream(fails_when_stopped), Audience(), timeout=500)
    assert states(outcome) == ("failed", "FAILED", ["FAILED"])
    assert outcome.record.message == "the last batch broke"


def test_a_stream_that_waits_for_its_restart_when_time_is_over_has_failed(supervised: Callable[..., Outcome]) -> None:
    strategy = RestartStrategy(type="fixed-delay", attempts=2, delay=60_000)
    outcome = supervised(Stream(fails), Audience(), strategy, timeout=500)
    assert outcome.record.state == "FAILED"
    assert outcome.record.message == "--timeout 0.5s was over before the restart after: it broke"


def test_what_has_an_end_and_did_not_reach_it_in_time_has_failed(supervised: Callable[..., Outcome]) -> None:
    outcome = supervised(Driver(writes_a_batch), Audience(), timeout=500)
    assert states(outcome) == ("failed", "FAILED", ["FAILED"])
    assert outcome.record.message == "the run took longer than --timeout 0.5s and was ended"


def test_what_a_run_waits_for_is_told_once_and_when_its_time_is_over(
    supervised: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_runner.runs.watching._SOME_TIME", 0.3)
    driver, audience = Driver(waits), Audience()
    driver.waiting = "a pod waits for CPU"
    outcome = supervised(driver, audience, timeout=2500)
    assert outcome.record.message == "the run took longer than --timeout 2.5s and was ended: a pod waits for CPU"
    assert audience.heard.count("waiting: a pod waits for CPU") == 1


def test_a_canceled_run_says_that_a_batch_was_left(run: RunFolder, supervised: Callable[..., Outcome]) -> None:
    def asks(driver: Driver, events: Events) -> RunResult:
        run.request_cancel()
        return writes_a_batch(driver, events)

    driver = Stream(asks)
    driver.left = "the batch was left"
    outcome = supervised(driver, Audience())
    assert states(outcome) == ("asked", "CANCELED", ["CANCELED"])
    assert outcome.record.message == "plan cancel; the batch was left"


@pytest.mark.parametrize(
    ("bounded", "trigger", "endless"),
    [
        (False, None, True),
        (False, "processing-time=5s", True),
        (False, "available-now", False),
        (False, "once", False),
        (True, None, False),
        (True, "processing-time=5s", True),
    ],
)
def test_which_streams_only_a_stop_ends(bounded: bool, trigger: str | None, endless: bool, tmp_path: Path) -> None:
    from spark_runner.streaming.running import StreamWork

    program: Any = SimpleNamespace(chunks=SimpleNamespace(bounded=bounded))
    assert StreamWork(program, replace(REQUEST, trigger=trigger), tmp_path).endless is endless


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_the_work_end_before_the_driver_is_closed(stop: int, supervised: Callable[..., Outcome]) -> None:
    def ends_slowly(driver: Driver, events: Events) -> RunResult:
        os.kill(os.getpid(), stop)
        driver.stopped.wait(60)
        time.sleep(0.5)
        driver.asked.append("ended")
        return NOTHING

    driver = Driver(ends_slowly)
    outcome = supervised(driver, Audience())
    assert outcome.record.state == "CANCELED" and not outcome.abandoned
    assert driver.asked[2:] == ["cancel", "ended", "close finished=True"]


@pytest.mark.parametrize(("mode", "told"), [("batch", []), ("streaming", ["a"])])
def test_what_the_last_batch_of_a_stopped_stream_prints_is_told(
    mode: str, told: list[str], run: RunFolder, supervised: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    def prints_when_stopped(driver: Driver, events: Events) -> RunResult:
        run.request_cancel()
        driver.stopped.wait(60)
        events(RECORD)
        return NOTHING

    monkeypatch.setattr(PROGRAM, "mode", mode)
    audience = Audience()
    supervised(Driver(prints_when_stopped), audience)
    assert [word for word in audience.heard if word == "a"] == told


def test_causes_that_lead_in_a_circle_have_an_end() -> None:
    from spark_runner.runs.local_driver import _is_cut_off

    first, second = ExecutionError("first"), ValueError("second")
    first.__cause__, second.__context__ = second, first
    assert not _is_cut_off(first)
    second.__cause__ = ConnectionResetError()
    assert _is_cut_off(first)
