"""Streams on their way out of a subtask: the eight ways to choose a reader's subtask, and chunks. Runs on workers.

The choice depends on the record and on its position in the input alone, so it is the same when a task runs again and
however the input is cut into batches.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from spark_runner.executor.failures import RAISED, OperatorFailed, described, failed_by, shown, user_lines
from spark_runner.executor.nested_values import Unfit
from spark_runner.executor.records import UnfitRecord, columns_of, shaped, taken_apart
from spark_runner.executor.roles.plain import last_taken
from spark_runner.executor.rows import form_of
from spark_runner.executor.streaming.chunks import CHUNK, Chunk, columns_blob, records_blob, watermarks_blob
from spark_runner.executor.streaming.layout import EdgeSpec
from spark_runner.executor.streaming.positions import NO_SPLIT
from spark_runner.executor.streaming.store import key_group

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["Exit"]

_REMEMBERED = 200_000  # keys whose subtask is remembered
_MOST = 5 * CHUNK  # records in one chunk
_MANY = CHUNK // 4  # records that are worth a chunk of their own


class _Buffer:
    __slots__ = ("indexes", "stamps", "values")

    def __init__(self) -> None:
        self.indexes: list[int] = []
        self.values: list[Any] = []
        self.stamps: list[int | None] = []

    def cut(self, size: int) -> _Buffer:
        """The first records, which are then no longer in here."""
        first = _Buffer()
        for name in self.__slots__:
            held = getattr(self, name)
            getattr(first, name)[:] = held[:size]
            del held[:size]
        return first


class Exit:
    """One edge's end in one subtask."""

    def __init__(self, spec: EdgeSpec, task: Subtask) -> None:
        self.spec, self.task, self.position = spec, task, task.position
        self.given = 0
        self.buffers: dict[int, _Buffer] = {}
        self.marks: dict[int, tuple[list[int], list[int]]] = {}  # by split: where they rose, and to what
        self.slots: dict[Any, int] = {}
        first, last = spec.ranges[task.subtask] if spec.ranges else (0, spec.consumers - 1)
        self.first, self.count = first, last - first + 1
        self.made, self.made_at, self.shift = 0, -1, 0
        self.shift_of: str | None = None
        self.selector = _of_rows(spec)
        self.push = getattr(self, f"_{spec.strategy.lower()}")

    # --- the eight ways

    def _forward(self, value: Any, stamp: int | None) -> None:
        self._put(self.first if self.spec.ranges else self.task.subtask, value, stamp)

    def _global(self, value: Any, stamp: int | None) -> None:
        self._put(0, value, stamp)

    def _broadcast(self, value: Any, stamp: int | None) -> None:
        for slot in range(self.spec.consumers):
            self._put(slot, value, stamp)

    def _rebalance(self, value: Any, stamp: int | None) -> None:
        self._put(self.first + (self._number() % self.count), value, stamp)

    _rescale = _rebalance

    def _shuffle(self, value: Any, stamp: int | None) -> None:
        chosen = zlib.crc32(b"%d" % (self._number() * 2_654_435_761)) % self.spec.consumers
        self._put(chosen, value, stamp)

    def _hash(self, value: Any, stamp: int | None) -> None:
        try:
            key = self.selector(value)  # type: ignore[misc]
        except RAISED as error:
            raise self._failed("key_by: " + described(error), value, user_lines(error)) from None
        try:
            slot = self.slots[key]
        except (KeyError, TypeError):
            slot = self._slot(key)
        self._put(slot, value, stamp)

    def _custom(self, value: Any, stamp: int | None) -> None:
        spec, count = self.spec, self.spec.consumers
        try:
            key = value if self.selector is None else self.selector(value)
            slot = int(spec.custom(key, count))  # type: ignore[misc]
        except RAISED as error:
            raise self._failed("partition_custom: " + described(error), value, user_lines(error)) from None
        if not 0 <= slot < count:
            raise self._failed(f"partition_custom chose subtask {slot} of {count}", value)
        self._put(slot, value, stamp)

    def _number(self) -> int:
        """A number that goes up by one from record to record of a base."""
        position = self.position
        if position.base != self.shift_of:
            self.shift, self.shift_of = zlib.crc32(position.base.encode()), position.base
            self.made_at = -1
        if position.index != self.made_at:
            self.made, self.made_at = 0, position.index
        self.made += 1
        return self.shift + position.index + self.made - 1

    def _slot(self, key: Any) -> int:
        groups = self.spec.max_parallelism
        slot = key_group(key, groups) * self.spec.consumers // groups
        if len(self.slots) < _REMEMBERED:
            with contextlib.suppress(TypeError):  # not hashable
                self.slots[key] = slot
        return slot

    # --- many records at a time

    def push_slice(
        self, values: Sequence[Any], indexes: Sequence[int], stamps: Sequence[int | None] | None = None
    ) -> None:
        """Records of one base with their positions."""
        if self.spec.strategy == "FORWARD":
            slot = self.first if self.spec.ranges else self.task.subtask
            if stamps is None and len(values) >= _MANY:
                self._send_all(slot, values, indexes)
            else:
                self._extend(slot, values, indexes, stamps)
        elif self.spec.strategy == "HASH" and stamps is None:
            self._hash_slice(values, indexes)
        else:
            position, push = self.position, self.push
            for index, value, stamp in zip(indexes, values, repeat(None) if stamps is None else stamps):  # noqa: B905
                position.index = index
                push(value, stamp)

    def _hash_slice(self, values: Sequence[Any], indexes: Sequence[int]) -> None:
        many = _MANY * self.spec.consumers <= len(values) <= _MOST
        if self.spec.key_column is not None and many:
            try:
                self._hash_columns(values, indexes, self.spec.key_column)
            except (Unfit, UnfitRecord):
                pass  # below it is found which record, and whose fault it is
            else:
                return
        arriving = iter(values)
        try:
            keys = list(map(self.selector, arriving))  # type: ignore[arg-type]
        except RAISED as error:
            record = last_taken(values, arriving)
            raise self._failed("key_by: " + described(error), record, user_lines(error)) from None
        slots = self._slots(keys)
        found: dict[int, tuple[list[Any], list[int]]] = {slot: ([], []) for slot in sorted(set(slots))}
        for slot, value, index in zip(slots, values, indexes, strict=True):
            into, at = found[slot]
            into.append(value)
            at.append(index)
        for slot, (into, at) in found.items():
            self._extend(slot, into, at, None)

    def _hash_columns(self, values: Sequence[Any], indexes: Sequence[int], at: int) -> None:
        """Records of declared columns, of which one is the key: a chunk for every reader, without lists of its own."""
        schema, lists = self.spec.schema, taken_apart(values, self.spec.schema)
        slots = self._slots(lists[at])
        columns = pa.RecordBatch.from_arrays(columns_of(lists, schema), schema=schema)
        positions, readers = pa.array(indexes, pa.int64()), pa.array(slots, pa.int32())
        for slot in sorted(set(slots)):
            mine = pc.equal(readers, slot)
            self._send_blob(slot, len(found := positions.filter(mine)), columns_blob(found, columns.filter(mine)))

    def _slots(self, keys: list[Any]) -> list[int]:
        known = self.slots
        try:
            slots = list(map(known.get, keys))
        except TypeError:  # not hashable
            return list(map(self._slot, keys))
        if None not in slots:
            return slots  # type: ignore[return-value]
        return [self._slot(key) if slot is None else slot for key, slot in zip(keys, slots, strict=True)]

    def _extend(
        self, slot: int, values: Sequence[Any], indexes: Sequence[int], stamps: Sequence[int | None] | None
    ) -> None:
        buffer = self.buffers.setdefault(slot, _Buffer())
        buffer.values.extend(values)
        buffer.indexes.extend(indexes)
        buffer.stamps.extend(repeat(None, len(values)) if stamps is None else stamps)
        while len(buffer.values) >= CHUNK:
            self._send(slot, buffer.cut(CHUNK))

    # --- chunks

    def _put(self, slot: int, value: Any, stamp: int | None) -> None:
        buffer = self.buffers.get(slot)
        if buffer is None:
            buffer = self.buffers[slot] = _Buffer()
        buffer.indexes.append(self.position.index)
        buffer.values.append(value)
        buffer.stamps.append(stamp)
        if len(buffer.values) >= CHUNK:
            self._send(slot, self.buffers.pop(slot))

    def advance(self, watermark: int) -> None:
        """Let readers know how far event time has come."""
        if self.spec.watermarks:
            split = self.task.split if self.spec.by_split else NO_SPLIT
            known = self.marks.get(split)
            if known is None:
                known = self.marks[split] = ([], [])
            indexes, marks = known
            if indexes and indexes[-1] == self.position.index:
                marks[-1] = max(marks[-1], watermark)  # another file may have been further
            else:
                marks.append(watermark)
                indexes.append(self.position.index)

    def flush(self) -> None:
        """Send what is left of the current base."""
        for slot in sorted(self.buffers):
            self._send(slot, self.buffers[slot])
        self.buffers = {}
        for split, (indexes, marks) in self.marks.items():
            blob = watermarks_blob(split, indexes, marks)
            for slot in self._readers():
                self.task.send(self._chunk(slot, -1, blob))
        self.marks = {}

    def _readers(self) -> range:
        if self.spec.ranges:
            return range(self.first, self.first + self.count)
        if self.spec.strategy == "FORWARD":
            return range(self.task.subtask, self.task.subtask + 1)
        return range(self.spec.consumers)

    def _send(self, slot: int, buffer: _Buffer) -> None:
        if not buffer.values:
            return
        stamps = buffer.stamps if buffer.stamps.count(None) < len(buffer.stamps) else None
        self.given += len(buffer.values)
        self.task.send(self._chunk(slot, self.spec.number, self._packed(buffer.indexes, buffer.values, stamps)))

    def _send_all(self, slot: int, values: Sequence[Any], indexes: Sequence[int]) -> None:
        """Many records without event times, behind those that wait for more."""
        for start in range(0, len(values), _MOST):
            part = slice(start, start + _MOST)
            self._send_blob(slot, len(values[part]), self._packed(indexes[part], values[part], None))

    def _send_blob(self, slot: int, records: int, blob: bytes) -> None:
        waiting = self.buffers.pop(slot, None)
        if waiting is not None:
            self._send(slot, waiting)
        self.given += records
        self.task.send(self._chunk(slot, self.spec.number, blob))

    def _packed(self, indexes: Sequence[int], values: Sequence[Any], stamps: Sequence[int | None] | None) -> bytes:
        try:
            return records_blob(indexes, values, stamps, self.spec.schema)
        except UnfitRecord as unfit:
            raise self._unfit(unfit) from None

    def _chunk(self, slot: int, edge: int, blob: bytes) -> Chunk:
        task = self.task
        return Chunk(self.spec.target, slot, task.producer, edge, self.position.base, task.sent, task.now, blob)

    def _unfit(self, unfit: UnfitRecord) -> OperatorFailed:
        owner = self.task.vertex.operators[self.spec.blame] if self.spec.blame is not None else None
        by = (owner.key, owner.name, owner.place) if owner is not None else self.spec.reader
        return self._failed(f"gave a record that does not fit its declared type: {unfit}", unfit.record, by=by)

    def _failed(
        self, problem: str, record: Any, lines: tuple[str, ...] = (), by: tuple[str, str, str] | None = None
    ) -> OperatorFailed:
        return failed_by(by or self.spec.reader, problem, shown(record), lines=lines)


def _of_rows(spec: EdgeSpec) -> Callable[[Any], Any] | None:
    """The key selector, which reads a record in its declared form, whatever a function gave."""
    selector, names = spec.selector, tuple(spec.schema.names) if spec.schema is not None else ()
    if selector is None or not names or form_of(names) in ("value", "pickled"):
        return selector
    ready = shaped(names)
    return lambda value: selector(ready(value))
