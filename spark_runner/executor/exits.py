"""Streams on their way out of a subtask: the eight ways to choose a reader's subtask, and chunks. Runs on workers.

The choice depends on the record and on its position in the input alone, so it is the same when a task runs again and
however the input is cut into batches.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

from spark_runner.executor.chunks import CHUNK, Chunk, packed, watermarks_blob
from spark_runner.executor.conversion import UnfitKey
from spark_runner.executor.failures import RAISED, OperatorFailed, described, failed_by, shown, user_lines
from spark_runner.executor.keys import one_nan
from spark_runner.executor.layout import EdgeSpec
from spark_runner.executor.nested_values import Unfit
from spark_runner.executor.operators import Part
from spark_runner.executor.positions import NO_SPLIT
from spark_runner.executor.records import UnfitRecord, shaped
from spark_runner.executor.rows import form_of
from spark_runner.executor.store import key_group

if TYPE_CHECKING:
    from spark_runner.executor.subtask import Subtask

__all__ = ["Exit"]

_REMEMBERED = 200_000  # keys whose subtask is remembered
_MOST = 5 * CHUNK  # records in one chunk
_MANY = CHUNK // 4  # records that are worth a chunk of their own
_FEW = 8  # readers for whom all records are looked at once each
_ONLY = [bytes(slot == reader for slot in range(256)) for reader in range(256)]  # which of all slots are one reader's


class _Buffer:
    """Records that wait to leave together for one subtask."""

    __slots__ = ("key_at", "keys", "places", "stamps", "values")

    def __init__(self, key_at: int | None) -> None:
        self.key_at = key_at
        self.places: list[int] = []
        self.values: list[Any] = []
        self.stamps: list[int | None] = []
        self.keys: list[Any] = []

    def extend(self, part: Part) -> None:
        """Records after those that wait."""
        self.values.extend(part.values)
        self.places.extend(part.places or ())
        self.stamps.extend(repeat(None, len(part.values)) if part.stamps is None else part.stamps)
        if part.keys is not None:
            self.keys.extend(part.keys)


class Exit:
    """One edge's end in one subtask."""

    def __init__(self, spec: EdgeSpec, task: Subtask) -> None:
        self.spec, self.task, self.position = spec, task, task.position
        self.given = 0
        self.buffers: dict[int, _Buffer] = {}
        self.marks: dict[int, tuple[list[int], list[int]]] = {}  # by split: where they rose, and to what
        self.slots = _Slots(spec)
        first, last = spec.ranges[task.subtask] if spec.ranges else (0, spec.consumers - 1)
        self.first, self.count = first, last - first + 1
        self.made, self.made_at, self.shift = 0, -1, 0
        self.shift_of: str | None = None
        names = tuple(spec.schema.names) if spec.schema is not None else ()
        # a key is read from the record in its declared form, whatever a function gave
        self.shape = shaped(names) if names and form_of(names) in ("tuple", "row") else None
        # records and their keys may come apart, as the last operator made them
        self.takes_keys = spec.pairs and spec.strategy == "HASH"
        self.to_sink = spec.target < 0  # where nobody asks for event times, and in a bounded run for no places
        self.placed = not self.to_sink or not task.ends
        self.timed = not self.to_sink
        self.choose: Callable[[Part], list[int]] | None = getattr(self, f"_{spec.strategy.lower()}", None)

    # --- records

    def flow(self, part: Part) -> None:
        """Take a part of the stream."""
        if part.values:
            self._take(part)
        for _, place, watermark in part.marks:
            self._rise(place, watermark)

    def flow_keyed(self, part: Part, key_at: int | None) -> None:
        """Take records whose keys are known. `key_at`: the field of every record that is its key."""
        if part.values:
            assert part.keys is not None
            self._part_out(part, self._slots(part.keys), key_at)
        for _, place, watermark in part.marks:
            self._rise(place, watermark)

    def _take(self, part: Part) -> None:
        if self.spec.strategy == "BROADCAST":
            for slot in range(self.spec.consumers):
                self._put(slot, part)
            return
        if self.choose is None:  # forward, global
            self._put(self._only_reader(), part)
            return
        part = Part(part.values, part.stamps, part.places)  # other readers have the same
        self._part_out(part, self.choose(part))

    def _part_out(self, part: Part, slots: Sequence[int], key_at: int | None = None) -> None:
        """Every reader's records."""
        readers = set(slots)
        if len(readers) == 1:
            self._put(slots[0], part, key_at)
        elif len(readers) <= _FEW and max(readers) < len(_ONLY):
            chosen = bytes(slots)
            for reader in sorted(readers):
                self._put(reader, _chosen(part, chosen.translate(_ONLY[reader])), key_at)
        else:
            numbers: dict[int, list[int]] = {}
            for at, slot in enumerate(slots):
                numbers.setdefault(slot, []).append(at)
            for reader in sorted(readers):
                self._put(reader, _selected(part, numbers[reader]), key_at)

    def _only_reader(self) -> int:
        if self.spec.strategy == "GLOBAL":
            return 0
        return self.first if self.spec.ranges else self.task.subtask

    # --- the ways that look at records

    def _rebalance(self, part: Part) -> list[int]:
        first, count = self.first, self.count
        return [first + number % count for number in self._numbers(part)]

    _rescale = _rebalance

    def _shuffle(self, part: Part) -> list[int]:
        count = self.spec.consumers
        return [zlib.crc32(b"%d" % (number * 2_654_435_761)) % count for number in self._numbers(part)]

    def _hash(self, part: Part) -> list[int]:
        if self.spec.pairs:
            keys = part.keys = [pair[0] for pair in part.values]
            part.values = [pair[1] for pair in part.values]
        else:
            keys = part.keys = self._keys(part, "key_by")
        return self._slots(keys)

    def _slots(self, keys: Sequence[Any]) -> list[int]:
        """The reader of each key."""
        try:
            return list(map(self.slots.__getitem__, keys))
        except TypeError:  # not hashable
            return list(map(self.slots.of, keys))

    def _custom(self, part: Part) -> list[int]:
        spec, count = self.spec, self.spec.consumers
        keys = part.values if spec.selector is None else self._keys(part, "key of partition_custom")
        slots: list[int] = []
        for at, key in enumerate(keys):
            try:
                slot = int(spec.custom(key, count))  # type: ignore[misc]
            except RAISED as error:
                problem = "partition_custom: " + described(error)
                raise self._failed(problem, part.values[at], user_lines(error)) from None
            if not 0 <= slot < count:
                raise self._failed(f"partition_custom chose subtask {slot} of {count}", part.values[at])
            slots.append(slot)
        return slots

    def _keys(self, part: Part, what: str) -> list[Any]:
        selector, shape, found, value = self.spec.selector, self.shape, [], None
        assert selector is not None
        try:
            if shape is None:
                for value in part.values:
                    found.append(selector(value))
            else:
                for value in part.values:
                    found.append(selector(shape(value)))
        except UnfitKey as unfit:
            raise self._failed(str(unfit), unfit.key) from None
        except Unfit as unfit:
            raise self._unfit(UnfitRecord(value, str(unfit))) from None
        except RAISED as error:
            raise self._failed(f"{what}: " + described(error), value, user_lines(error)) from None
        return found

    def _numbers(self, part: Part) -> list[int]:
        """A number that goes up by one from record to record of a base."""
        base = self.position.base
        if base != self.shift_of:
            self.shift, self.shift_of = zlib.crc32(base.encode()), base
            self.made_at = -1
        found = []
        for place in part.places or ():
            if place != self.made_at:
                self.made, self.made_at = 0, place
            self.made += 1
            found.append(self.shift + place + self.made - 1)
        return found

    # --- chunks

    def _put(self, slot: int, part: Part, key_at: int | None = None) -> None:
        buffer = self.buffers.get(slot)
        if buffer is None and len(part.values) >= _MANY:
            for first in range(0, len(part.values), _MOST):
                self._send(slot, part.cut(first, first + _MOST) if len(part.values) > _MOST else part, key_at)
            return
        if buffer is None:
            buffer = self.buffers[slot] = _Buffer(key_at)
        buffer.extend(part)
        if len(buffer.values) >= CHUNK:
            self._send_waiting(slot)

    def _send_waiting(self, slot: int) -> None:
        buffer = self.buffers.pop(slot)
        stamps = buffer.stamps if buffer.stamps.count(None) < len(buffer.stamps) else None
        places, keys = buffer.places or None, buffer.keys or None
        self._send(slot, Part(buffer.values, stamps, places, (), keys), buffer.key_at)

    def _send(self, slot: int, part: Part, key_at: int | None = None) -> None:
        if part.values:
            self.given += len(part.values)
            self.task.send(self._chunk(slot, self.spec.number, self._packed(part, key_at)))

    def _packed(self, part: Part, key_at: int | None) -> bytes:
        spec = self.spec
        keys: Any = None
        if spec.strategy == "HASH" and spec.key_column is None:
            keys = part.keys if key_at is None else key_at
        try:
            places, stamps = part.places if self.placed else None, None if self.to_sink else part.stamps
            return packed(places or (), part.values, stamps, spec.schema, keys)
        except UnfitRecord as unfit:
            raise self._unfit(unfit) from None

    def _rise(self, place: int, watermark: int) -> None:
        """Let readers know how far event time has come."""
        if self.spec.watermarks:
            split = self.task.split if self.spec.by_split else NO_SPLIT
            known = self.marks.get(split)
            if known is None:
                known = self.marks[split] = ([], [])
            indexes, marks = known
            if indexes and indexes[-1] == place:
                marks[-1] = max(marks[-1], watermark)  # another file may have been further
            else:
                marks.append(watermark)
                indexes.append(place)

    def flush(self) -> None:
        """Send what is left of the current base."""
        for slot in sorted(self.buffers):
            self._send_waiting(slot)
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


class _Slots(dict[Any, int]):
    """The subtask of every key, computed where it is not remembered."""

    def __init__(self, spec: EdgeSpec) -> None:
        super().__init__()
        self._groups, self._consumers = spec.max_parallelism, spec.consumers

    def of(self, key: Any) -> int:
        """A key's subtask."""
        return key_group(key, self._groups) * self._consumers // self._groups

    def __missing__(self, key: Any) -> int:
        slot = self.of(key)
        if len(self) < _REMEMBERED:
            self[one_nan(key)] = slot
        return slot


def _selected(part: Part, numbers: list[int]) -> Part:
    """The records of these numbers."""

    def of(found: Sequence[Any] | None) -> list[Any] | None:
        return None if found is None else list(map(found.__getitem__, numbers))

    return Part(of(part.values) or [], of(part.stamps), of(part.places), (), of(part.keys))


def _chosen(part: Part, chosen: bytes) -> Part:
    """The records where `chosen` has a 1."""

    def of(found: Sequence[Any] | None) -> list[Any] | None:
        return None if found is None else list(compress(found, chosen))

    return Part(of(part.values) or [], of(part.stamps), of(part.places), (), of(part.keys))
