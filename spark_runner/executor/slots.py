"""One slot of a layer with state, as Spark's transformWithState calls it. Runs on workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import Row

from spark_runner.executor.chunks import ROW_SCHEMA, Chunk
from spark_runner.executor.layers import run_slot

__all__ = ["MapBackend", "take_rows"]

_ROW = Row(*ROW_SCHEMA.names)


class MapBackend:
    """A subtask's state in one of Spark's map states, each entry read at most once a batch."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._read: dict[str, bytes | None] = {}

    def get(self, key: str) -> bytes | None:
        if key not in self._read:
            found = self._state.getValue((key,))
            self._read[key] = None if found is None or found[0] is None else bytes(found[0])
        return self._read[key]

    def put(self, key: str, value: bytes) -> None:
        if self._read.get(key) != value:
            self._state.updateValue((key,), (value,))
            self._read[key] = value

    def delete(self, key: str) -> None:
        self._state.removeKey((key,))
        self._read[key] = None


def take_rows(payload: bytes, layer: int, given: tuple[Iterable[Row], Any]) -> Iterator[Row]:
    """All rows of one slot in one batch, given with the slot's map state."""
    rows, state = given
    names = ROW_SCHEMA.names
    chunks = [Chunk._make([row[name] for name in names])._replace(blob=bytes(row["blob"])) for row in rows]
    for chunk in run_slot(payload, layer, chunks, MapBackend(state)):
        yield _ROW(*chunk)
