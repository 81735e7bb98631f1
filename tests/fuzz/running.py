"""The ways in which a described job is run, each on one Spark session or on none, and what it printed."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

from planner.errors import PlanError, UnsupportedOnSpark
from planner.frontends.loading import load_jobs
from planner.frontends.python_files.handover import LoadOptions
from planner.job import JobDefinition
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import Session
from spark_runner.figures.results import Event, PrintedRecord
from spark_runner.frames.shipping import kept
from spark_runner.runs.local_driver import LocalDriver
from spark_runner.runs.preparation import prepare_job
from spark_runner.runs.stream_driver import StreamDriver
from tests.fuzz.description import Job
from tests.fuzz.model import expected
from tests.fuzz.rendering import Style, render, write_sources

__all__ = ["WAYS", "Outcome", "Way", "run"]

_SUBTASK = re.compile(r"\A\d+> ")
_CUTS = (3, 11)  # off Spark a stream is cut into batches in front of these records


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to run a job."""

    api: Literal["ours", "pyflink"]
    mode: Literal["batch", "streaming"]
    chained: bool = True
    batch: bool = False  # the runtime mode that the script sets
    spark: bool = True  # whether it needs a session

    @property
    def updates(self) -> bool:
        """Whether aggregates answer every record."""
        return self.mode == "streaming" or (self.api == "pyflink" and not self.batch)

    @property
    def late(self) -> bool:
        """Whether a watermark stands behind every record."""
        return self.mode == "streaming"


WAYS = {
    "batch": Way(api="ours", mode="batch"),
    "batch unchained": Way(api="ours", mode="batch", chained=False),
    "stream": Way(api="ours", mode="streaming"),
    "stream unchained": Way(api="ours", mode="streaming", chained=False),
    "script": Way(api="pyflink", mode="batch"),
    "script unchained": Way(api="pyflink", mode="batch", chained=False),
    "script in batch mode": Way(api="pyflink", mode="batch", batch=True),
    "script as a stream": Way(api="pyflink", mode="streaming"),
    "script as a stream, unchained": Way(api="pyflink", mode="streaming", chained=False),
    "off Spark, batch": Way(api="ours", mode="batch", spark=False),
    "off Spark, batch unchained": Way(api="ours", mode="batch", chained=False, spark=False),
    "off Spark, stream": Way(api="ours", mode="streaming", spark=False),
    "off Spark, stream unchained": Way(api="ours", mode="streaming", chained=False, spark=False),
    "off Spark, script": Way(api="pyflink", mode="batch", spark=False),
    "off Spark, script unchained": Way(api="pyflink", mode="batch", chained=False, spark=False),
    "off Spark, script in batch mode": Way(api="pyflink", mode="batch", batch=True, spark=False),
    "off Spark, script as a stream": Way(api="pyflink", mode="streaming", spark=False),
    "off Spark, script as a stream, unchained": Way(api="pyflink", mode="streaming", chained=False, spark=False),
}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one way gave: refused with a message, failed with one, or lines that the model has or has not."""

    kind: Literal["equal", "different", "failed", "refused"]
    message: str = ""
    lines: int = 0

    @property
    def is_fault(self) -> bool:
        """Whether it is to be looked at."""
        return self.kind in ("different", "failed")


def run(job: Job, way: Way, spark: Any = None) -> Outcome:
    """Run a job in one way, and compare it with the model."""
    folder = Path(mkdtemp(prefix="plan-fuzz-"))
    try:
        write_sources(job, folder)
        script = folder / "job.py"
        style = Style(api=way.api, chained=way.chained, batch=way.batch)
        script.write_text(render(job, folder, style), encoding="utf-8")
        try:
            lines = _lines(script, way, spark)
        except UnsupportedOnSpark as refused:
            return Outcome(kind="refused", message=refused.message)
        except PlanError as failed:
            return Outcome(kind="failed", message=str(failed))
        except Exception:
            return Outcome(kind="failed", message=traceback.format_exc(limit=-6))
        return _compared(lines, expected(job, updates=way.updates, late=way.late))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _compared(lines: list[str], wanted: Counter[str]) -> Outcome:
    found = Counter(_SUBTASK.sub("", line) for line in lines)
    if found == wanted:
        return Outcome(kind="equal", lines=len(lines))
    missing, extra = sorted((wanted - found).elements()), sorted((found - wanted).elements())
    return Outcome(
        kind="different",
        message=f"expected and not there: {_some(missing)}; there and not expected: {_some(extra)}",
        lines=len(lines),
    )


def _some(lines: list[str]) -> str:
    return ", ".join(map(repr, lines[:6])) + (f" and {len(lines) - 6} more" if len(lines) > 6 else "") or "nothing"


def _lines(script: Path, way: Way, spark: Any) -> list[str]:
    if not way.spark:
        return _lines_off_spark(script, way)
    lines: list[str] = []

    def run_job(job: JobDefinition) -> list[Any]:
        lines.extend(_on_session(job, way, spark, script.parent))
        return []

    with contextlib.redirect_stdout(io.StringIO()):
        if way.api == "pyflink":
            load_jobs(str(script), LoadOptions(run=run_job, keep=kept))
        else:
            run_job(load_jobs(str(script), LoadOptions(keep=kept))[0])
    return lines


def _on_session(job: JobDefinition, way: Way, spark: Any, folder: Path) -> list[str]:
    """What `plan run` does for a job, on a session that is there already."""
    request = RunRequest(job=job.location.file, folder=str(folder), master="local[2]", mode=way.mode)
    prepared = prepare_job(job, request)
    lines: list[str] = []

    def take(event: Event) -> None:
        if isinstance(event, PrintedRecord):
            lines.extend(str(event).splitlines())

    kind = _Stream if way.mode == "streaming" else _Batch
    driver = kind(request, prepared.program, group="fuzz", log=folder / "spark.log")
    driver.begin(spark)
    try:
        driver.execute(take)
    finally:
        driver.end()
    return lines


class _Batch(LocalDriver):
    """A driver whose session is there already, and stays."""

    def begin(self, spark: Any) -> None:
        self._session = Session(spark=spark, master=parse_master("local[2]"))

    def end(self) -> None:
        """Nothing to end."""


class _Stream(StreamDriver):
    """The same for a stream."""

    def begin(self, spark: Any) -> None:
        self._stream.claim(self._group)
        self._session = Session(spark=spark, master=parse_master("local[2]"))

    def end(self) -> None:
        self._stream.release()


def _lines_off_spark(script: Path, way: Way) -> list[str]:
    """The workers' code in this process."""
    from planner.pipeline import plan
    from spark_runner.lowering.lower import lower
    from tests.support.pyflink_engine import EngineRun, run_bounded, run_stream

    if way.api == "pyflink":
        return EngineRun(cuts=_CUTS if way.mode == "streaming" else None).run(script)
    with contextlib.redirect_stdout(io.StringIO()):
        (job,) = load_jobs(str(script), LoadOptions(keep=kept))
    chunks = lower(plan(job), way.mode).chunks
    if chunks is None:
        raise UnsupportedOnSpark("the records of this batch travel in columns, which only Spark has")
    file = job.location.file
    found = run_bounded(chunks, file) if way.mode == "batch" else run_stream(chunks, file, _CUTS)
    return [str(value) for records in found.values() for _, value in records]
