"""Vertices of a streaming job under construction, and where each stream is found among them."""

from __future__ import annotations

from dataclasses import dataclass, field

from spark_runner.program.program import Operation
from spark_runner.streaming.program import Columns, StreamOperation, StreamVertex

__all__ = ["StreamRef", "VertexDraft"]

_USES_TIMERS = frozenset({"keyed_process", "keyed_co_process", "keyed_broadcast_process", "triggered_window"})


@dataclass(slots=True, kw_only=True)
class VertexDraft:
    """A vertex under construction."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    max_parallelism: int
    operations: list[StreamOperation] = field(default_factory=list)

    def freeze(self, *, stateful: bool, watermarks: bool) -> StreamVertex:
        return StreamVertex(
            number=self.number,
            id=self.id,
            name=self.name,
            layer=self.layer,
            parallelism=self.parallelism,
            max_parallelism=self.max_parallelism,
            operations=tuple(self.operations),
            stateful=stateful,
            watermarks=watermarks,
            timers=any(one.role in _USES_TIMERS for one in self.operations),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRef:
    """The records of one operator, or of one of its side outputs."""

    vertex: int
    operation: int | None
    columns: Columns
    tag: str | None = None
    declared_by: int | None = None
    head: bool = False  # still inside the reader's frame: SQL can run there
    sql: tuple[Operation, ...] = ()  # SQL operators that run in front of the sinks behind it
