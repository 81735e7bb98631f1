"""What Spark calls: sources, layers without state, and one slot of a layer with state. Runs on workers.

Functions come pickled in `payload`; every subtask unpickles its own copy, as every subtask has its own in Flink.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from spark_runner.executor.chunks import Chunk, chunk_batch, chunks_of
from spark_runner.executor.interpreter import at_work
from spark_runner.executor.layout import Layout, VertexSpec
from spark_runner.executor.positions import END_BASE, FEED_BASE, block_base, subtask_of
from spark_runner.executor.records import decode
from spark_runner.executor.store import Backend, NoState
from spark_runner.executor.subtask import TICK, Subtask, clock

__all__ = ["run_control", "run_ending_layer", "run_feed", "run_layer", "run_rows", "run_slot", "run_source"]

_BASE = ("__b0", "__b1", "__b2", "__split")
_AT, _NOW = "__at", "__now"
_SLICE = 20_000  # records of the job itself that are taken at once


def _longest(layout: Layout) -> int:
    """How many operators the longest chain has."""
    return max(len(vertex.operators) for vertex in layout.vertices)


def _subtask(payload: bytes, vertex: int, subtask: int, backend: Backend, now: int) -> Subtask:
    layout: Layout = pickle.loads(payload)
    task = Subtask(layout, layout.vertices[vertex], subtask, backend, now)
    task.begin()
    return task


def _ending(payload: bytes, vertex: int, subtask: int) -> Subtask:
    """A subtask that takes all its input at once, and keeps nothing afterwards."""
    layout: Layout = pickle.loads(payload)
    count = layout.vertices[vertex].parallelism
    if not 0 <= subtask < count:  # its end would never reach its readers
        raise RuntimeError(f"Spark made another number of partitions than planned: subtask {subtask} of {count}")
    task = Subtask(layout, layout.vertices[vertex], subtask, NoState(), clock(), ends=True)
    task.begin()
    return task


# --- sources --------------------------------------------------------------------------------------------------------


def run_source(payload: bytes, source: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The chain downstream of a reader. A task may have records of several subtasks, and a subtask several tasks."""
    layout: Layout = pickle.loads(payload)
    spec = layout.sources[source]
    parallelism = layout.vertices[spec.vertex].parallelism
    tasks: dict[int, Subtask] = {}
    counted: dict[tuple[int, ...], int] = {}
    with at_work(_longest(layout)):
        for batch in batches:
            for start, length, where in _runs(batch):
                part = batch.slice(start, length)
                subtask = subtask_of(where[3], parallelism)
                if subtask not in tasks:
                    now = part.column(_NOW)[0].as_py()
                    tasks[subtask] = _subtask(payload, spec.vertex, subtask, NoState(), now)
                indexes = _indexes(part, where, counted)
                values = decode([part.column(name) for name in spec.names], spec.names)
                tasks[subtask].take_slice(block_base(*where[:3]), indexes, values, where[3])
            yield from _rows(chunk for task in tasks.values() for chunk in task.drain())
        for task in tasks.values():
            task.finish()
            yield from _rows(task.drain())


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Where the rows of one base and split begin, and how many they are."""
    columns = [batch.column(name) for name in _BASE]
    if all(len(column.unique()) == 1 for column in columns):
        yield 0, batch.num_rows, tuple(column[0].as_py() for column in columns)
        return
    start = 0
    for where, rows in groupby(zip(*(column.to_pylist() for column in columns), strict=True)):
        length = sum(1 for _ in rows)
        yield start, length, where
        start += length


def _indexes(part: pa.RecordBatch, where: tuple[int, ...], counted: dict[tuple[int, ...], int]) -> Sequence[int]:
    if _AT not in part.schema.names:
        first = counted.get(where, 0)
        counted[where] = first + part.num_rows
        return range(first, first + part.num_rows)
    latest, found = counted.get(where, -(2**62)), []
    for at in part.column(_AT).to_pylist():
        latest = max(latest, at)  # never back: a split's own order stays
        found.append(latest)
    counted[where] = latest
    return found


def run_control(payload: bytes, feeds: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What the driver asks for: slices of the job's own records, ticks of processing time, the end of input."""
    orders = [
        (json.loads(value), now)
        for batch in batches
        for value, now in zip(batch.column("value").to_pylist(), batch.column(_NOW).to_pylist(), strict=True)
    ]
    if not orders:
        return
    layout: Layout = pickle.loads(payload)
    with at_work(_longest(layout)):
        for order, now in sorted(orders, key=lambda one: one[0].get("slice", 0)):
            if "slice" in order:
                yield from _rows(_fed(payload, layout, pickle.loads(feeds), order, now))
        if any("end" in order for order, _ in orders):
            yield from _rows(_ended(payload, layout, orders[-1][1]))
        if any("tick" in order for order, _ in orders):
            yield from _rows(_ticked(layout, orders[-1][1]))


def _fed(payload: bytes, layout: Layout, feeds: dict[int, Any], order: Any, now: int) -> Iterator[Chunk]:
    number, size = order["slice"], order["size"]
    for source in layout.sources:
        if source.number in feeds:
            yield from _feed_one(payload, layout.vertices[source.vertex], feeds[source.number], number, size, now)


def _feed_one(payload: bytes, vertex: VertexSpec, records: Any, number: int, size: int, now: int) -> Iterator[Chunk]:
    total, parallelism = len(records), vertex.parallelism
    for subtask in range(parallelism):
        # every subtask has a contiguous part of the records; a slice takes the next `size` of each part
        first, last = total * subtask // parallelism, total * (subtask + 1) // parallelism
        start = first + number * size
        end = min(start + size, last)
        if start < end:
            task = _subtask(payload, vertex.number, subtask, NoState(), now)
            # one base for all feeds, so that their records take turns however they are cut into slices
            task.take_slice(FEED_BASE, range(start - first, end - first), records[start:end])
            task.finish()
            yield from task.drain()


def _ended(payload: bytes, layout: Layout, now: int) -> Iterator[Chunk]:
    for vertex in layout.vertices:
        if vertex.layer == 0:
            for subtask in range(vertex.parallelism):
                task = _subtask(payload, vertex.number, subtask, NoState(), now)
                task.end_input()
                task.finish()
                yield from task.drain()


def _ticked(layout: Layout, now: int) -> Iterator[Chunk]:
    for vertex in layout.vertices:
        if vertex.stateful:
            for subtask in range(vertex.parallelism):
                yield Chunk(vertex.number, subtask, -1, TICK, END_BASE, 0, now, b"")


# --- layers ---------------------------------------------------------------------------------------------------------


def run_layer(payload: bytes, layer: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One partition of a layer without state."""
    yield from _rows(run_slot(payload, layer, chunks_of(batches), NoState()))


def run_slot(payload: bytes, layer: int, chunks: Sequence[Chunk], backend: Backend) -> Iterator[Chunk]:
    """All chunks of one slot: those for this layer go through their subtasks, the others go by unopened."""
    layout: Layout = pickle.loads(payload)
    mine, others = _sorted_out(layout, layer, chunks)
    yield from others
    with at_work(_longest(layout)):
        for (vertex, subtask), found in sorted(mine.items()):
            task = _subtask(payload, vertex, subtask, backend, max(chunk.now for chunk in found))
            task.take_chunks(found)
            task.finish()
            yield from task.drain()


def _sorted_out(
    layout: Layout, layer: int, chunks: Iterable[Chunk]
) -> tuple[dict[tuple[int, int], list[Chunk]], list[Chunk]]:
    """The chunks for each subtask of a layer, and those that are for others."""
    mine: dict[tuple[int, int], list[Chunk]] = {}
    others: list[Chunk] = []
    for chunk in chunks:
        if chunk.target >= 0 and layout.vertices[chunk.target].layer == layer:
            mine.setdefault((chunk.target, chunk.subtask), []).append(chunk)
        else:
            others.append(chunk)
    return mine, others


# --- input that ends --------------------------------------------------------------------------------------------------
# Watermarks come with the end of the input, as they do in Flink where the input is shorter than its watermark interval,
# and always in batch mode.


def run_feed(
    payload: bytes, vertex: int, records: bytes, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A source of the job's own records: every row is the number of a subtask, which has a contiguous part of them."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            task = _ending(payload, vertex, number)
            everything: Sequence[Any] = pickle.loads(records)
            total, count = len(everything), task.vertex.parallelism
            first, last = total * number // count, total * (number + 1) // count
            parts = (everything[at : min(at + _SLICE, last)] for at in range(first, last, _SLICE))
            yield from _through(task, parts)


def run_rows(payload: bytes, vertex: int, first: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A source that Spark reads: every task is a subtask. `first` is the number of its first task in the frame."""
    from pyspark import TaskContext

    context = TaskContext.get()
    task = _ending(payload, vertex, (0 if context is None else context.partitionId()) - first)
    yield from _through(task, (decode(batch.columns, batch.schema.names) for batch in batches))


def _through(task: Subtask, parts: Iterable[Sequence[Any]]) -> Iterator[pa.RecordBatch]:
    index = 0
    with at_work(len(task.operators)):
        for part in parts:
            task.take_slice(FEED_BASE, range(index, index + len(part)), part)
            index += len(part)
            yield from _rows(task.drain())
        task.end_input()
        task.finish()
        yield from _rows(task.drain())


def run_ending_layer(payload: bytes, layer: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One partition of a layer of input that ends."""
    layout: Layout = pickle.loads(payload)
    mine, others = _sorted_out(layout, layer, chunks_of(batches))
    yield from _rows(others)
    with at_work(_longest(layout)):
        for (vertex, subtask), found in sorted(mine.items()):
            task = _ending(payload, vertex, subtask)
            task.take_chunks(found)
            task.finish()
            yield from _rows(task.drain())


def _rows(chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
    """Chunks as Arrow batches of a moderate size."""
    held: list[Chunk] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk.blob)
        if size > 8_000_000:
            yield chunk_batch(held)
            held, size = [], 0
    if held:
        yield chunk_batch(held)
