"""Runs a bounded program to its end on a session, classic or Connect."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from planner.errors import PlanError
from spark_runner.batch.chunk_run import execute_chunks
from spark_runner.batch.counts import run_result
from spark_runner.batch.printed_aside import may_be_many
from spark_runner.batch.printing import printed_records
from spark_runner.batch.session_settings import configured
from spark_runner.batch.sinks import Writers
from spark_runner.figures.action_stages import marked_action
from spark_runner.figures.results import (
    ActionFinished,
    ActionStarted,
    Events,
    RunResult,
    SinkWritten,
    VertexFinished,
)
from spark_runner.frames.blame import failure_in, owner_of, told, translated
from spark_runner.frames.frames import Frames
from spark_runner.frames.read_failures import unreadable
from spark_runner.frames.reports import Reports
from spark_runner.frames.row_counters import RowCounters
from spark_runner.frames.shipping import ship
from spark_runner.frames.tally import Tally
from spark_runner.frames.whole_records import told_whole
from spark_runner.program.counts import SinkTook
from spark_runner.program.program import Sink, SparkProgram

__all__ = ["execute"]


def execute(program: SparkProgram, spark: SparkSession, *, events: Events) -> RunResult:
    """Run a program to its end. Raises ExecutionError, with the operator where one is to blame."""
    with configured(spark, program):
        if program.chunks is not None:
            return execute_chunks(program, program.chunks, spark, events)
        return _Execution(program, spark, events).run()


class _Execution:
    """One run over columns: frames, then one action per sink, then the figures."""

    def __init__(self, program: SparkProgram, spark: SparkSession, events: Events) -> None:
        self.program, self.spark, self.events = program, spark, events
        self.tally = Tally(RowCounters(spark))
        self.reports = Reports(spark)
        self.frames = Frames(program, spark, self.reports, self.tally)
        self.writers = Writers(spark, self.frames.path, events)
        self.ran: set[int] = set()  # vertices that an action has run

    def run(self) -> RunResult:
        """Everything, in order. What a failed run wrote is removed."""
        try:
            self._check_sinks()
            self._ship()
            self.frames.build()
            self._feed_sinks()
            self.writers.publish()
            return self._result()
        except PlanError:
            raise
        except Exception as error:
            raise self._translated(error) from error
        finally:
            self.writers.discard()
            self.frames.release()

    def _check_sinks(self) -> None:
        for sink in self.program.sinks:
            if sink.kind == "write":
                self.writers.check(sink)

    def _ship(self) -> None:
        if any(one.engine == "python" for one in self.program.passes):
            ship(self.spark, self.program.file)

    def _feed_sinks(self) -> None:
        for number, sink in enumerate(self.program.sinks):
            with marked_action(self.spark, number):
                self._feed(sink)

    def _feed(self, sink: Sink) -> None:
        vertices = self._first_run_by(sink)
        self.events(ActionStarted(sink=sink.operator.key, vertices=vertices))
        try:
            self._act(sink, self.frames.outlets[sink.source, sink.outlet])
        except PlanError:
            raise
        except Exception as error:
            raise self._translated(error, sink) from error
        self.events(ActionFinished(sink=sink.operator.key, vertices=vertices))

    def _act(self, sink: Sink, frame: DataFrame) -> None:
        if sink.kind == "print":
            self._print(sink, frame)
        elif sink.kind == "write":
            self.writers.write(sink, frame)
        else:
            frame.write.format("noop").mode("overwrite").save()

    def _print(self, sink: Sink, frame: DataFrame) -> None:
        count = 0
        for record in printed_records(sink, frame, aside=may_be_many(self.program, frame)):
            count += 1
            self.events(record)
        self.tally.know(SinkTook(sink.node), count)

    def _first_run_by(self, sink: Sink) -> tuple[int, ...]:
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

    def _translated(self, error: Exception, sink: Sink | None = None) -> PlanError:
        failure = failure_in(error)
        if failure is not None:
            return told(told_whole(failure, self.program, self.spark))
        unread = unreadable(error, self.program)
        if unread is not None:
            return unread
        owner = owner_of(error, self.program)
        if owner is not None:
            return translated(error, owner.operator, owner.name, "failed")
        if sink is not None and sink.kind == "write":
            return translated(error, sink.operator, sink.name, "could not be written")
        return translated(error, None)

    def _result(self) -> RunResult:
        result = run_result(self.program, self.tally, self.reports.by_pass())
        for figures in result.vertices:
            self.events(VertexFinished(figures=figures))
        for written in result.sinks:
            self.events(SinkWritten(figures=written))
        return result
