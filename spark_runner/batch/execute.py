"""Runs a Spark program on a session, classic or Connect."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from planner.errors import PlanError
from planner.job import Reader, Writer
from spark_runner.batch.sinks import Writers, printed_records
from spark_runner.figures.action_stages import marked_action
from spark_runner.figures.results import (
    ActionFinished,
    ActionStarted,
    Events,
    OperatorFigures,
    RunResult,
    SinkFigures,
    SinkWritten,
    SubtaskFigures,
    VertexFigures,
    VertexFinished,
)
from spark_runner.frames.blame import owner_of, translated
from spark_runner.frames.frames import Frames
from spark_runner.frames.read_failures import unreadable
from spark_runner.frames.shipping import ship
from spark_runner.frames.tally import Reports, Tally
from spark_runner.program.program import Sink, SparkProgram

_SETTINGS = {
    # the plan says how many partitions there are and how records move, not the optimizer
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
    "spark.sql.files.openCostInBytes": "1",
    # the same results on every machine
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.selfDestruct.enabled": "false",
}


def execute(program: SparkProgram, spark: SparkSession, *, events: Events) -> RunResult:
    """Run a program to its end. Raises ExecutionError, with the operator where one is to blame."""
    with _configured(spark, program):
        return _Execution(program, spark, events).run()


@contextmanager
def _configured(spark: SparkSession, program: SparkProgram) -> Iterator[None]:
    """The session with the settings a run needs, and afterwards as it was."""
    readers = [
        one.parallelism for one in program.passes for o in one.operations if isinstance(o.operator.behaviour, Reader)
    ]
    settings = {**_SETTINGS, "spark.sql.files.minPartitionNum": str(max(readers, default=1))}
    names = [*settings, "spark.sql.shuffle.partitions"]
    before = {name: spark.conf.get(name, None) for name in names}
    # PySpark writes every analysis error to standard error as JSON, before anybody can translate it
    logs = [logging.getLogger(name) for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger")]
    silent = [log.disabled for log in logs]
    try:
        for log in logs:
            log.disabled = True
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for log, before_run in zip(logs, silent, strict=True):
            log.disabled = before_run
        for name, value in before.items():
            _restore(spark, name, value)


def _restore(spark: SparkSession, name: str, value: Any) -> None:
    try:
        spark.conf.set(name, value) if value is not None else spark.conf.unset(name)
    except Exception:  # the session may be gone: then so are its settings
        return


class _Execution:
    """One run: frames, then an action a sink, then the figures."""

    def __init__(self, program: SparkProgram, spark: SparkSession, events: Events) -> None:
        self.program, self.spark, self.events = program, spark, events
        self.tally = Tally()
        self.reports = Reports(spark)
        self.frames = Frames(program, spark, self.reports, self.tally)
        self.writers = Writers(spark, self.frames.path)
        self.ran: set[int] = set()

    def run(self) -> RunResult:
        """Everything, in order. What a failed run wrote is removed."""
        try:
            for sink in self.program.sinks:
                if sink.kind == "write":
                    self.writers.check(sink)
            if self.program.uses_python:
                ship(self.spark, self.program.file)
            self.frames.build()
            for number, sink in enumerate(self.program.sinks):
                with marked_action(self.spark, number):
                    self._feed(sink)
            self.writers.publish()
            return self._result()
        except PlanError:
            raise
        except Exception as error:
            raise self._translated(error) from error
        finally:
            self.writers.discard()
            self.frames.release()

    def _feed(self, sink: Sink) -> None:
        vertices = self._vertices(sink)
        name = sink.operator.key
        self.events(ActionStarted(sink=name, vertices=vertices))
        frame = self.frames.outlets[sink.source, sink.outlet]
        try:
            self._act(sink, frame)
        except PlanError:
            raise
        except Exception as error:
            raise self._translated(error, sink) from error
        self.events(ActionFinished(sink=name, vertices=vertices))

    def _translated(self, error: Exception, sink: Sink | None = None) -> PlanError:
        unread = unreadable(error, self.program)
        if unread is not None:
            return unread
        owner = owner_of(error, self.program)
        if owner is not None:
            return translated(error, owner.operator, owner.name, "failed")
        if sink is not None and sink.kind == "write":
            return translated(error, sink.operator, sink.name, "could not be written")
        return translated(error, None)

    def _act(self, sink: Sink, frame: DataFrame) -> None:
        if sink.kind == "print":
            count = 0
            for record in printed_records(sink, frame):
                count += 1
                self.events(record)
            self.tally.known["sink", sink.node] = count
        elif sink.kind == "write":
            self.writers.write(sink, frame)
        else:
            frame.write.format("noop").mode("overwrite").save()

    def _vertices(self, sink: Sink) -> tuple[int, ...]:
        """The vertices this sink's action is the first to run."""
        found, open_passes = {sink.step}, [sink.source]
        seen: set[int] = set()
        while open_passes:
            number = open_passes.pop()
            if number not in seen:
                seen.add(number)
                found.add(self.program.passes[number].step)
                open_passes.extend(inlet.source for inlet in self.program.passes[number].inlets)
        new = tuple(sorted(found - self.ran))
        self.ran |= found
        return new

    # --- figures

    def _result(self) -> RunResult:
        reports = self.reports.by_pass()
        self._count_python(reports)
        vertices = tuple(self._vertex(position, reports) for position in range(len(self.program.steps)))
        # operators that nobody reads are run as sinks, and are none
        sinks = tuple(self._sink_figures(s) for s in self.program.sinks if s.operator.kind in ("sink", "print"))
        for figures in vertices:
            self.events(VertexFinished(figures=figures))
        for written in sinks:
            self.events(SinkWritten(figures=written))
        return RunResult(vertices=vertices, sinks=sinks)

    def _count_python(self, reports: dict[int, dict[int, dict[str, Any]]]) -> None:
        for number, one in enumerate(self.program.passes):
            if one.engine != "python":
                continue
            subtasks = list(reports.get(number, {}).values())
            for position in (0, 1):
                self.tally.known["taken", number, position] = sum(r["taken"][position] for r in subtasks)
            for at in range(len(one.operations)):
                self.tally.known["node in", number, at] = sum(r["nodes"][at][0] for r in subtasks)
                self.tally.known["node out", number, at] = sum(r["nodes"][at][1] for r in subtasks)
            for at, outlet in enumerate(one.outlets):
                symbol = ("out", number, outlet.operation, outlet.tag)
                if outlet.operation is not None:
                    self.tally.known[symbol] = sum(r["outlets"][at] for r in subtasks)

    def _vertex(self, position: int, reports: dict[int, dict[int, dict[str, Any]]]) -> VertexFigures:
        step = self.program.steps[position]
        figures: dict[int, OperatorFigures] = {}
        for number in step.passes:
            for at, operation in enumerate(self.program.passes[number].operations):
                taken, given = self._operation_counts(number, at)
                figures.setdefault(
                    operation.node,
                    OperatorFigures(
                        node=operation.node,
                        key=operation.operator.key,
                        name=operation.name,
                        records_in=taken,
                        records_out=given,
                    ),
                )
        for sink in self.program.sinks:
            if sink.step == position and sink.node not in figures:
                figures[sink.node] = OperatorFigures(
                    node=sink.node, key=sink.operator.key, name=sink.name, records_in=self._arrived(sink), records_out=0
                )
        for one in step.committers:
            figures[one.node] = OperatorFigures(node=one.node, key=one.key, name=one.name, records_in=0, records_out=0)
        ordered = tuple(figures[node] for node in step.nodes if node in figures)
        return VertexFigures(
            vertex=position,
            name=step.name,
            parallelism=step.parallelism,
            operators=ordered,
            subtasks=tuple(self._subtasks(step.passes, reports)),
        )

    def _operation_counts(self, number: int, at: int) -> tuple[int | None, int | None]:
        one = self.program.passes[number]
        operation = one.operations[at]
        if one.engine == "python":
            given = self.tally.value(("node out", number, at))
            return self.tally.value(("node in", number, at)), given
        out = self.tally.value(("out", number, at, None))
        if operation.operator.kind == "source":
            return 0, out
        if operation.parent is not None:
            return self.tally.value(("out", number, operation.parent, None)), out
        positions = {inlet.position for inlet in one.inlets}
        found = [self.tally.value(("in", number, position)) for position in positions]
        return (None if any(f is None for f in found) else sum(f for f in found if f is not None)), out

    def _arrived(self, sink: Sink) -> int | None:
        if ("sink", sink.node) in self.tally.known:
            return self.tally.known["sink", sink.node]
        outlet = self.program.passes[sink.source].outlets[sink.outlet]
        if sink.kind == "drain":
            return self.tally.value(("node in", sink.source, outlet.operation))
        if outlet.operation is None:
            return self.tally.value(("in", sink.source, 0))
        return self.tally.value(("out", sink.source, outlet.operation, outlet.tag))

    def _subtasks(
        self, passes: tuple[int, ...], reports: dict[int, dict[int, dict[str, Any]]]
    ) -> Iterator[SubtaskFigures]:
        # a vertex of several Python passes runs them in one task: the first pass takes, the last one gives
        python = [n for n in passes if n in reports]
        for subtask in sorted({s for n in python for s in reports[n]}):
            mine = [reports[n][subtask] for n in python if subtask in reports[n]]
            yield SubtaskFigures(
                subtask=subtask,
                stage=mine[-1]["stage"],
                attempt=mine[-1]["attempt"],
                host=mine[-1]["host"],
                started=min(r["started"] for r in mine),
                seconds=max(r["started"] + r["seconds"] for r in mine) - min(r["started"] for r in mine),
                records_in=sum(mine[0]["taken"]),
                records_out=sum(mine[-1]["outlets"]),
            )

    def _sink_figures(self, sink: Sink) -> SinkFigures:
        behaviour = sink.operator.behaviour
        is_writer = isinstance(behaviour, Writer)
        return SinkFigures(
            operator=sink.operator.key,
            format=behaviour.format if isinstance(behaviour, Writer) else sink.kind,
            path=self.writers.target(sink) if is_writer else None,
            records=self._arrived(sink),
        )
