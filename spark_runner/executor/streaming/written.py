"""Records on their way into a sink that Spark writes: chunks as the columns of a frame. Runs on workers."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator

import pyarrow as pa

from spark_runner.executor.streaming.chunks import chunks_of

__all__ = ["NUMBER", "SUBTASK", "run_columns"]

SUBTASK, NUMBER = "__subtask", "__number"


def run_columns(
    schemas: dict[int, pa.Schema], names: list[str], numbered: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The records of every chunk; `numbered` adds the subtask that wrote each, and its number there."""
    written: dict[int, int] = {}
    for chunk in chunks_of(batches):
        body = pickle.loads(chunk.blob)[3]
        batch = pa.ipc.read_record_batch(pa.py_buffer(body), schemas[chunk.edge])
        columns = [batch.column(name) for name in names]
        if numbered:
            first = written.get(chunk.subtask, 0)
            written[chunk.subtask] = first + batch.num_rows
            columns.append(pa.array([chunk.subtask] * batch.num_rows, pa.int32()))
            columns.append(pa.array(range(first, first + batch.num_rows), pa.int64()))
        yield pa.RecordBatch.from_arrays(columns, [*names, *((SUBTASK, NUMBER) if numbered else ())])
