"""The figures of a run that has ended: from the counts that were kept and the reports of its subtasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planner.job import Writer
from planner.kinds import SINKS
from spark_runner.executor.report import SubtaskReport
from spark_runner.figures.results import OperatorFigures, RunResult, SinkFigures, SubtaskFigures, VertexFigures
from spark_runner.frames.reports import ReportsByPass
from spark_runner.frames.tally import Tally
from spark_runner.program.counts import Arrived, Given, NodeGave, NodeTook, SinkTook, Taken
from spark_runner.program.job_paths import resolved_path
from spark_runner.program.program import Pass, Sink, SparkProgram, Step

__all__ = ["run_result"]


def run_result(program: SparkProgram, tally: Tally, reports: ReportsByPass) -> RunResult:
    """Everything that was counted, by vertex and by sink."""
    for number, one in enumerate(program.passes):
        if one.engine == "python":
            _take_reports(tally, number, one, list(reports.get(number, {}).values()))
    counts = _Counts(program, tally)
    return RunResult(
        vertices=tuple(_vertex(program, at, counts, reports) for at in range(len(program.steps))),
        # operators that nobody reads are run as sinks, and are none
        sinks=tuple(_sink(program, sink, counts) for sink in program.sinks if sink.operator.kind in SINKS),
    )


def _take_reports(tally: Tally, number: int, one: Pass, reports: list[SubtaskReport]) -> None:
    for position in (0, 1):
        tally.know(Taken(number, position), sum(report.taken[position] for report in reports))
    for at in range(len(one.operations)):
        tally.know(NodeTook(number, at), sum(report.nodes[at][0] for report in reports))
        tally.know(NodeGave(number, at), sum(report.nodes[at][1] for report in reports))
    for at, outlet in enumerate(one.outlets):
        if outlet.operation is not None:
            count = Given(number, outlet.operation, outlet.tag)
            tally.know(count, sum(report.outlets[at] for report in reports))


class _Counts:
    """Records in and out, by operation and by sink; None where nothing counted them."""

    def __init__(self, program: SparkProgram, tally: Tally) -> None:
        self._program, self._tally = program, tally

    def of_operation(self, number: int, at: int) -> tuple[int | None, int | None]:
        one = self._program.passes[number]
        operation, value = one.operations[at], self._tally.value
        if one.engine == "python":
            return value(NodeTook(number, at)), value(NodeGave(number, at))
        given = value(Given(number, at))
        if operation.operator.kind == "source":
            return 0, given
        if operation.parent is not None:
            return value(Given(number, operation.parent)), given
        return self._arrived(number, one), given

    def _arrived(self, number: int, one: Pass) -> int | None:
        found = [self._tally.value(Arrived(number, position)) for position in {i.position for i in one.inlets}]
        known = [count for count in found if count is not None]
        return sum(known) if len(known) == len(found) else None

    def at_sink(self, sink: Sink) -> int | None:
        taken = self._tally.value(SinkTook(sink.node))
        if taken is not None:
            return taken
        operation = self._program.passes[sink.source].outlets[sink.outlet].operation
        if operation is None:
            return self._tally.value(Arrived(sink.source))
        if sink.kind == "drain":
            return self._tally.value(NodeTook(sink.source, operation))
        tag = self._program.passes[sink.source].outlets[sink.outlet].tag
        return self._tally.value(Given(sink.source, operation, tag))


def _vertex(program: SparkProgram, position: int, counts: _Counts, reports: ReportsByPass) -> VertexFigures:
    step = program.steps[position]
    figures: dict[int, OperatorFigures] = {}
    for one in _operators(program, position, counts):
        figures.setdefault(one.node, one)
    return VertexFigures(
        vertex=position,
        name=step.name,
        parallelism=step.parallelism,
        operators=tuple(figures[node] for node in step.nodes if node in figures),
        subtasks=tuple(_subtasks(step, reports)),
    )


def _operators(program: SparkProgram, position: int, counts: _Counts) -> Iterator[OperatorFigures]:
    step = program.steps[position]
    for number in step.passes:
        for at, one in enumerate(program.passes[number].operations):
            yield _figures(one.node, one.operator.key, one.name, *counts.of_operation(number, at))
    for sink in program.sinks:
        if sink.step == position:
            yield _figures(sink.node, sink.operator.key, sink.name, counts.at_sink(sink), 0)
    for committer in step.committers:
        yield _figures(committer.node, committer.key, committer.name, 0, 0)


def _figures(node: int, key: str, name: str, taken: int | None, given: int | None) -> OperatorFigures:
    return OperatorFigures(node=node, key=key, name=name, records_in=taken, records_out=given)


def _subtasks(step: Step, reports: ReportsByPass) -> Iterator[SubtaskFigures]:
    """A vertex of several Python passes runs them in one task."""
    python = [reports[number] for number in step.passes if number in reports]
    for subtask in sorted({number for one in python for number in one}):
        mine = [one[subtask] for one in python if subtask in one]
        yield _together(mine)


def _together(reports: Iterable[SubtaskReport]) -> SubtaskFigures:
    *_, last = mine = list(reports)
    started = min(report.started for report in mine)
    return SubtaskFigures(
        subtask=last.subtask,
        stage=last.stage,
        attempt=last.attempt,
        host=last.host,
        started=started,
        seconds=max(report.ended for report in mine) - started,
    )


def _sink(program: SparkProgram, sink: Sink, counts: _Counts) -> SinkFigures:
    behaviour = sink.operator.behaviour
    path = behaviour.path if isinstance(behaviour, Writer) else None
    return SinkFigures(
        operator=sink.operator.key,
        format=behaviour.format if isinstance(behaviour, Writer) else sink.kind,
        path=None if path is None else resolved_path(path, program.file),
        records=counts.at_sink(sink),
    )
