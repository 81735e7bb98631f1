"""Operators on keyed streams: state and timers of the current key. Runs on workers.

In a stream records are taken one by one as they come. Where input ends key by key (`ends_keys`), all records of a key
come in the order of their event times before anything fires, as in Flink's batch mode; then the key is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Any

from spark_runner.executor.accumulation import accumulation, aggregation
from spark_runner.executor.contexts import DOMAINS, Context, Runtime
from spark_runner.executor.failures import RAISED
from spark_runner.executor.keys import NAN, one_nan
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.operators import MANY, Call, Operator, Part, Task, method, with_context
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.store import Domain, Entry, KeyedStore
from spark_runner.executor.turns import REDUCED, Turns

__all__ = ["Keyed", "KeyedProcess"]

_NO_KEY = object()
_BUNDLE_RECORDS, _BUNDLE_TIME = 1000, 1000  # python.fn-execution.bundle.size and .time


class Keyed(Operator):
    """An operator with keyed state and timers. `take_one` is called with the record's key current."""

    heeds_time = True

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        self.store = KeyedStore(task.backend, spec.id)
        self.keys = 0
        self.batch = bool(spec.options.get("batch"))  # hold records until the input ends, then go key by key
        self.held: dict[Entry, list[tuple[Any, int | None, int]]] = {}
        self.alarms = False  # whether a timer of processing time was ever set
        self.bundle, self.looked = 0, task.processing_time()
        self.domains = spec.options.get("domains", DOMAINS)
        # records come key by key: the functions that give the true key of a record of each input
        self.grouped: tuple[Callable[[Any], Any] | None, ...] | None = spec.options.get("grouped")
        self.group: Any = _NO_KEY

    def runtime(self) -> Runtime:
        return Runtime(self, self.store)

    # --- records

    def open(self) -> None:
        super().open()
        kind = self.turning()
        self.turns = None if kind is None else Turns(self, kind)

    def turning(self) -> str | None:
        """The kind of its generated loop (`turns`); None: `take_one` is called with each record."""
        return None

    def take(self, part: Part) -> None:
        assert part.keys is not None
        if self.batch:
            self.hold_all(part)
        elif self.turns is not None:
            self.turns.take(part)
        else:
            self._take_each(part)

    def _take_each(self, part: Part) -> None:
        assert part.keys is not None
        store, entries, take_one = self.store, self.store.entries, self.take_one
        sides: Any = repeat(0) if part.sides is None else part.sides
        clocked, grouped, value = self.script, self.grouped is not None, None
        try:
            for key, (value, stamp, place), side in zip(part.keys, part.rows(), sides):  # noqa: B905
                if grouped:
                    if key != self.group and not (key != key and self.group is NAN):
                        self.turn_to(key, value, side)
                else:
                    try:
                        entry = entries[key]
                    except (KeyError, TypeError):  # not in memory, or not hashable
                        entry = store.find(key)
                    if clocked and self.alarms:
                        self.look_at_the_clock(place)
                    store.current, store.key, store.values = entry, entry.key, entry.values
                take_one(value, stamp, place, side)
                if len(self.made) >= MANY:
                    self.settle()
        except RAISED as error:
            raise self.failed(error, value) from None

    def turn_to(self, key: Any, value: Any, side: int) -> None:
        """Turn to the next key of records that come in the order of keys, of which this is the first."""
        selector = self.grouped[side] if self.grouped else None
        self.begin_key(key if selector is None else selector(value))
        self.group = one_nan(key)

    def end_input(self) -> None:
        self.end_key()
        self.settle()

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        """A record whose turn it is, with its key current."""
        raise NotImplementedError

    def look_at_the_clock(self, place: int) -> None:
        """Fire timers of processing time between bundles of records, as PyFlink does, not between two records."""
        now = self.task.processing_time()
        self.bundle += 1
        if self.bundle >= _BUNDLE_RECORDS or now - self.looked >= _BUNDLE_TIME:
            self.bundle, self.looked, self.place = 0, now, place
            self.ring("processing", now)

    # --- time

    def set_timer(self, domain: Domain, when: int, window: Any = ()) -> None:
        assert self.store.current is not None
        self.alarms |= domain == "processing"
        self.store.timers[domain].set(when, self.store.current, window)

    def drop_timer(self, domain: Domain, when: int, window: Any = ()) -> None:
        assert self.store.current is not None
        self.store.timers[domain].drop(when, self.store.current, window)

    def ring(self, domain: Domain, limit: int) -> None:
        """Fire what is due.

        In PyFlink, timers that are set meanwhile come after all that were due already: Java hands a watermark's timers
        to Python at once.
        """
        store = self.store
        with self.ringing():
            if not self.script:
                while (timer := store.due(domain, limit)) is not None:
                    self.fire(domain, timer[0], timer[2])
                return
            while due := self._all_due(domain, limit):
                for when, entry, window in due:
                    store.take(entry)
                    self.fire(domain, when, window)

    @contextmanager
    def ringing(self) -> Iterator[None]:
        """What fails while timers fire is no record's failure."""
        try:
            yield
        except RAISED as error:
            prefix = f"after the last record of key {self.store.key!r}: " if self.watermark == END_OF_TIME else ""
            raise self.failed(error, prefix=prefix) from None

    def _all_due(self, domain: Domain, limit: int) -> list[tuple[int, Entry, Any]]:
        found = []
        while (timer := self.store.due(domain, limit)) is not None:
            found.append(timer)
        return found

    def fire(self, domain: Domain, when: int, window: Any) -> None:
        """A timer of the current key."""

    def tick(self, now: int) -> None:
        """Processing time has come this far."""
        self.ring("processing", now)
        self.settle()

    def advance(self, watermark: int) -> None:
        if self.batch and watermark == END_OF_TIME:
            self.replay()
        else:
            self.watermark = watermark
            self.ring("event", watermark)
            if self.script and self.alarms and watermark == END_OF_TIME:
                self.ring("processing", self.task.processing_time())  # what is due when the last bundle ends
        super().advance(watermark)

    # --- key by key

    def hold_all(self, part: Part) -> None:
        """Keep records until their key's turn comes."""
        held, find = self.held, self.store.find
        sides: Any = repeat(0) if part.sides is None else part.sides
        for key, (value, stamp, _), side in zip(part.keys or (), part.rows(), sides):  # noqa: B905
            entry = find(key)
            records = held.get(entry)
            if records is None:
                records = held[entry] = []
            records.append((value, stamp, side))

    def replay(self) -> None:
        """The end of a bounded run: key by key, its records by event time, and at its end everything that waits."""
        held, self.held = self.held, {}
        for entry in sorted(held, key=Entry.order):
            records = held[entry]
            if len(records) > 1:
                records.sort(key=lambda one: (0 if one[1] is None else one[1], one[2]))
            values, stamps, sides = (list(column) for column in zip(*records, strict=True))
            # all that is given now belongs where the input ended: the end of time comes after it, for readers too
            part = Part(values, stamps, [self.place] * len(values), (), [entry.key] * len(values), sides)
            if self.turns is not None:
                self.turns.take(part)
            else:
                self._take_each(part)
            self.store.take(entry)
            self.end_key()

    def begin_key(self, key: Any) -> None:
        """Turn to the next key of records that come key by key."""
        self.end_key()
        self.store.begin(key)

    def end_key(self) -> None:
        """The current key's last record has been seen: all its timers fire, and nothing of it is kept."""
        store = self.store
        if store.current is None:
            return
        self.watermark = END_OF_TIME
        self.end_windows()
        if store.timers["event"] or self.grouped is None:
            self.ring("event", END_OF_TIME)
        if store.timers["processing"]:
            self.ring("processing", END_OF_TIME)
        self.watermark = NO_TIMESTAMP
        store.forget(store.current)
        store.current = None

    def end_windows(self) -> None:
        """Let windows of the current key end that have no timers."""

    def save(self) -> None:
        super().save()
        self.keys = self.store.save()


class KeyedEach(Keyed):
    """map, flat_map and filter with keyed state."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, self.turning())

    def turning(self) -> str:
        return self.spec.role.removeprefix("keyed_")


class KeyedValues(Keyed):
    """The records without their keys."""

    def turning(self) -> str:
        return "values"


class Reduce(Keyed):
    """reduce, sum, min, max, min_by, max_by: every step in a stream, the last one where input ends key by key."""

    def open(self) -> None:
        options = self.spec.options
        if options.get("accumulate"):
            self.call: Callable[[Any, Any], Any] = accumulation(*options["accumulate"])
        elif options.get("aggregate"):
            self.call = aggregation(*options["aggregate"])
        else:
            self.call = method(self.function, "reduce")
        self.latest: dict[Entry, tuple[int | None, int]] = {}
        super().open()

    def turning(self) -> str:
        final = bool(self.spec.options.get("final")) or self.batch  # one record for each key, at its end
        return "last" if final else "reduce"

    def hold_all(self, part: Part) -> None:
        if self.held or (part.stamps is not None and part.stamps.count(None) < len(part.stamps)):
            super().hold_all(part)
            return
        assert self.turns is not None
        self.turns.take(part)  # without event times the order is that of arrival: nothing has to be held

    def replay(self) -> None:
        super().replay()
        self.end_all()

    def end_key(self) -> None:
        """Nothing waits but the result."""

    def end_input(self) -> None:
        self.end_all()
        self.settle()

    def end_all(self) -> None:
        """Give every key's result: in a bounded run with the end of time, in a batch of our API with its latest."""
        entries = sorted(self.latest, key=Entry.order) if self.script else list(self.latest)
        for entry in entries:
            (stamp, place), result = self.latest[entry], entry.values[REDUCED]
            if result is None:
                continue
            # in chunks, what is given now stands where the input ended, before the end of time
            self.add(result, END_OF_TIME if self.script else stamp, self.place if self.batch else place)
            if len(self.made) >= MANY:
                self.settle()
        self.latest = {}


class KeyedProcess(Keyed):
    """A keyed process function: state, side outputs, and timers that fire as time goes on."""

    def open(self) -> None:
        super().open()
        self.context = Context(self)
        self.calls = self.calling()
        self.on_timer = getattr(self.function, "on_timer", None)

    def turning(self) -> str:
        return "process"

    def calling(self) -> tuple[Call, ...]:
        """What is called with a record of each input, and a context."""
        return (with_context(self.function, "process_element", script=self.script),)

    def fire(self, domain: Domain, when: int, window: Any) -> None:
        if callable(self.on_timer):
            self.context.stamp, self.context.domain = when, self.domains[domain]
            stamp = when if self.script or domain == "event" else None
            self.add_all(self.on_timer(when, self.context), stamp, self.place)
