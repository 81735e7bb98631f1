"""What Spark calls for a PyFlink job whose input ends: its sources, and one layer of subtasks. Runs on workers.

Watermarks come with the end of the input, as they do in Flink where the input is shorter than its watermark interval,
and always in batch mode.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from spark_runner.executor.pyflink.contexts import clock
from spark_runner.executor.records import decode
from spark_runner.executor.streaming.chunks import Chunk, chunk_batch, chunks_of
from spark_runner.executor.streaming.layout import Layout
from spark_runner.executor.streaming.positions import FEED_BASE
from spark_runner.executor.streaming.subtask import NoState, Subtask

__all__ = ["run_feed", "run_layer", "run_rows"]

_BYTES = 8_000_000  # of chunks in one Arrow batch


class BoundedSubtask(Subtask):
    """A subtask that takes all its input at once, and keeps nothing behind it."""

    def processing_time(self) -> int:
        """What the clock says now."""
        return clock()

    def _save(self) -> None:
        """Nothing follows."""


def _subtask(payload: bytes, vertex: int, number: int) -> BoundedSubtask:
    layout: Layout = pickle.loads(payload)
    task = BoundedSubtask(layout, layout.vertices[vertex], number, NoState(), clock())
    task.begin()
    return task


def run_feed(
    payload: bytes, vertex: int, records: bytes, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A source of the job's own records: every row is the number of a subtask, which has a contiguous part of them."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            task = _subtask(payload, vertex, number)
            everything: Sequence[Any] = pickle.loads(records)
            total, count = len(everything), task.vertex.parallelism
            first, last = total * number // count, total * (number + 1) // count
            yield from _through(task, [everything[first:last]])


def run_rows(payload: bytes, vertex: int, first: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A source that Spark reads: every task is a subtask. `first` is the number of its first task in the frame."""
    from pyspark import TaskContext

    context = TaskContext.get()
    task = _subtask(payload, vertex, 0 if context is None else context.partitionId() - first)
    yield from _through(task, (decode(batch.columns, batch.schema.names) for batch in batches))


def _through(task: BoundedSubtask, parts: Iterable[Sequence[Any]]) -> Iterator[pa.RecordBatch]:
    index = 0
    for part in parts:
        task.take_slice(FEED_BASE, range(index, index + len(part)), part)
        index += len(part)
        yield from _rows(task.drain())
    task.end_input()
    task.finish()
    yield from _rows(task.drain())


def run_layer(payload: bytes, layer: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One partition of a layer: chunks for its subtasks go through them, the others go by unopened."""
    layout: Layout = pickle.loads(payload)
    mine: dict[tuple[int, int], list[Chunk]] = {}
    others: list[Chunk] = []
    for chunk in chunks_of(batches):
        if chunk.target >= 0 and layout.vertices[chunk.target].layer == layer:
            mine.setdefault((chunk.target, chunk.subtask), []).append(chunk)
        else:
            others.append(chunk)
    yield from _rows(others)
    for (vertex, subtask), found in sorted(mine.items()):
        task = _subtask(payload, vertex, subtask)
        task.take_chunks(found)
        task.finish()
        yield from _rows(task.drain())


def _rows(chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
    held: list[Chunk] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk.blob)
        if size > _BYTES:
            yield chunk_batch(held)
            held, size = [], 0
    if held:
        yield chunk_batch(held)
