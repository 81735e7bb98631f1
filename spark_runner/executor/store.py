"""Keyed state of one operator in one subtask: keys in buckets that are read on first touch and written once per batch.

Every call to Spark's state store is a message to the JVM, so some hundred keys share one entry there. A small index
tells the earliest timer of every bucket, so that a watermark opens only buckets with a timer that is due.
Standard library only.
"""

from __future__ import annotations

import enum
import heapq
import pickle
from collections.abc import Iterator
from typing import Any, Literal, Protocol

from spark_runner.executor.buckets import Buckets, key_hash
from spark_runner.executor.keys import key_bytes, one_nan
from spark_runner.executor.records import pickled
from spark_runner.executor.state import TimeWindow

__all__ = ["Backend", "Domain", "Entry", "KeyedStore", "NoState", "Timers", "key_group"]

Domain = Literal["event", "processing"]
Timer = tuple[int, Any]  # when, and for which window: () for a function's own
_DOMAINS: tuple[Domain, ...] = ("event", "processing")
_BY_BYTES, _UNNAMED = "\0bytes", "\0unnamed"
_IDENTITY: Any = object.__eq__


class Backend(Protocol):
    """Where a subtask's state lies between batches."""

    def get(self, key: str) -> bytes | None:
        """What was put under a key."""

    def put(self, key: str, value: bytes) -> None:
        """Put bytes under a key."""

    def delete(self, key: str) -> None:
        """Forget a key."""


class NoState:
    """The backend of what keeps nothing from batch to batch."""

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, value: bytes) -> None:
        """Nothing is kept."""

    def delete(self, key: str) -> None:
        """Nothing is kept."""


def key_group(key: Any, groups: int) -> int:
    """Which of the groups a key is in: equal keys give equal groups in every process."""
    return key_hash(key_bytes(key)) % groups


def _name_of(key: Any) -> Any:
    """What finds a key among others. Where Python does not tell equal keys by itself, it is their bytes."""
    if isinstance(key, tuple):
        return tuple([_name_of(part) for part in key])
    if type(key).__eq__ is _IDENTITY and not (key is None or isinstance(key, enum.Enum)):
        return (_BY_BYTES, key_bytes(key))
    try:
        hash(key)
    except TypeError:  # a list, a dict
        return (_BY_BYTES, key_bytes(key))
    return one_nan(key)


class Entry:
    """Everything kept for one key."""

    __slots__ = ("bucket", "key", "name", "sort", "values")

    def __init__(self, key: Any, name: Any, bucket: int, values: dict[Any, Any] | None = None) -> None:
        self.key, self.name, self.bucket = key, name, bucket
        self.values: dict[Any, Any] = {} if values is None else values
        self.sort = b""

    def order(self) -> bytes:
        """Where the key stands among timers of one time."""
        if not self.sort:
            self.sort = key_bytes(self.key)
        return self.sort


class Timers:
    """The timers of all keys that are in memory, in one time domain: by when they are due, then by key."""

    __slots__ = ("_at", "_pending", "_queue", "_when")

    def __init__(self) -> None:
        self._at: dict[int, dict[tuple[Entry, Any], None]] = {}
        self._queue: list[int] = []  # every time for which there is or was a timer
        self._pending: list[tuple[Entry, Any]] = []  # those of `_when` that are still to fire, the last one first
        self._when = 0

    def __bool__(self) -> bool:
        """Whether there may be a timer."""
        return bool(self._queue)

    def set(self, when: int, entry: Entry, window: Any) -> None:
        """Set a timer, once however often it is set."""
        found = self._at.get(when)
        if found is None:
            found = self._at[when] = {}
            heapq.heappush(self._queue, when)
        found[entry, window] = None

    def drop(self, when: int, entry: Entry, window: Any) -> None:
        """Forget a timer."""
        found = self._at.get(when)
        if found is not None:
            found.pop((entry, window), None)

    def pop(self, limit: int) -> tuple[int, Entry, Any] | None:
        """The next timer up to a time, which is then no longer set; None where nothing is due."""
        while True:
            if self._pending and self._queue[0] == self._when:
                timer, found = self._pending.pop(), self._at[self._when]
                if timer in found:
                    del found[timer]
                    return self._when, *timer
                continue
            if not self._next(limit):
                return None

    def _next(self, limit: int) -> bool:
        """Turn to the earliest time up to a limit."""
        self._pending = []
        while self._queue and self._queue[0] <= limit:
            when = self._queue[0]
            found = self._at[when]
            if found:
                self._when = when
                self._pending = sorted(found, key=_by_key)[::-1] if len(found) > 1 else list(found)
                return True
            heapq.heappop(self._queue)
            del self._at[when]
        return False

    def all(self) -> Iterator[tuple[Entry, int, Any]]:
        """Every timer, in the order of the times."""
        for when in sorted(self._at):
            for entry, window in self._at[when]:
                yield entry, when, window


def _by_key(timer: tuple[Entry, Any]) -> tuple[bytes, int]:
    """By key; the windows of a key by when they begin, or as their timers were set."""
    entry, window = timer
    return entry.order(), window.start if isinstance(window, TimeWindow) else window if window.__class__ is int else 0


class KeyedStore:
    """The state of every key, with one of them current: `values` and `key` are what state objects read."""

    def __init__(self, backend: Backend, operator: str) -> None:
        self._backend, self._operator = backend, operator
        self.entries: dict[Any, Entry] = {}  # the keys that are in memory
        self._loaded: set[int] = set()
        self.timers: dict[Domain, Timers] = {"event": Timers(), "processing": Timers()}
        self.values: dict[Any, Any] = {}
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

    def turn(self, key: Any) -> Entry:
        """Make a key the current one."""
        return self.take(self.find(key))

    def begin(self, key: Any) -> None:
        """Make a key the current one that nothing is kept of, and that nobody will look for: keys come one by one."""
        self.take(Entry(key, _UNNAMED, 0))

    def find(self, key: Any) -> Entry:
        """What is kept for a key."""
        name = _name_of(key)
        entry = self.entries.get(name)
        if entry is None:
            bucket = self._buckets.of(key_bytes(key))
            if bucket not in self._loaded:
                self._load(bucket)
            entry = self.entries.get(name)
            if entry is None:
                entry = self.entries[name] = Entry(key, name, bucket)
        return entry

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
            name = _name_of(key)
            entry = self.entries[name] = Entry(key, name, bucket, values)
            for domain, found in zip(_DOMAINS, timers, strict=False):  # a key without timers has none written
                for when, window in found:
                    self.timers[domain].set(when, entry, window)

    def _entry_of(self, bucket: int) -> str:
        """Under which key of the backend a bucket lies."""
        return f"{self._operator}|{bucket}"

    def all_entries(self) -> list[Entry]:
        """Every key, in one order however the input was cut into batches."""
        for bucket in sorted(self._known - self._loaded):
            self._load(bucket)
        return sorted(self.entries.values(), key=Entry.order)

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

    # --- timers

    def due(self, domain: Domain, limit: int) -> tuple[int, Entry, Any] | None:
        """The next timer up to a time, with its key current; it is no longer set."""
        asleep = self._asleep[domain]
        if asleep:
            for bucket in [bucket for bucket, first in asleep.items() if first <= limit]:
                self._load(bucket)
        found = self.timers[domain].pop(limit)
        if found is not None:
            self.take(found[1])
        return found

    def forget(self, entry: Entry) -> None:
        """A key is over: nothing of it is kept."""
        self.entries.pop(entry.name, None)

    def earliest(self, domain: Domain) -> int | None:
        """The earliest timer of all keys."""
        waiting = [first for _, firsts, _ in self._index.values() if (first := firsts.get(domain)) is not None]
        return min(waiting, default=None)

    # --- between batches

    def save(self) -> int:
        """Write the buckets that were touched. How many keys there are now."""
        timed: dict[Entry, tuple[list[Timer], list[Timer]]] = {}
        for at, domain in enumerate(_DOMAINS):
            for entry, when, window in self.timers[domain].all():
                timed.setdefault(entry, ([], []))[at].append((when, window))
        by_bucket: dict[int, list[Entry]] = {bucket: [] for bucket in self._loaded}
        for entry in self.entries.values():
            if entry.values or entry in timed:
                by_bucket[entry.bucket].append(entry)
        for bucket, entries in by_bucket.items():
            for part, found in self._buckets.parted(bucket, entries, Entry.order):
                self._write(part, found, timed)
        if by_bucket:
            self._backend.put(f"{self._operator}|index", self._buckets.written(self._index))
        if self._forms_changed:
            self._backend.put(f"{self._operator}|forms", pickle.dumps(self._forms, protocol=5))
        return sum(keys for keys, _, _ in self._index.values())

    @property
    def size(self) -> int:
        """The bytes of all buckets."""
        return sum(size for _, _, size in self._index.values())

    def _write(self, bucket: int, entries: list[Entry], timed: dict[Entry, tuple[list[Timer], list[Timer]]]) -> None:
        if not entries:
            if self._index.pop(bucket, None) is not None:
                self._backend.delete(self._entry_of(bucket))
            return
        written = pickled([(entry.key, entry.values, *timed.get(entry, ())) for entry in entries])
        self._backend.put(self._entry_of(bucket), written)
        first: dict[Domain, int] = {}
        for at, domain in enumerate(_DOMAINS):
            times = [timers[at][0][0] for entry in entries if (timers := timed.get(entry)) and timers[at]]
            if times:
                first[domain] = min(times)
        self._index[bucket] = (len(entries), first, len(written))
