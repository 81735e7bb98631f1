"""Streams that go on when nobody follows them any more: a Connect server keeps a query whose client was killed."""

from __future__ import annotations

from typing import Any

from planner.errors import ExecutionError
from spark_runner.clusters.connect import attach
from spark_runner.runs.store import RunFolder

__all__ = ["end_left_behind"]


def end_left_behind(run: RunFolder) -> int | None:
    """End the queries that a killed client left on its server, and close its session. How many there were.

    None: the run left nothing, since its Spark ended with it.
    """
    place = run.on_server()
    if place is None:
        return None
    try:
        ended = _end(attach(place["url"], place["session"]))
    except Exception as error:
        raise ExecutionError(
            f"the server {place['url']} of run {run.id} cannot be asked: {_first_line(error)}",
            hint="try again when it answers; a server that was started anew has no query of the run",
        ) from error
    run.forget_server()
    return ended


def _end(spark: Any) -> int:
    active = spark.streams.active
    for query in active:
        query.stop()
    spark.stop()
    return len(active)


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
