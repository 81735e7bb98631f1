"""Runs a streaming job on a session until its input ends, somebody stops it, or it fails."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from planner.errors import PlanError
from spark_runner.batch.hadoop_files import Files
from spark_runner.clusters.connect import is_connect
from spark_runner.executor.layout import Layout
from spark_runner.figures.results import ActionStarted, Events, RunResult, SinkWritten, VertexFinished
from spark_runner.figures.totals import Totals
from spark_runner.frames.blame import translated
from spark_runner.frames.shipping import ship
from spark_runner.program.chunks import ChunkPlan
from spark_runner.program.program import SparkProgram
from spark_runner.streaming.checkpoint import Checkpoint
from spark_runner.streaming.control import Control
from spark_runner.streaming.needs import check_workers
from spark_runner.streaming.passing import TRIES, passes
from spark_runner.streaming.queries.batches import Batches, BatchFigures, Halted, Here
from spark_runner.streaming.queries.on_server import ServerBatches
from spark_runner.streaming.queries.query import Query
from spark_runner.streaming.queries.shapes import Shapes
from spark_runner.streaming.queries.sinks import BatchWriter, target_of
from spark_runner.streaming.queries.source_files import SourceFiles

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
    slice_size: int | None = None  # records of each subtask in one batch; None: as many as fit into memory


class StreamRun:
    """One attempt at a streaming run; `totals` are those of the attempts before it."""

    def __init__(
        self,
        program: SparkProgram,
        spark: SparkSession,
        checkpoint: Checkpoint,
        options: StreamOptions,
        *,
        events: Events,
        totals: Totals | None = None,
        taken: Callable[[int, BatchFigures], None] = lambda batch, figures: None,
    ) -> None:
        assert program.chunks is not None
        self.program, self.spark, self.checkpoint, self.options = program, spark, checkpoint, options
        self.job: ChunkPlan = program.chunks
        self.events = events
        self.totals = totals or Totals(self.job, program)
        self._told = taken
        self.control = Control(checkpoint.control)
        self.here = Here(events, self._taken)
        self.server = ServerBatches(checkpoint.told, self.here) if is_connect(spark) else None
        self._ticked = 0.0
        self._batches_taken = 0
        self._failure: PlanError | None = None
        self._forget: Callable[[], None] = lambda: None  # what a batch that was broken off put aside
        self._check_places: Callable[[], None] = lambda: None  # whether what was written is still there
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
        """Finish the current batch, and start no other."""
        (self.server or self.here).halt()

    def _run(self) -> RunResult:
        self.control.prepare(self.job, self.options.slice_size)
        check_workers(self.spark, self.job, self.control.orders)
        ship(self.spark, self.program.file, pyflink=self.job.script)
        package = None if self.server is None else self.server.package(self.program.file)
        query = Query(self.job, self.spark, file=self.program.file, orders=self.control.orders, package=package)
        rows, layout = query.frame(self.checkpoint.generations)
        self.totals.targets = {sink.number: target_of(sink, query.shapes) for sink in self.job.sinks}
        batches = self._batches(query.shapes, layout)
        self.checkpoint.begin(self.job)
        self.events(ActionStarted(sink="stream", vertices=tuple(range(len(self.program.steps)))))
        with _aside_from_garbage():
            self._drive(rows, batches)
            if self._ends and not self.here.halted and self.control.end():
                self._drive(rows, batches)
        self._check_places()
        return self._result()

    def _batches(self, shapes: Shapes, layout: Layout) -> Callable[[Any, int], None]:
        """What Spark calls with every batch: in this process, or over Connect on the server."""
        first = not self.checkpoint.started
        if self.server is not None:
            folder = self.checkpoint.spark
            return self.server.function(shapes, layout, self.checkpoint.id, folder, file=self.program.file, first=first)
        writer = BatchWriter(shapes, layout, Files(self.spark), self.checkpoint.id)
        writer.claim(first=first)
        self._forget, self._check_places = writer.forget, writer.check_places
        sources = SourceFiles(shapes, Files(self.spark), self.checkpoint.spark)
        return self._kept(Batches(self.job, layout, writer, sources, self.here))

    def _kept(self, batches: Batches) -> Callable[[Any, int], None]:
        """Keep the error that ended a batch: Spark gives back only its text, inside a message of its own."""

        def run(rows: Any, batch: int) -> None:
            self._failure = None
            try:
                batches(rows, batch)
            except PlanError as error:
                self._failure = error
                raise

        return run

    @property
    def _ends(self) -> bool:
        return self.job.bounded and self.options.interval is None and not self.options.once

    def _drive(self, rows: Any, batches: Callable[[Any, int], None]) -> None:
        stream = rows.writeStream.foreachBatch(batches).option("checkpointLocation", self.checkpoint.spark)
        if self.options.once:
            stream = stream.trigger(once=True)
        elif self.options.interval is None:
            stream = stream.trigger(availableNow=True)
        else:
            stream = stream.trigger(processingTime=f"{self.options.interval} milliseconds")
        tries = TRIES
        while True:
            taken = self._batches_taken
            try:
                return self._follow(stream)
            except Exception as error:
                tries = TRIES if self._batches_taken > taken else tries - 1
                if not passes(error) or not tries or self.here.halted:
                    raise self._failure or error from error

    def _follow(self, stream: Any) -> None:
        """Start the query, and stay with it to its end."""
        self.query = stream.queryName(self.checkpoint.id).start()
        try:
            self._watch(self.query)
        finally:
            self.query.stop()
            self._hear()
            with suppress(Exception):  # the session may be gone: then the next run removes it
                self._forget()

    def _watch(self, query: StreamingQuery) -> None:
        try:
            while not query.awaitTermination(_LOOK):  # type: ignore[arg-type]
                self._hear()
                if self.here.halted and not query.status["isTriggerActive"]:
                    return
                self._tick()
        except StreamingQueryException as error:
            if Halted.MARK not in str(error):
                raise (self.server.error() if self.server is not None else None) or error from error

    def _hear(self) -> None:
        if self.server is not None:
            self.server.hear()

    def _tick(self) -> None:
        """Wake vertices whose timers of processing time are due and have no records to wake them."""
        due, now, passed = self.totals.next_timer, time.time(), time.monotonic()  # the first may be set back
        if self.options.interval is not None and due is not None and due <= now * 1000 and passed - self._ticked > 1:
            self._ticked = passed
            self.control.tick(int(now * 1000))

    def _taken(self, batch: int, figures: BatchFigures, seconds: float) -> None:
        self._batches_taken += 1
        # Py4J's objects refer to themselves: until Python has looked for garbage, the JVM keeps every batch's plans.
        gc.collect()
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
        if self.here.halted:  # its input has not ended: what became of its vertices is for the supervision to say
            return result
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


@contextmanager
def _aside_from_garbage() -> Iterator[None]:
    """Python does not look for garbage among what there is now, so that looking after every batch takes no time."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
