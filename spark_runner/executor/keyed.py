"""Operators on keyed streams: state and timers of the current key. Runs on workers.

In a stream records are taken one by one as they come. Where input ends key by key (`ends_keys`), all records of a key
come in the order of their event times before anything fires, as in Flink's batch mode; then the key is over.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from spark_runner.executor.accumulation import accumulation, aggregation
from spark_runner.executor.contexts import DOMAINS, Context, Runtime
from spark_runner.executor.failures import RAISED
from spark_runner.executor.keys import NAN, one_nan
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.operators import MANY, Operator, Part, Task, as_many, method, with_context
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.store import Domain, Entry, KeyedStore

__all__ = ["Keyed", "KeyedProcess"]

_REDUCED = "\0reduced"
_NO_KEY = object()
_BUNDLE_RECORDS, _BUNDLE_TIME = 1000, 1000  # python.fn-execution.bundle.size and .time


class Keyed(Operator):
    """An operator with keyed state and timers. `take_one` is called with the record's key current."""

    heeds_time = True

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        self.store = KeyedStore(task.backend, spec.id)
        self.watermark = task.watermark
        self.keys = 0
        self.batch = bool(spec.options.get("batch"))  # hold records until the input ends, then go key by key
        self.held: dict[Entry, list[tuple[Any, int | None, int, int]]] = {}
        self.alarms = False  # whether a timer of processing time was ever set
        self.bundle, self.looked = 0, task.processing_time()
        self.domains = spec.options.get("domains", DOMAINS)
        # records come key by key: the functions that give the true key of a record of each input
        self.grouped: tuple[Callable[[Any], Any] | None, ...] | None = spec.options.get("grouped")
        self.group: Any = _NO_KEY

    def runtime(self) -> Runtime:
        return Runtime(self, self.store)

    def current_key(self) -> Any:
        return self.store.key

    # --- records

    def take(self, part: Part) -> None:
        assert part.keys is not None
        if self.grouped is not None:
            self._take_grouped(part)
            return
        store, entries, take_one = self.store, self.store.entries, self.take_one
        sides: Any = repeat(0) if part.sides is None else part.sides
        script, batch, value = self.script, self.batch, None
        try:
            for key, (value, stamp, place), side in zip(part.keys, part.rows(), sides):  # noqa: B905
                try:
                    entry = entries[key]
                except (KeyError, TypeError):  # not in memory, or not hashable
                    entry = store.find(key)
                if batch:
                    self.hold(entry, value, stamp, place, side)
                    continue
                if self.alarms and script:
                    self._look_at_the_clock(place)
                store.current, store.key, store.values = entry, entry.key, entry.values
                take_one(value, stamp, place, side)
                if len(self.made) >= MANY:
                    self.settle()
        except RAISED as error:
            raise self.failed(error, value) from None

    def _take_grouped(self, part: Part) -> None:
        """Records in the order of keys; a key may go on in the next part."""
        assert part.keys is not None and self.grouped is not None
        sides: Any = repeat(0) if part.sides is None else part.sides
        value, group = None, self.group
        try:
            for key, (value, stamp, place), side in zip(part.keys, part.rows(), sides):  # noqa: B905
                if key != group and not (key != key and group is NAN):
                    selector = self.grouped[side] if self.grouped else None
                    self.begin_key(key if selector is None else selector(value))
                    group = self.group = one_nan(key)
                self.take_one(value, stamp, place, side)
                if len(self.made) >= MANY:
                    self.settle()
        except RAISED as error:
            raise self.failed(error, value) from None

    def end_input(self) -> None:
        self.end_key()
        self.settle()

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        """A record whose turn it is, with its key current."""
        raise NotImplementedError

    def _look_at_the_clock(self, place: int) -> None:
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
        try:
            if not self.script:
                while (timer := store.due(domain, limit)) is not None:
                    self.fire(domain, timer[0], timer[2])
                return
            while due := self._all_due(domain, limit):
                for when, entry, window in due:
                    store.take(entry)
                    self.fire(domain, when, window)
        except RAISED as error:
            prefix = f"after the last record of key {store.key!r}: " if self.watermark == END_OF_TIME else ""
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

    def hold(self, entry: Entry, value: Any, stamp: int | None, place: int, side: int) -> None:
        """Keep a record until its key's turn comes."""
        self.held.setdefault(entry, []).append((value, stamp, place, side))

    def replay(self) -> None:
        """The end of a bounded run: key by key, its records by event time, and at its end everything that waits."""
        held, self.held = self.held, {}
        for entry in sorted(held, key=Entry.order):
            records = held[entry]
            if len(records) > 1:
                records.sort(key=lambda one: (0 if one[1] is None else one[1], one[3]))
            self.store.take(entry)
            value = None
            try:
                # all that is given now belongs where the input ended: the end of time comes after it, for readers too
                for value, stamp, _, side in records:
                    self.take_one(value, stamp, self.place, side)
            except RAISED as error:
                raise self.failed(error, value) from None
            self.end_key()

    def begin_key(self, key: Any) -> None:
        """Turn to the next key of records that come key by key."""
        self.end_key()
        self.store.turn(key)

    def end_key(self) -> None:
        """The current key's last record has been seen: all its timers fire, and nothing of it is kept."""
        if self.store.current is None:
            return
        self.watermark = END_OF_TIME
        self.ring("event", END_OF_TIME)
        self.ring("processing", END_OF_TIME)
        self.watermark = NO_TIMESTAMP
        self.store.forget(self.store.current)
        self.store.current = None

    def save(self) -> None:
        super().save()
        self.keys = self.store.save()


class KeyedEach(Keyed):
    """map, flat_map and filter with keyed state."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, self.spec.role.removeprefix("keyed_"))


class KeyedMap(KeyedEach):
    """map with keyed state."""

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        self.add(self.call(value), stamp, place)


class KeyedFlatMap(KeyedEach):
    """flat_map with keyed state."""

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        made = self.call(value)
        for item in made if self.script else as_many(made):
            self.add(item, stamp, place)


class KeyedFilter(KeyedEach):
    """filter with keyed state."""

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        if self.call(value):
            self.add(value, stamp, place)


class KeyedValues(Keyed):
    """The records without their keys."""

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        self.add(value, stamp, place)


class Reduce(Keyed):
    """reduce, sum, min, max, min_by, max_by: every step in a stream, the last one where input ends key by key."""

    def open(self) -> None:
        super().open()
        options = self.spec.options
        if options.get("accumulate"):
            self.call: Callable[[Any, Any], Any] = accumulation(*options["accumulate"])
        elif options.get("aggregate"):
            self.call = aggregation(*options["aggregate"])
        else:
            self.call = method(self.function, "reduce")
        self.final = bool(options.get("final")) or self.batch  # one record for each key, at its end
        self.latest: dict[Entry, tuple[int | None, int]] = {}

    def hold(self, entry: Entry, value: Any, stamp: int | None, place: int, side: int) -> None:
        if stamp is not None or entry in self.held:
            super().hold(entry, value, stamp, place, side)
            return
        self.store.take(entry)  # without event times the order is that of arrival: nothing has to be held
        self.take_one(value, stamp, place, side)

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        held = self.store.values
        if _REDUCED in held:
            value = self.call(held[_REDUCED], value)
        held[_REDUCED] = value
        if self.final:
            entry = self.store.current
            assert entry is not None
            before = self.latest.get(entry)
            if before is None or (stamp is not None and (before[0] is None or stamp > before[0])):
                self.latest[entry] = (stamp, place)
        else:
            self.add(value, stamp, place)

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
            stamp, place = self.latest[entry]
            # in chunks, what is given now stands where the input ended, before the end of time
            self.add(entry.values[_REDUCED], END_OF_TIME if self.script else stamp, self.place if self.batch else place)
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

    def calling(self) -> tuple[Callable[[Any], Any], ...]:
        """What is called with a record of each input."""
        if self.script:
            process, at = self.function.process_element, self.context
            return (lambda value: process(value, at),)
        return (with_context(self.function, self.context, "process_element"),)

    def take_one(self, value: Any, stamp: int | None, place: int, side: int) -> None:
        self.context.stamp = stamp
        self.add_all(self.calls[side](value), stamp, place)

    def fire(self, domain: Domain, when: int, window: Any) -> None:
        if callable(self.on_timer):
            self.context.stamp, self.context.domain = when, self.domains[domain]
            stamp = when if self.script or domain == "event" else None
            self.add_all(self.on_timer(when, self.context), stamp, self.place)
