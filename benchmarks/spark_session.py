"""One session for both sides of a comparison, and how a plan runs on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks.measure import CACHE, Unavailable
from planner.job import JobDefinition
from planner.pipeline import plan

__all__ = ["drain", "planned", "session"]

_SETTINGS = {  # what `plan run` sets too, for both sides
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "3g",
}


@contextmanager
def session(**more: str) -> Iterator[Any]:
    """A local session of two threads."""
    try:
        from pyspark import cloudpickle
        from pyspark.sql import SparkSession
    except ImportError:
        raise Unavailable("pyspark is not installed") from None
    # workers do not find this package
    cloudpickle.register_pickle_by_value(benchmarks)  # type: ignore[no-untyped-call]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]")
    for name, value in {**_SETTINGS, **more}.items():
        builder = builder.config(name, value)
    with _errors_in(CACHE / "bench-spark.log"):
        spark = builder.getOrCreate()
        try:
            yield spark
        finally:
            _end(spark)


def _end(spark: Any) -> None:
    """Stop the session and its JVM, also one that died: the next group begins with a fresh one."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway: Any = SparkContext._gateway
    with suppress(Exception):
        spark.stop()
    if gateway is not None:
        with suppress(Exception):
            gateway.shutdown()
        gateway.proc.kill()
        gateway.proc.wait()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None


@contextmanager
def _errors_in(path: Path) -> Iterator[None]:
    """What Spark, its JVM and its workers say goes to a file: the table stays readable."""
    path.parent.mkdir(exist_ok=True)
    sys.stderr.flush()
    kept = os.dup(2)
    with path.open("a", encoding="utf-8") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def planned(spark: Any, job: JobDefinition) -> Callable[[], Any]:
    """A job as `plan run` runs it, without the start of its session."""
    from spark_runner.batch.execute import execute
    from spark_runner.lowering.lower import lower

    program = lower(plan(job))
    return lambda: execute(program, spark, events=lambda event: None)


def drain(frame: Any) -> None:
    """Compute everything and keep nothing."""
    frame.write.format("noop").mode("overwrite").save()
