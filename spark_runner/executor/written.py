"""Records on their way into a sink that Spark writes: chunks as the columns of a frame. Runs on workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from spark_runner.executor import layers
from spark_runner.executor.chunks import FIGURES, Chunk, chunks_of, columns_in

__all__ = ["COUNTED", "NUMBER", "SUBTASK", "run_columns", "run_last"]

SUBTASK, NUMBER = "__subtask", "__number"
COUNTED = "__counted"  # the figures of a subtask, in a row that has nothing else


def run_columns(
    schemas: dict[int, pa.Schema], names: list[str], numbered: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The records of every chunk; `numbered` adds the subtask that wrote each, and its number there."""
    written: dict[int, int] = {}
    for chunk in chunks_of(batches):
        batch = columns_in(chunk.blob, schemas[chunk.edge])
        columns = [batch.column(name) for name in names]
        if numbered:
            first = written.get(chunk.subtask, 0)
            written[chunk.subtask] = first + batch.num_rows
            columns.append(pa.array([chunk.subtask] * batch.num_rows, pa.int32()))
            columns.append(pa.array(range(first, first + batch.num_rows), pa.int64()))
        yield pa.RecordBatch.from_arrays(columns, [*names, *((SUBTASK, NUMBER) if numbered else ())])


def run_last(
    step: str | None, arguments: tuple[Any, ...], schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The last step of a query whose one sink reads one stream: its records and figures as columns at once.

    Without a step, the rows come from a layer with state.
    """
    written = pa.schema([*schema, pa.field(COUNTED, pa.string())])
    rows = batches if step is None else getattr(layers, step)(*arguments, batches)
    if step in (None, "run_layer"):
        yield from (_written(chunk, schema, written) for chunk in sorted(chunks_of(rows), key=_order))
        return
    for batch in rows:  # sources give their records in the order in which they are read
        yield from (_written(chunk, schema, written) for chunk in chunks_of([batch]))


def _order(chunk: Chunk) -> tuple[str, int, int]:
    return chunk.base, chunk.producer, chunk.seq


def _written(chunk: Chunk, schema: pa.Schema, written: pa.Schema) -> pa.RecordBatch:
    if chunk.target == FIGURES:
        columns = [*(pa.nulls(1, field.type) for field in schema), pa.array([chunk.blob.decode()])]
    else:
        batch = columns_in(chunk.blob, schema)
        columns = [*batch.columns, pa.nulls(batch.num_rows, pa.string())]
    return pa.RecordBatch.from_arrays(columns, schema=written)
