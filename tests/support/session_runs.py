"""The tests' own Spark session, and jobs on it: as a batch, and as a stream to its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import planner
from planner.machine.java import find_java
from planner.pipeline import plan
from spark_runner.clusters.class_archive import spark_archive

__all__ = ["SMALL_DRIVER", "SMALL_JVM", "open_session", "run_batch", "run_stream", "small_spark_jvm", "spark_session"]

# JVMs that live for seconds or minutes are better off without the second compiler and a parallel collector.
SMALL_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# For `plan run` on machines that run many.
SMALL_DRIVER = ("--conf", f"spark.driver.defaultJavaOptions={SMALL_JVM}")


def small_spark_jvm() -> str:
    """Options for a JVM of Spark that the tests start themselves: it maps its classes, where `make setup` could."""
    return " ".join((SMALL_JVM, *spark_archive(find_java()).options()))


def open_session() -> Any:
    """A session of this machine, with a JVM for many short jobs; the one of this process where there is one."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.log.level", "OFF")
        .config("spark.driver.extraJavaOptions", small_spark_jvm())
        .getOrCreate()
    )


@contextmanager
def spark_session() -> Iterator[Any]:
    """That session, for as long as the block runs."""
    session = open_session()
    try:
        yield session
    finally:
        session.stop()


def run_batch(spark: Any, job: Path) -> list[str]:
    """Run a job's file as a batch; what it printed."""
    from spark_runner.batch.execute import execute
    from spark_runner.figures.results import Event
    from spark_runner.lowering.lower import lower

    events: list[Event] = []
    execute(lower(plan(planner.load_job(job))), spark, events=events.append)
    return _printed(events)


def run_stream(spark: Any, job: Path, checkpoint: Path) -> list[str]:
    """Run a job's file as a stream, to its end; what it printed."""
    from spark_runner.figures.results import Event
    from spark_runner.lowering.lower import lower
    from spark_runner.streaming.checkpoint import Checkpoint
    from spark_runner.streaming.execute import StreamOptions, StreamRun

    events: list[Event] = []
    kept = Checkpoint(checkpoint)
    kept.claim("test")
    program = lower(plan(planner.load_job(job)), "streaming")
    StreamRun(program, spark, kept, StreamOptions(), events=events.append).run()
    return _printed(events)


def _printed(events: list[Any]) -> list[str]:
    from spark_runner.figures.results import PrintedRecord

    return [event.text for event in events if isinstance(event, PrintedRecord)]
