"""Runs a streaming job on a session until its input ends, somebody stops it, or it fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from planner.errors import PlanError
from spark_runner.figures.results import ActionStarted, Events, RunResult, SinkWritten, VertexFinished
from spark_runner.frames.blame import translated
from spark_runner.frames.shipping import ship
from spark_runner.program.program import SparkProgram
from spark_runner.streaming.batches import Batches, BatchFigures, Halted
from spark_runner.streaming.checkpoint import Checkpoint
from spark_runner.streaming.control import SLICE, Control
from spark_runner.streaming.needs import check_workers
from spark_runner.streaming.program import StreamJob
from spark_runner.streaming.query import Query
from spark_runner.streaming.sinks import BatchWriter
from spark_runner.streaming.totals import Totals

__all__ = ["StreamOptions", "StreamRun"]

_SETTINGS = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    # only what changed is written for a batch, not a snapshot of all state
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.files.openCostInBytes": "1",
}
_CONTROL = "/control/orders"
_LOOK = 0.2  # seconds between two looks at the query


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """How a stream is driven. `interval` None: whatever there is, and then end."""

    interval: int | None = None  # milliseconds
    once: bool = False
    slice_size: int = SLICE


class StreamRun:
    """One attempt at a streaming run."""

    def __init__(
        self,
        program: SparkProgram,
        spark: SparkSession,
        checkpoint: Checkpoint,
        options: StreamOptions,
        *,
        events: Events,
        taken: Callable[[int, BatchFigures], None] = lambda batch, figures: None,
    ) -> None:
        assert isinstance(program.stream, StreamJob)
        self.program, self.spark, self.checkpoint, self.options = program, spark, checkpoint, options
        self.job: StreamJob = program.stream
        self.events = events
        self.totals = Totals(self.job, program)
        self._told = taken
        self.control = Control(checkpoint.control)
        self.batches: Batches | None = None
        self._ticked = 0.0
        self.query: StreamingQuery | None = None

    def run(self) -> RunResult:
        """Run to the end. Raises ExecutionError, with the operator where one is to blame."""
        try:
            with _configured(self.spark, {**_SETTINGS, "spark.sql.shuffle.partitions": str(self.job.slots)}):
                return self._run()
        except PlanError:
            raise
        except Exception as error:
            raise translated(error, None) from error

    def halt(self) -> None:
        """Let the batch at hand end, and start no other."""
        if self.batches is not None:
            self.batches.halted = True

    def _run(self) -> RunResult:
        check_workers(self.spark, self.job)
        ship(self.spark, self.program.file)
        self.control.prepare(self.job, self.options.slice_size)
        query = Query(self.job, self.spark, file=self.program.file, orders=self.control.orders)
        rows, layout = query.frame(self.checkpoint.generations)
        writer = BatchWriter(query, layout, self.spark, self.checkpoint.id)
        writer.claim(first=not self.checkpoint.started)
        self.totals.targets = {sink.number: writer.target(sink) for sink in self.job.sinks}
        self.batches = Batches(self.job, layout, writer, self.events, self._taken)
        self.checkpoint.begin(self.job)
        self.events(ActionStarted(sink="stream", vertices=tuple(range(len(self.job.vertices)))))
        self._drive(rows)
        if self._ends and not self.batches.halted and self.control.end():
            self._drive(rows)
        return self._result()

    @property
    def _ends(self) -> bool:
        return self.job.bounded and self.options.interval is None and not self.options.once

    def _drive(self, rows: Any) -> None:
        stream = rows.writeStream.foreachBatch(self.batches).option("checkpointLocation", self.checkpoint.spark)
        if self.options.once:
            stream = stream.trigger(once=True)
        elif self.options.interval is None:
            stream = stream.trigger(availableNow=True)
        else:
            stream = stream.trigger(processingTime=f"{self.options.interval} milliseconds")
        query = self.query = stream.queryName(self.checkpoint.id).start()
        try:
            self._watch(query)
        finally:
            query.stop()

    def _watch(self, query: StreamingQuery) -> None:
        assert self.batches is not None
        try:
            while not query.awaitTermination(_LOOK):  # type: ignore[arg-type]
                if self.batches.halted and not query.status["isTriggerActive"]:
                    return
                self._tick()
        except StreamingQueryException as error:
            if Halted.MARK not in str(error):
                raise

    def _tick(self) -> None:
        """Wake vertices whose timers of processing time are due and have no records to wake them."""
        due, now = self.totals.next_timer, time.time()
        if self.options.interval is not None and due is not None and due <= now * 1000 and now - self._ticked > 1:
            self._ticked = now
            self.control.tick(int(now * 1000))

    def _taken(self, batch: int, figures: BatchFigures, seconds: float) -> None:
        self.totals.take(batch, figures)
        self.events(self.totals.batch(batch, figures, seconds, self._backlog()))
        self._told(batch, figures)

    def _backlog(self) -> tuple[tuple[str, str], ...]:
        """What Spark's sources say of what they have not read yet."""
        progress = self.query.lastProgress if self.query is not None else None
        found = []
        for source in progress.sources if progress is not None else ():
            waiting = {k: v for k, v in (source.metrics or {}).items() if "utstanding" in k or "BehindLatest" in k}
            if waiting and _CONTROL not in source.description:
                found.append((source.description, ", ".join(f"{k} {v}" for k, v in sorted(waiting.items()))))
        return tuple(found)

    def _result(self) -> RunResult:
        result = self.totals.result()
        for vertex in result.vertices:
            self.events(VertexFinished(figures=vertex))
        for sink in result.sinks:
            self.events(SinkWritten(figures=sink))
        return result


@contextmanager
def _configured(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            try:
                spark.conf.unset(name) if old is None else spark.conf.set(name, old)
            except Exception:  # the session may be gone: then so are its settings
                break
