"""One slot of a layer with state, as Spark's transformWithState calls it. Runs on workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from spark_runner.executor.streaming.chunks import ROW_SCHEMA, Chunk
from spark_runner.executor.streaming.layers import run_slot

__all__ = ["MapBackend", "SlotProcessor"]

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


class SlotProcessor(StatefulProcessor):
    """All vertices of a layer in one slot."""

    def __init__(self, payload: bytes, layer: int) -> None:
        self._payload, self._layer = payload, layer

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._state = handle.getMapState("state", "key string", "value binary")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        """Called once for each slot and batch."""
        names = ROW_SCHEMA.names
        chunks = [Chunk._make([row[name] for name in names])._replace(blob=bytes(row["blob"])) for row in rows]
        for chunk in run_slot(self._payload, self._layer, chunks, MapBackend(self._state)):
            yield _ROW(*chunk)

    def close(self) -> None:
        """Everything was written when the batch's rows were through."""
