"""What the subtasks of a PyFlink job counted, by vertex and by operator: a merged operator is one."""

from __future__ import annotations

from typing import Any

from spark_runner.figures.results import (
    MANY_STAGES,
    OperatorFigures,
    RunResult,
    SinkFigures,
    SubtaskFigures,
    VertexFigures,
)
from spark_runner.frames.job_paths import resolved_path
from spark_runner.program.program import SparkProgram
from spark_runner.pyflink.program import Counted, ScriptJob, ScriptSink

__all__ = ["result_of"]


def result_of(program: SparkProgram, figures: list[dict[str, Any]]) -> RunResult:
    """The figures of a run, from those of every subtask."""
    job: ScriptJob = program.bounded
    return RunResult(
        vertices=tuple(_vertex(program, number, figures) for number in range(len(program.steps))),
        sinks=tuple(_sink(program, sink, figures) for sink in job.sinks),
    )


def _vertex(program: SparkProgram, number: int, figures: list[dict[str, Any]]) -> VertexFigures:
    mine = sorted((one for one in figures if one["vertex"] == number), key=lambda one: one["subtask"])
    step = program.steps[number]
    return VertexFigures(
        vertex=number,
        name=step.name,
        parallelism=step.parallelism,
        operators=tuple(_operator(one, mine) for one in program.bounded.counted[number]),
        subtasks=tuple(
            SubtaskFigures(
                subtask=one["subtask"],
                stage=MANY_STAGES,
                attempt=0,
                host=one["host"],
                started=one["started"],
                seconds=one["seconds"],
            )
            for one in mine
        ),
    )


def _operator(counted: Counted, mine: list[dict[str, Any]]) -> OperatorFigures:
    taken = given = 0
    if counted.first >= 0:
        taken = 0 if counted.source else sum(one["operators"][counted.first][0] for one in mine)
        given = 0 if counted.sink else sum(one["operators"][counted.last][1] for one in mine)
    return OperatorFigures(node=counted.node, key=counted.key, name=counted.name, records_in=taken, records_out=given)


def _sink(program: SparkProgram, sink: ScriptSink, figures: list[dict[str, Any]]) -> SinkFigures:
    path = None if sink.writer is None else sink.writer.path
    received = sum(one["edges"].get(str(sink.edge), 0) for one in figures if one["vertex"] == sink.vertex)
    return SinkFigures(
        operator=sink.operator.key,
        format=sink.kind if sink.writer is None else sink.writer.format,
        path=None if path is None else resolved_path(path, program.file),
        records=received,
    )
