"""What goes on when nobody follows it any more: a Connect server keeps the query of a client that was killed, and
Kubernetes the pods of a driver that was killed before it could remove them."""

from __future__ import annotations

from typing import Any

from planner.errors import ExecutionError
from spark_runner.clusters.connect import attach
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.session import remove_pods
from spark_runner.runs.store import RunFolder

__all__ = ["end_left_behind"]


def end_left_behind(run: RunFolder) -> str | None:
    """End the queries or pods that a run left on its cluster. What was done, in words.

    None: the run left nothing, since its Spark ended with it, or it goes on.
    """
    place = run.left_on_server()
    if place is None:
        return None
    try:
        if parse_master(place["url"]).kind == "kubernetes":
            removed = remove_pods(run.record().request, place["session"], log=run.log)
            done = "its pods were removed" if removed else "it had left no pod"
        else:
            ended = _end(attach(place["url"], place["session"]))
            done = "its query was ended on the server" if ended else "its query had ended"
    except Exception as error:
        raise ExecutionError(
            f"the server {place['url']} of run {run.id} cannot be asked: {_first_line(error)}",
            hint="try again when it answers; a server that was started anew has no query of the run",
        ) from error
    run.forget_server()
    return done


def _end(spark: Any) -> int:
    active = spark.streams.active
    for query in active:
        query.stop()
    spark.stop()
    return len(active)


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
