"""Jobs on the tests' own Spark session: as a batch, and as a stream to its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import planner
from planner.pipeline import plan

__all__ = ["SMALL_JVM", "run_batch", "run_stream"]

# For `plan run` on machines that run many.
SMALL_JVM = ("--conf", "spark.driver.defaultJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


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
