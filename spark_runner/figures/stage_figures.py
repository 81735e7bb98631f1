"""What Spark's own status store knows of stages: counts while they run, figures when they are over.

The store is inside the driver's JVM and needs no web interface. Connect has no driver to ask: it gives nothing here.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from spark_runner.clusters.session import Session
from spark_runner.figures.results import StageFigures, TaskFigures
from spark_runner.figures.tracking import StageCounts

__all__ = ["running_stages", "stage_figures"]

_MOST_TASKS = 100_000
_TIME = "%Y-%m-%dT%H:%M:%S.%fGMT"  # as Spark's REST interface writes times


def running_stages(session: Session, group: str) -> Iterator[StageCounts]:
    """The stages of a job group, as far as Spark knows them now."""
    if session.master.kind == "connect":
        return
    tracker = session.spark.sparkContext.statusTracker()
    seen: set[int] = set()
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info else ():
            if stage in seen:
                continue
            seen.add(stage)
            counts = tracker.getStageInfo(stage)
            if counts is not None:
                yield StageCounts(
                    stage=stage,
                    tasks=counts.numTasks,
                    active=counts.numActiveTasks,
                    done=counts.numCompletedTasks,
                    failed=counts.numFailedTasks,
                )


def stage_figures(session: Session, stages: Iterable[int]) -> dict[int, StageFigures]:
    """The figures of finished stages; one that Spark has forgotten, or never ran, is left out."""
    if session.master.kind == "connect":
        return {}
    store = session.spark.sparkContext._jsc.sc().statusStore()
    # Local tasks ran on this machine, whatever address Spark found for it; subtasks report it by its name.
    here = platform.node() if session.master.kind == "local" else None
    as_json = session.spark._jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper().writeValueAsString
    found = {}
    for stage in sorted(set(stages)):
        try:
            found[stage] = _figures(store, as_json, stage, here)
        except Exception:  # Py4J's error for the store's NoSuchElementException
            continue
    return found


def _figures(store: Any, as_json: Any, stage: int, here: str | None) -> StageFigures:
    data = store.lastStageAttempt(stage)
    # one JSON text per stage: a call into the JVM for every figure of every task would take longer than many runs
    tasks = json.loads(as_json(store.taskList(stage, data.attemptId(), _MOST_TASKS)))
    best = {task["index"]: _task(task, here) for task in tasks if task["status"] == "SUCCESS"}
    return StageFigures(
        stage=stage,
        attempt=data.attemptId(),
        shuffle_read=data.shuffleReadBytes(),
        shuffle_write=data.shuffleWriteBytes(),
        tasks=tuple(best[index] for index in sorted(best)),
    )


def _task(task: dict[str, Any], here: str | None) -> TaskFigures:
    metrics = task.get("taskMetrics") or {}
    read, written = metrics.get("shuffleReadMetrics", {}), metrics.get("shuffleWriteMetrics", {})
    launched = datetime.strptime(task["launchTime"], _TIME).replace(tzinfo=UTC)
    return TaskFigures(
        index=task["index"],
        attempt=task["attempt"],
        host=here or task["host"],
        started=launched.timestamp(),
        seconds=task.get("duration", 0) / 1000,
        shuffle_read=read.get("remoteBytesRead", 0) + read.get("localBytesRead", 0),
        shuffle_write=written.get("bytesWritten", 0),
    )
