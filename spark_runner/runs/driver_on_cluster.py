"""The driver of a run in cluster mode: it calls back, takes the program, runs it when told to, and tells what happens.

It runs in a container with PySpark and what was shipped: this package, the planner, the job's modules. It says which
Spark it is (`hello`), takes the program, and says which application; then every `run` is answered with events, counts
of stages, and a result or an error, until `finish` or `fail`. Losing the connection means that the run was ended.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from planner.errors import ExecutionError, PlanError

__all__ = ["main"]

_POLL = 0.5  # seconds between two looks at Spark's stages


class _Line:
    """The connection to whoever submitted this driver; threads may say something at the same time."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._turn = connection, threading.Lock()
        self.commands: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def say(self, kind: str, content: Any) -> None:
        with self._turn:
            self._connection.send((kind, content))

    def listen(self) -> None:
        """Take what is asked; end this driver, and with it the application, once the other side is gone."""
        try:
            while True:
                self.commands.put(self._connection.recv())
        except (EOFError, OSError):
            os._exit(143)


def main(connection: Connection) -> None:
    """Run one program for whoever is at the other end."""
    line = _Line(connection)
    threading.Thread(target=line.listen, daemon=True).start()
    try:
        _serve(line)
    except Exception as error:
        line.say("error", _unexpected(error))
        line.commands.get()  # whoever reads this hangs up


def _serve(line: _Line) -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._ensure_initialized()
    line.say("hello", SparkContext._jvm.org.apache.spark.package.SPARK_VERSION())  # type: ignore[union-attr]
    payload = line.commands.get()
    if payload == "fail":
        sys.exit(1)
    spark = SparkSession.builder.getOrCreate()
    line.say("application", spark.sparkContext.applicationId)
    program = pickle.loads(payload)
    while (command := line.commands.get()) == "run":
        _run(line, spark, program)
    spark.stop()
    sys.exit(0 if command == "finish" else 1)


def _run(line: _Line, spark: Any, program: Any) -> None:
    from spark_runner.batch.execute import execute
    from spark_runner.figures.action_stages import with_shares

    session = _session(spark)
    session.mark(program.name, program.name)
    try:
        with _stages_told(line, session, program.name):
            result = execute(program, spark, events=lambda event: line.say("event", event))
            result = with_shares(result, program, spark, program.name)
    except PlanError as error:
        line.say("error", _portable(error))
    except Exception as error:
        line.say("error", _unexpected(error))
    else:
        line.say("result", (result, _figures(session, program.name, result)))


def _session(spark: Any) -> Any:
    from spark_runner.clusters.master import Master
    from spark_runner.clusters.session import Session

    return Session(spark=spark, master=Master(url="yarn", kind="yarn"))


@contextmanager
def _stages_told(line: _Line, session: Any, group: str) -> Iterator[None]:
    """Tell how far Spark's stages are, as long as something runs."""
    from spark_runner.figures.stage_figures import running_stages

    over = threading.Event()

    def tell() -> None:
        while not over.wait(_POLL):
            line.say("stages", tuple(running_stages(session, group)))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
        line.say("stages", tuple(running_stages(session, group)))


def _figures(session: Any, group: str, result: Any) -> Any:
    from spark_runner.figures.stage_figures import running_stages, stage_figures

    stages = {stage for vertex in result.vertices for stage in vertex.stages}
    return stage_figures(session, stages | {one.stage for one in running_stages(session, group)})


def _portable(error: PlanError) -> Any:
    """The error without the chain of causes, which the other side cannot load."""
    plain = ExecutionError(error.message, operator=getattr(error, "operator", None), hint=error.hint)
    plain.location = error.location
    return plain


def _unexpected(error: Exception) -> ExecutionError:
    lines = str(error).splitlines()
    return ExecutionError(f"the driver failed: {type(error).__name__}: {lines[0] if lines else ''}")
