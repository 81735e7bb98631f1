"""What happens with every batch behind the last layer: its figures are read, then every sink is written."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Protocol

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from planner.frontends.pyflink.stand_in import pyflink_stand_in
from spark_runner.executor.records import decode
from spark_runner.executor.rows import printed
from spark_runner.executor.streaming.chunks import FIGURES, chunks_of, records_of
from spark_runner.executor.streaming.layout import Layout
from spark_runner.figures.results import CollectedRecord, Events, PrintedRecord
from spark_runner.streaming.program import StreamJob, StreamSink
from spark_runner.streaming.sinks import BatchWriter

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

    def __init__(self, job: StreamJob, layout: Layout, writer: BatchWriter, listener: Listener) -> None:
        self.job, self.layout, self.writer, self.listener = job, layout, writer, listener

    def __call__(self, rows: DataFrame, batch: int) -> None:
        if self.listener.is_halted():
            raise Halted
        started = time.perf_counter()
        kept = rows.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            figures = self._figures(kept)
            received = {number for one in figures for number, count in one["edges"].items() if count}
            for sink in self.job.sinks:
                flows = [flow for flow in self.job.flows if flow.target == -1 - sink.number]
                if any(str(flow.number) in received for flow in flows):
                    self._feed(sink, kept.where(F.col("target") == -1 - sink.number), batch)
            self.listener.taken(batch, figures, time.perf_counter() - started)
        finally:
            kept.unpersist()

    @staticmethod
    def _figures(rows: DataFrame) -> BatchFigures:
        found = rows.where(F.col("target") == FIGURES).select("blob").collect()
        return [json.loads(bytes(row["blob"])) for row in found]

    def _feed(self, sink: StreamSink, rows: DataFrame, batch: int) -> None:
        if sink.kind == "write":
            self.writer.write(sink, rows, batch)
        elif any(flow.sql for flow in self.writer.flows_of(sink)):
            self._print_columns(sink, self.writer.columns(sink, rows))
        else:
            self._print(sink, rows)

    def _print_columns(self, sink: StreamSink, frame: DataFrame) -> None:
        for batch in frame.toArrow().to_batches():
            for value in decode(batch.columns, batch.schema.names):
                self.listener.printed(PrintedRecord(operator=sink.operator.key, subtask=None, text=printed(value)))

    def _print(self, sink: StreamSink, rows: DataFrame) -> None:
        with pyflink_stand_in() if self.job.is_script else nullcontext():
            self._tell(sink, rows)

    def _tell(self, sink: StreamSink, rows: DataFrame) -> None:
        found = []
        for chunk in chunks_of(rows.toArrow().to_batches()):
            indexes, values, _ = records_of(chunk.blob, self.layout.edges[chunk.edge].schema)
            for at, (index, value) in enumerate(zip(indexes, values, strict=True)):
                found.append(((chunk.base, index, chunk.producer, chunk.edge, chunk.seq, at), chunk.subtask, value))
        for _, subtask, value in sorted(found, key=lambda one: one[0]):
            if sink.kind == "collect":
                self.listener.collected(value)
                continue
            number = subtask + 1 if sink.parallelism > 1 else None
            key, identifier = sink.operator.key, sink.identifier
            record = PrintedRecord(operator=key, subtask=number, text=printed(value), identifier=identifier)
            self.listener.printed(record)
