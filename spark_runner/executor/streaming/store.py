"""Keyed state of one operator in one subtask: keys in buckets that are read on first touch and written once per batch.

Every call to Spark's state store is a message to the JVM, so some hundred keys share one entry there. A small index
tells the earliest timer of every bucket, so that a watermark opens only buckets with a timer that is due.
Standard library only.
"""

from __future__ import annotations

import heapq
import pickle
from collections.abc import Iterator, Mapping, Set
from itertools import count
from typing import Any, Literal, Protocol

from spark_runner.executor.keys import key_bytes, one_nan
from spark_runner.executor.records import pickled
from spark_runner.executor.streaming.buckets import Buckets, key_hash

__all__ = ["Backend", "Domain", "Entry", "KeyedStore", "key_group"]

Domain = Literal["event", "processing"]
Timer = tuple[int, tuple[int, ...]]  # when, and for which window: () for a function's own
_DOMAINS: tuple[Domain, ...] = ("event", "processing")
_UNHASHABLE = "\0unhashable"
_NO_TIMERS: Mapping[Domain, Set[Timer]] = {"event": frozenset(), "processing": frozenset()}


class Backend(Protocol):
    """Where a subtask's state lies between batches."""

    def get(self, key: str) -> bytes | None:
        """What was put under a key."""

    def put(self, key: str, value: bytes) -> None:
        """Put bytes under a key."""

    def delete(self, key: str) -> None:
        """Forget a key."""


def key_group(key: Any, groups: int) -> int:
    """Which of the groups a key is in: equal keys give equal groups in every process."""
    return key_hash(key_bytes(key)) % groups


class Entry:
    """Everything kept for one key."""

    __slots__ = ("bucket", "key", "sort", "timers", "values")

    def __init__(self, key: Any, bucket: int, values: dict[str, Any] | None = None) -> None:
        self.key, self.bucket = key, bucket
        self.values: dict[str, Any] = {} if values is None else values
        self.timers = _NO_TIMERS  # most keys have none
        self.sort = b""

    def own_timers(self) -> dict[Domain, set[Timer]]:
        """The timers, to be changed."""
        if self.timers is _NO_TIMERS:
            self.timers = {"event": set(), "processing": set()}
        return self.timers  # type: ignore[return-value]

    def order(self) -> bytes:
        """Where the key stands among timers of one time."""
        if not self.sort:
            self.sort = key_bytes(self.key)
        return self.sort


class KeyedStore:
    """The state of every key, with one of them current: `values` and `key` are what state objects read."""

    def __init__(self, backend: Backend, operator: str) -> None:
        self._backend, self._operator = backend, operator
        self._entries: dict[Any, Entry] = {}
        self._loaded: set[int] = set()
        self._queues: dict[Domain, list[tuple[Any, ...]]] = {"event": [], "processing": []}
        self._numbers = count()
        self.values: dict[str, Any] = {}
        self.key: Any = None
        self.current: Entry | None = None
        self._buckets, index = Buckets.read(backend.get(f"{operator}|index"))
        self._index: dict[int, tuple[int, dict[Domain, int], int]] = index  # how many keys, earliest timers, bytes
        self._forms: dict[str, tuple[str, str | None]] | None = None  # kinds and types of states, by their names
        self._forms_changed = False
        self._known = set(index)
        self._asleep: dict[Domain, dict[int, int]] = {
            domain: {bucket: first[domain] for bucket, (_, first, _) in index.items() if domain in first}
            for domain in _DOMAINS
        }

    # --- keys

    @property
    def entries(self) -> Mapping[Any, Entry]:
        """The hashable keys that are in memory."""
        return self._entries

    def turn(self, key: Any) -> Entry:
        """Make a key the current one."""
        try:
            entry = self._entries.get(key)
            name = key
        except TypeError:  # a list, a dict: not hashable
            name = (_UNHASHABLE, key_bytes(key))
            entry = self._entries.get(name)
        if entry is None:
            name = one_nan(name)
            bucket = self._buckets.of(key_bytes(key))
            if bucket not in self._loaded:
                self._load(bucket)
            entry = self._entries.get(name)
            if entry is None:
                entry = self._entries[name] = Entry(key, bucket)
        return self.take(entry)

    def take(self, entry: Entry) -> Entry:
        """Make a key that is known the current one."""
        self.current, self.key, self.values = entry, entry.key, entry.values
        return entry

    def _load(self, bucket: int) -> None:
        self._loaded.add(bucket)
        for domain in _DOMAINS:
            self._asleep[domain].pop(bucket, None)
        written = self._backend.get(self._entry_of(bucket)) if bucket in self._known else None
        for key, values, *timers in pickle.loads(written) if written else ():
            entry = Entry(key, bucket, values)
            for domain, found in zip(_DOMAINS, timers, strict=False):  # a key without timers has none written
                if found:
                    entry.own_timers()[domain].update(found)
                    for timer in found:
                        self._queue(domain, timer, entry)
            try:
                self._entries[one_nan(key)] = entry
            except TypeError:
                self._entries[_UNHASHABLE, key_bytes(key)] = entry

    def _entry_of(self, bucket: int) -> str:
        """Under which key of the backend a bucket lies."""
        return f"{self._operator}|{bucket}"

    def all_entries(self) -> list[Entry]:
        """Every key, in one order however the input was cut into batches."""
        for bucket in sorted(self._known - self._loaded):
            self._load(bucket)
        return sorted(self._entries.values(), key=Entry.order)

    def declare(self, name: str, kind: str, type_name: str | None) -> None:
        """A function asks for a state. One that was kept in another form is refused, as Flink refuses it.

        Where a state's type is not declared, it may hold anything.
        """
        if self._forms is None:
            written = self._backend.get(f"{self._operator}|forms")
            self._forms = pickle.loads(written) if written else {}
        old_kind, old_type = self._forms.get(name, (kind, type_name))
        if old_kind != kind or (None not in (old_type, type_name) and old_type != type_name):
            was, is_now = (f"{k} of {t}" if t else k for k, t in ((old_kind, old_type), (kind, type_name)))
            raise RuntimeError(
                f"state {name!r} was a {was}, is a {is_now}: put it back, give the state another name, or start with "
                "--allow-lost-state or a new --checkpoint"
            )
        if self._forms.get(name) != (kind, type_name):
            self._forms[name] = (kind, type_name)
            self._forms_changed = True

    # --- timers of the current key

    def set_timer(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        """Set a timer, once however often it is set."""
        assert self.current is not None
        timer = (when, window)
        if timer not in self.current.timers[domain]:
            self.current.own_timers()[domain].add(timer)
            self._queue(domain, timer, self.current)

    def drop_timer(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        """Forget a timer."""
        assert self.current is not None
        if (when, window) in self.current.timers[domain]:
            self.current.own_timers()[domain].discard((when, window))

    def _queue(self, domain: Domain, timer: Timer, entry: Entry) -> None:
        heapq.heappush(self._queues[domain], (timer[0], entry.order(), timer[1], next(self._numbers), entry))

    def due(self, domain: Domain, limit: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The timers up to a time, in order; the key of each is current while it is handled."""
        asleep, queue = self._asleep[domain], self._queues[domain]
        if asleep:
            for bucket in [bucket for bucket, first in asleep.items() if first <= limit]:
                self._load(bucket)
        while queue and queue[0][0] <= limit:
            when, _, window, _, entry = heapq.heappop(queue)
            if (when, window) in entry.timers[domain]:
                entry.own_timers()[domain].discard((when, window))
                self.take(entry)
                yield when, window

    def earliest(self, domain: Domain) -> int | None:
        """The earliest timer of all keys."""
        waiting = [first for _, firsts, _ in self._index.values() if (first := firsts.get(domain)) is not None]
        return min(waiting, default=None)

    # --- between batches

    def save(self) -> int:
        """Write the buckets that were touched. How many keys there are now."""
        by_bucket: dict[int, list[Entry]] = {bucket: [] for bucket in self._loaded}
        for entry in self._entries.values():
            if entry.values or entry.timers["event"] or entry.timers["processing"]:
                by_bucket[entry.bucket].append(entry)
        for bucket, entries in by_bucket.items():
            for part, found in self._buckets.parted(bucket, entries, Entry.order):
                self._write(part, found)
        if by_bucket:
            self._backend.put(f"{self._operator}|index", self._buckets.written(self._index))
        if self._forms_changed:
            self._backend.put(f"{self._operator}|forms", pickle.dumps(self._forms, protocol=5))
        return sum(keys for keys, _, _ in self._index.values())

    @property
    def size(self) -> int:
        """The bytes of all buckets."""
        return sum(size for _, _, size in self._index.values())

    def _write(self, bucket: int, entries: list[Entry]) -> None:
        if not entries:
            if self._index.pop(bucket, None) is not None:
                self._backend.delete(self._entry_of(bucket))
            return
        written = pickled([_row(entry) for entry in entries])
        self._backend.put(self._entry_of(bucket), written)
        first: dict[Domain, int] = {}
        for domain in _DOMAINS:
            times = [min(timers)[0] for e in entries if (timers := e.timers[domain])]
            if times:
                first[domain] = min(times)
        self._index[bucket] = (len(entries), first, len(written))


def _row(entry: Entry) -> tuple[Any, ...]:
    """What is written for one key."""
    if entry.timers is _NO_TIMERS:
        return entry.key, entry.values
    return entry.key, entry.values, *(sorted(entry.timers[domain]) for domain in _DOMAINS)
