"""The driver of a run in cluster mode: it has called back, runs the program when told to, and tells what happens.

It runs in a container with PySpark and what was shipped: this package, the planner, the job's modules, the program. It
says which Spark it is (`hello`), and which application; then every `run` is answered with events, counts of stages,
and a result or an error, until `finish` or `fail`. Losing the connection means that the run was ended.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planner.errors import PlanError
from spark_runner.clusters.master import Master
from spark_runner.clusters.session import Session
from spark_runner.figures.results import RunResult, StageFigures
from spark_runner.figures.stage_figures import running_stages, stage_figures
from spark_runner.figures.wire import data_of, event_data
from spark_runner.program.program import SparkProgram
from spark_runner.runs.line import Line

__all__ = ["main"]

_POLL = 0.5  # seconds between two looks at Spark's stages


class _Submitter:
    """Whoever submitted this driver, at the other end of the line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.commands: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def tell(self, kind: str, content: Any) -> None:
        self._line.send((kind, content))

    def _listen(self) -> None:
        """Take what is asked; end this driver, and with it the application, once the other side is gone."""
        try:
            while True:
                self.commands.put(str(self._line.receive()))
        except (EOFError, OSError, ValueError):
            os._exit(143)


def main(line: Line, program: str) -> None:
    """Run one program for whoever is at the other end."""
    submitter = _Submitter(line)
    try:
        _serve(submitter, Path(program))
    except Exception as error:
        submitter.tell("error", _error_data(error))
        submitter.commands.get()  # whoever reads this hangs up


def _serve(submitter: _Submitter, file: Path) -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._ensure_initialized()
    jvm: Any = SparkContext._jvm
    submitter.tell("hello", jvm.org.apache.spark.package.SPARK_VERSION())
    if submitter.commands.get() == "fail":
        sys.exit(1)
    spark = SparkSession.builder.getOrCreate()
    submitter.tell("application", spark.sparkContext.applicationId)
    program: SparkProgram = pickle.loads(file.read_bytes())  # shipped with this driver, as its own code is
    session = Session(spark=spark, master=Master(url="yarn", kind="yarn"))
    while (command := submitter.commands.get()) == "run":
        _run(submitter, session, program)
    spark.stop()
    sys.exit(0 if command == "finish" else 1)


def _run(submitter: _Submitter, session: Session, program: SparkProgram) -> None:
    from spark_runner.batch.execute import execute
    from spark_runner.figures.action_stages import with_shares

    session.mark(program.name, program.name)
    try:
        with _stages_told(submitter, session, program.name):
            events = lambda event: submitter.tell("event", event_data(event))  # noqa: E731
            result = execute(program, session.spark, events=events)
            result = with_shares(result, program, session.spark, program.name)
    except Exception as error:
        submitter.tell("error", _error_data(error))
    else:
        figures = _figures(session, program.name, result)
        submitter.tell("result", {"result": data_of(result), "figures": data_of(figures)})


@contextmanager
def _stages_told(submitter: _Submitter, session: Session, group: str) -> Iterator[None]:
    """Tell how far Spark's stages are, as long as something runs."""
    over = threading.Event()

    def tell_now() -> None:
        submitter.tell("stages", data_of(tuple(running_stages(session, group))))

    def tell() -> None:
        while not over.wait(_POLL):
            tell_now()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
        tell_now()


def _figures(session: Session, group: str, result: RunResult) -> dict[int, StageFigures]:
    stages = {stage for vertex in result.vertices for stage in vertex.stages}
    return stage_figures(session, stages | {one.stage for one in running_stages(session, group)})


def _error_data(error: Exception) -> dict[str, Any]:
    if not isinstance(error, PlanError):
        lines = str(error).splitlines()
        said = f"the driver failed: {type(error).__name__}: {lines[0] if lines else ''}"
        return {"message": said, "operator": None, "hint": None, "location": None}
    place = error.location
    return {
        "message": error.message,
        "operator": getattr(error, "operator", None),
        "hint": error.hint,
        "location": None if place is None else [place.file, place.line, place.column],
    }
