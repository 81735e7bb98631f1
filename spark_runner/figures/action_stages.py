"""The stages of each sink, read from the status store in the driver's JVM, and with them a run's vertices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from spark_runner.clusters.connect import is_connect
from spark_runner.figures.results import RunResult
from spark_runner.program.program import SparkProgram
from spark_runner.program.stage_shapes import ActionStages, Stage, stage_owners

__all__ = ["marked_action", "with_shares"]

_MARK = "plan-sink-"
_MOST_STAGES = 300
_PATIENCE = 5_000  # milliseconds until the store has heard of everything


@contextmanager
def marked_action(spark: Any, sink: int) -> Iterator[None]:
    """The Spark jobs inside feed this sink of the program."""
    if is_connect(spark):
        yield
        return
    spark.sparkContext.addJobTag(f"{_MARK}{sink}")
    try:
        yield
    finally:
        spark.sparkContext.removeJobTag(f"{_MARK}{sink}")


def with_shares(result: RunResult, program: SparkProgram, spark: Any, group: str) -> RunResult:
    """The result with the stages of every vertex, as far as Spark tells them; `group` is the run's job group."""
    if is_connect(spark) or _told_all(result):
        return result
    try:
        owners = stage_owners(program, _action_stages(spark.sparkContext, group))
    except Exception:  # the JVM has just gone, or has forgotten: figures are not worth a failure
        return result
    vertices = tuple(replace(one, shares=owners.get(one.vertex, ())) for one in result.vertices)
    return replace(result, vertices=vertices)


def _told_all(result: RunResult) -> bool:
    """Whether every vertex has said which stage it ran in, and none of them shared one."""
    stages = [stage for vertex in result.vertices for stage in vertex.stages]
    return all(vertex.subtasks for vertex in result.vertices) and len(set(stages)) == len(stages)


def _action_stages(context: Any, group: str) -> list[ActionStages]:
    """The stages of a run's actions, in the order they ran; of an action that was tried again, the last try."""
    spark = context._jsc.sc()
    spark.listenerBus().waitUntilEmpty(_PATIENCE)
    store = spark.statusStore()
    found: dict[int, ActionStages] = {}
    for number in sorted(context.statusTracker().getJobIdsForGroup(group)):
        job = store.job(number)
        tags = str(job.jobTags().mkString(" "))
        mark = re.search(rf"{_MARK}(\d+)", tags)
        if mark is not None and job.stageIds().size() <= _MOST_STAGES:
            found.pop(int(mark[1]), None)
            found[int(mark[1])] = _stages_of(store, number, int(mark[1]))
    return list(found.values())


def _stages_of(store: Any, job: int, sink: int) -> ActionStages:
    graphs = store.operationGraphForJob(job)
    read = {}  # by stage: the RDDs of other stages that it reads through a shuffle
    for position in range(graphs.size()):
        graph = graphs.apply(position)
        edges = graph.incomingEdges()
        read[int(graph.rootCluster().id().removeprefix("stage_"))] = [
            edges.apply(at).fromId() for at in range(edges.size())
        ]
    found = {stage: store.lastStageAttempt(stage) for stage in read}
    home = {int(rdd): stage for stage, data in found.items() for rdd in data.rddIds().mkString(" ").split()}
    stages = {
        stage: Stage(
            id=stage,
            tasks=data.numTasks(),
            # the order in which Spark made them is the order in which a union or join names its inputs
            parents=tuple(dict.fromkeys(home[rdd] for rdd in sorted(read[stage]) if rdd in home)),
            ran=data.status().toString() != "SKIPPED",
        )
        for stage, data in found.items()
    }
    return ActionStages(sink=sink, result=max(stages), stages=stages)
