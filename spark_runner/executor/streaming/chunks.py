"""What travels between layers: rows of records that go to one subtask, or of watermarks. Standard library and pyarrow.

A row is one chunk. Its records are Arrow columns where their types are declared, which also checks that they fit, and
pickled where they are not.
"""

from __future__ import annotations

import pickle
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from spark_runner.executor.records import decode, encode, pickled
from spark_runner.executor.rows import NamedRow, row_class

__all__ = [
    "CHUNK",
    "FIGURES",
    "ROW_SCHEMA",
    "Chunk",
    "chunk_batch",
    "chunks_of",
    "columns_blob",
    "records_blob",
    "records_of",
]

CHUNK = 4_000  # records in one row
FIGURES = -1_000_000  # the target of rows that count

ROW_SCHEMA = pa.schema(
    [
        pa.field("target", pa.int32()),  # a vertex; -1 - number: a sink
        pa.field("subtask", pa.int32()),  # of the target
        pa.field("producer", pa.int32()),
        pa.field("edge", pa.int32()),  # -1: watermarks
        pa.field("base", pa.string()),
        pa.field("seq", pa.int64()),
        pa.field("now", pa.int64()),  # the batch's time
        pa.field("blob", pa.binary()),
    ]
)
ROW_DDL = "target int, subtask int, producer int, edge int, base string, seq bigint, now bigint, blob binary"


class Chunk(NamedTuple):
    """One row."""

    target: int
    subtask: int
    producer: int
    edge: int
    base: str
    seq: int
    now: int
    blob: bytes


def chunk_batch(chunks: Sequence[Chunk]) -> pa.RecordBatch:
    """The rows as Arrow columns."""
    columns = zip(*chunks, strict=True) if chunks else [()] * len(ROW_SCHEMA)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, ROW_SCHEMA, strict=True)], schema=ROW_SCHEMA
    )


def chunks_of(batches: Iterable[pa.RecordBatch]) -> list[Chunk]:
    """The rows of these columns."""
    found: list[Chunk] = []
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in ROW_SCHEMA.names]
        found.extend(map(Chunk._make, zip(*columns, strict=True)))
    return found


def records_blob(
    indexes: Sequence[int], values: Sequence[Any], stamps: Sequence[int | None] | None, schema: pa.Schema | None
) -> bytes:
    """Records with their positions and event times. Raises UnfitRecord where one does not fit its columns."""
    times = None if stamps is None else _times(stamps)
    if schema is not None:
        columns = pa.RecordBatch.from_arrays(encode(values, schema), schema=schema)
        return _blob(array("q", indexes).tobytes(), times, columns)
    fields = _common_row(values)
    plain = values if fields is None else list(map(tuple, values))
    return pickled((array("q", indexes).tobytes(), times, fields, plain))


def columns_blob(indexes: pa.Array, columns: pa.RecordBatch) -> bytes:
    """The same of records without event times that are columns already."""
    start = 8 * indexes.offset
    return _blob(indexes.buffers()[1][start : start + 8 * len(indexes)].to_pybytes(), None, columns)


def _blob(indexes: bytes, times: Any, columns: pa.RecordBatch) -> bytes:
    return pickle.dumps((indexes, times, columns.num_rows, columns.serialize().to_pybytes()), protocol=5)


def records_of(blob: bytes, schema: pa.Schema | None) -> tuple[array[int], list[Any], list[int | None] | None]:
    """The positions, the records and their event times."""
    raw, times, form, body = pickle.loads(blob)
    indexes = array("q")
    indexes.frombytes(raw)
    if schema is not None:
        batch = pa.ipc.read_record_batch(pa.py_buffer(body), schema)
        values = decode(batch.columns, schema.names)
    elif form is not None:
        values = [tuple.__new__(row_class(form), value) for value in body]
    else:
        values = body
    return indexes, values, None if times is None else _stamps(times)


def watermarks_blob(split: int, indexes: list[int], marks: list[int]) -> bytes:
    """Where the watermarks of a split rose, and to what."""
    return array("q", (split, *indexes, *marks)).tobytes()


def watermarks_of(blob: bytes) -> tuple[array[int], array[int]]:
    """Where watermarks rose, and to what."""
    found = array("q")
    found.frombytes(blob)
    half = len(found) // 2
    return found[1 : half + 1], found[half + 1 :]


def marked_split(blob: bytes) -> int:
    """The split whose watermarks these are."""
    return int.from_bytes(blob[:8], sys.byteorder, signed=True)


def _common_row(values: Sequence[Any]) -> tuple[str, ...] | None:
    kinds = set(map(type, values))
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    return kind._fields if kind is not None and issubclass(kind, NamedRow) else None


def _times(stamps: Sequence[int | None]) -> Any:
    known = [stamp for stamp in stamps if stamp is not None]
    return array("q", known).tobytes() if len(known) == len(stamps) else stamps


def _stamps(times: Any) -> list[int | None]:
    if isinstance(times, list):
        return times
    found = array("q")
    found.frombytes(times)
    return found.tolist()  # type: ignore[return-value]
