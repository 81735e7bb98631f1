"""What travels between layers: rows of records that go to one subtask, or of watermarks. Standard library and pyarrow.

A row is one chunk. Its records are Arrow columns where their types are declared, which also checks that they fit, and
pickled where they are not.
"""

from __future__ import annotations

import pickle
import sys
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from operator import is_, itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from spark_runner.executor.nested_values import Unfit
from spark_runner.executor.records import columns_of, decode, encode, pickled, taken_apart, values_of
from spark_runner.executor.rows import NamedRow, form_of, row_class

__all__ = [
    "CHUNK",
    "FIGURES",
    "ROW_SCHEMA",
    "Chunk",
    "chunk_batch",
    "chunks_of",
    "columns_in",
    "packed",
    "unpacked",
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


def packed(
    places: Sequence[int],
    values: Sequence[Any],
    stamps: Sequence[int | None] | None,
    schema: pa.Schema | None,
    keys: Sequence[Any] | int | None = None,
) -> bytes:
    """Records with their positions, event times and keys. Raises UnfitRecord where one does not fit its columns.

    Keys that are a field of the records travel as the field's number.
    """
    times = None if stamps is None else _times(stamps)
    indexes = array("q", places).tobytes()
    if schema is None:
        fields = _common_row(values)
        plain = values if fields is None else list(map(tuple, values))
        return pickled((indexes, times, keys, fields, plain))
    lists = None
    if form_of(schema.names) in ("tuple", "row"):
        with suppress(Unfit):  # below it is found which record it is
            lists = taken_apart(values, schema)
    columns = encode(values, schema) if lists is None else columns_of(lists, schema)
    if keys is not None and not isinstance(keys, int):
        # the very objects: an int that is equal to a float of the record is another key to look at
        keys = next((at for at, column in enumerate(lists or ()) if all(map(is_, column, keys))), keys)
    body = pa.RecordBatch.from_arrays(columns, schema=schema).serialize().to_pybytes()
    return pickled((indexes, times, keys, len(values), body))


class Unpacked(NamedTuple):
    """What a chunk carries."""

    places: array[int]
    values: list[Any]
    stamps: list[int | None] | None
    keys: list[Any] | None


def unpacked(blob: bytes, schema: pa.Schema | None, key_column: int | None = None) -> Unpacked:
    """The positions, the records, their event times and their keys."""
    raw, times, keys, form, body = pickle.loads(blob)
    indexes = array("q")
    indexes.frombytes(raw)
    if schema is not None:
        batch = pa.ipc.read_record_batch(pa.py_buffer(body), schema)
        values = decode(batch.columns, schema.names)
        at = keys if isinstance(keys, int) else key_column
        if at is not None and not isinstance(keys, list):
            keys = values_of(batch.column(at))
    elif form is not None:
        values = [tuple.__new__(row_class(form), value) for value in body]
    else:
        values = body
    if isinstance(keys, int):
        keys = list(map(itemgetter(keys), values))
    return Unpacked(indexes, values, None if times is None else _stamps(times), keys)


def columns_in(blob: bytes, schema: pa.Schema) -> pa.RecordBatch:
    """The records of a chunk as columns."""
    return pa.ipc.read_record_batch(pa.py_buffer(pickle.loads(blob)[4]), schema)


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
