"""What happens with every batch after the last layer: its figures are read, then every sink is written."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Protocol

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from planner.frontends.python.stand_in import pyflink_stand_in
from spark_runner.executor.chunks import FIGURES, Chunk, chunks_of, unpacked
from spark_runner.executor.layout import Layout
from spark_runner.executor.records import decode
from spark_runner.executor.rows import printed
from spark_runner.executor.written import COUNTED
from spark_runner.figures.results import CollectedRecord, Events, PrintedRecord
from spark_runner.program.chunks import ChunkPlan, ChunkSink
from spark_runner.streaming.queries.sinks import BatchWriter
from spark_runner.streaming.queries.source_files import SourceFiles

__all__ = ["BatchFigures", "Batches", "Halted", "Here", "Listener"]

BatchFigures = list[dict[str, Any]]


class Halted(Exception):
    """The run was asked to stop between two batches: the next one is left to a restart."""

    MARK = "plan: stopped between two batches"

    def __init__(self) -> None:
        super().__init__(self.MARK)


class Listener(Protocol):
    """Who is told of batches, and may ask for no more of them."""

    def is_halted(self) -> bool:
        """Whether no other batch shall begin."""

    def printed(self, record: PrintedRecord) -> None:
        """A record of a print sink."""

    def collected(self, record: Any) -> None:
        """A record that the script itself asked for."""

    def taken(self, batch: int, figures: BatchFigures, seconds: float) -> None:
        """A batch is written."""


class Here:
    """Batches are taken in the process that watches them."""

    def __init__(self, events: Events, taken: Callable[[int, BatchFigures, float], None]) -> None:
        self.printed: Callable[[PrintedRecord], None] = events
        self.taken = taken
        self.halted = False
        self._events = events

    def collected(self, record: Any) -> None:
        """For the script that waits for it."""
        self._events(CollectedRecord(record=record))

    def is_halted(self) -> bool:
        """As the run was asked."""
        return self.halted

    def halt(self) -> None:
        """Begin no other batch."""
        self.halted = True


class Batches:
    """The function that Spark calls with every batch."""

    def __init__(
        self, job: ChunkPlan, layout: Layout, writer: BatchWriter, files: SourceFiles, listener: Listener
    ) -> None:
        self.job, self.layout, self.writer, self.files, self.listener = job, layout, writer, files, listener

    def __call__(self, rows: DataFrame, batch: int) -> None:
        if self.listener.is_halted():
            raise Halted
        started = time.perf_counter()
        self.files.check(batch)
        self.writer.check_places()
        figures = self._take(rows, batch)
        self.listener.taken(batch, figures, time.perf_counter() - started)

    def _take(self, rows: DataFrame, batch: int) -> BatchFigures:
        """Write every sink. Each action on a batch computes it anew, so several actions read a copy that is kept."""
        if not self.job.sinks:
            return self._figures(rows)
        if COUNTED in rows.columns:
            return self._write_all(self.job.sinks[0], rows, batch)
        if len(self.job.sinks) == 1 and self.job.sinks[0].kind != "write" and not self._in_columns(self.job.sinks[0]):
            return self._print_all(self.job.sinks[0], rows)
        kept = rows.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            figures = self._figures(kept)
            for sink in self.job.sinks:
                if self._has_records(sink, figures):
                    self._feed(sink, kept.where(F.col("target") == -1 - sink.number), batch)
            return figures
        finally:
            kept.unpersist()

    def _has_records(self, sink: ChunkSink, figures: BatchFigures) -> bool:
        received = {number for one in figures for number, count in one["edges"].items() if count}
        return any(str(flow.number) in received for flow in self.job.flows_into(sink))

    @staticmethod
    def _figures(rows: DataFrame) -> BatchFigures:
        found = rows.where(F.col("target") == FIGURES).select("blob").collect()
        return [json.loads(bytes(row["blob"])) for row in found]

    def _write_all(self, sink: ChunkSink, rows: DataFrame, batch: int) -> BatchFigures:
        """The one sink and the figures by one Spark job: what the tasks of its last stage observe counts once."""
        seen = Observation()
        found: BatchFigures = []

        def wanted() -> bool:
            found.extend(json.loads(one) for one in seen.get["figures"])
            return self._has_records(sink, found)

        observed = rows.observe(seen, F.collect_list(COUNTED).alias("figures"))
        self.writer.write_at_once(sink, observed.where(F.col(COUNTED).isNull()).drop(COUNTED), batch, wanted)
        return found

    def _print_all(self, sink: ChunkSink, rows: DataFrame) -> BatchFigures:
        """The one sink and the figures, brought here together."""
        chunks = chunks_of(rows.where(F.col("target").isin(FIGURES, -1 - sink.number)).toArrow().to_batches())
        self._print(sink, [chunk for chunk in chunks if chunk.target != FIGURES])
        return [json.loads(chunk.blob) for chunk in chunks if chunk.target == FIGURES]

    def _in_columns(self, sink: ChunkSink) -> bool:
        return any(flow.sql for flow in self.job.flows_into(sink))

    def _feed(self, sink: ChunkSink, rows: DataFrame, batch: int) -> None:
        if sink.kind == "write":
            self.writer.write(sink, rows, batch)
        elif self._in_columns(sink):
            self._print_columns(sink, self.writer.columns(sink, rows))
        else:
            self._print(sink, chunks_of(rows.toArrow().to_batches()))

    def _print_columns(self, sink: ChunkSink, frame: DataFrame) -> None:
        for batch in frame.toArrow().to_batches():
            for value in decode(batch.columns, batch.schema.names):
                self.listener.printed(PrintedRecord.of(sink.operator, None, printed(value)))

    def _print(self, sink: ChunkSink, chunks: list[Chunk]) -> None:
        with pyflink_stand_in() if self.job.script else nullcontext():
            self._tell(sink, chunks)

    def _tell(self, sink: ChunkSink, chunks: list[Chunk]) -> None:
        found = []
        for chunk in chunks:
            found_here = unpacked(chunk.blob, self.layout.edges[chunk.edge].schema)
            for at, (index, value) in enumerate(zip(found_here.places, found_here.values, strict=True)):
                found.append(((chunk.base, index, chunk.producer, chunk.edge, chunk.seq, at), chunk.subtask, value))
        for _, subtask, value in sorted(found, key=lambda one: one[0]):
            if sink.kind == "collect":
                self.listener.collected(value)
                continue
            number = subtask + 1 if sink.parallelism > 1 else None
            self.listener.printed(PrintedRecord.of(sink.operator, number, printed(value)))
