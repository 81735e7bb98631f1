"""PyFlink's operators on keyed streams: state and timers of the current key. Runs on workers.

Records arrive as pairs of key and record. In a stream they are taken one by one; in batch mode all records of a key
come in the order of their event times before anything fires, as in Flink.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from spark_runner.executor.keys import key_bytes
from spark_runner.executor.pyflink.accumulation import accumulation
from spark_runner.executor.pyflink.contexts import KeyedContext, PyRuntime
from spark_runner.executor.pyflink.operators import Giving, ended, prepared, remembered
from spark_runner.executor.roles.plain import method
from spark_runner.executor.state import END_OF_TIME
from spark_runner.executor.streaming.keyed import KeyedOperator
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.store import Domain, Entry

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["PyKeyed"]

_REDUCED = "\0reduced"
_BUNDLE_RECORDS, _BUNDLE_TIME = 1000, 1000  # python.fn-execution.bundle.size and .time


class PyKeyed(Giving, KeyedOperator):
    """An operator whose records have a key. `push` is called with the record's key already current."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.function = spec.function
        self.attributes = None
        self.batch = bool(spec.options.get("batch"))
        self.held: list[tuple[Entry, int, Any, int | None]] = []
        self.alarms = False  # whether a timer of processing time was ever set
        self.bundle, self.looked = 0, task.processing_time()
        self.context = KeyedContext(self)

    def functions(self) -> tuple[Any, ...]:
        """The user's objects that are opened and closed."""
        return (self.function,)

    def open(self) -> None:
        prepared(self)

    def close(self) -> None:
        ended(self)

    def runtime(self) -> PyRuntime:
        return PyRuntime(self.task, self.spec, self.store)

    # --- records

    def push(self, value: Any, stamp: int | None) -> None:
        self.push_from(0, value, stamp)

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        """A record of one of the inputs."""
        entry = self.store.current
        assert entry is not None
        if self.batch:
            self.held.append((entry, position, value[1], stamp))
            return
        if self.alarms:
            self._look_at_the_clock()
            self.store.take(entry)
        self.take(position, value[1], stamp)

    def _look_at_the_clock(self) -> None:
        """Fire timers of processing time between bundles of records, as PyFlink does, not between two records."""
        now = self.task.processing_time()
        self.bundle += 1
        if self.bundle >= _BUNDLE_RECORDS or now - self.looked >= _BUNDLE_TIME:
            self.bundle, self.looked = 0, now
            self.ring("processing", now)

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        """A record whose turn it is, with its key current."""
        raise NotImplementedError

    # --- time

    def set_timer(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        self.alarms |= domain == "processing"
        super().set_timer(domain, when, window)

    def ring(self, domain: Domain, limit: int) -> None:
        """Fire what is due. Timers that are set meanwhile come behind all that were due already.

        So it is in PyFlink, where Java hands a watermark's timers to Python at once.
        """
        while due := [(self.store.current, when, window) for when, window in self.store.due(domain, limit)]:
            for entry, when, window in due:
                assert entry is not None
                self.store.take(entry)
                self.fire(domain, when, window)

    def tick(self, now: int) -> None:
        self.ring("processing", now)

    def advance(self, watermark: int) -> None:
        if self.batch and watermark == END_OF_TIME:
            self.replay()
            return
        self.watermark = watermark
        self.ring("event", watermark)
        if self.alarms and watermark == END_OF_TIME:
            self.ring("processing", self.task.processing_time())  # what is due when the last bundle ends
        self.pass_on(watermark)

    def replay(self) -> None:
        """Batch mode: key by key, its records by event time, and at its end everything that waits."""
        held, self.held = self.held, []
        held.sort(key=lambda one: (key_bytes(one[0].key), one[3] if one[3] is not None else 0, one[1]))
        for _, mine in groupby(held, key=lambda one: id(one[0])):
            self.watermark = -(2**63)
            for entry, position, value, stamp in mine:
                self.store.take(entry)
                self.take(position, value, stamp)
            self.watermark = END_OF_TIME
            self.ring("event", END_OF_TIME)
            self.ring("processing", END_OF_TIME)
        self.watermark = END_OF_TIME
        self.pass_on(END_OF_TIME)

    def save(self) -> None:
        remembered(self)
        self.keys = self.store.save()


class KeyedMap(PyKeyed):
    """map with keyed state."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "map")

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        self.give(self.call(value), stamp)


class KeyedFlatMap(PyKeyed):
    """flat_map with keyed state."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "flat_map")

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        for item in self.call(value):
            self.give(item, stamp)


class KeyedFilter(PyKeyed):
    """filter with keyed state."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "filter")

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        if self.call(value):
            self.give(value, stamp)


class KeyedValues(PyKeyed):
    """The records without their keys."""

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        self.give(value, stamp)


class Reduce(PyKeyed):
    """reduce, sum, min, max, min_by, max_by: every step in a stream, the last one in batch mode."""

    def open(self) -> None:
        super().open()
        wanted = self.spec.options.get("accumulate")
        self.call = accumulation(*wanted) if wanted else method(self.function, "reduce")

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        held = self.store.values
        if _REDUCED in held:
            value = self.call(held[_REDUCED], value)
        held[_REDUCED] = value
        if self.batch:
            self.set_timer("event", END_OF_TIME, ())
        else:
            self.give(value, stamp)

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        self.give(self.store.values[_REDUCED], when)


class KeyedProcess(PyKeyed):
    """A keyed process function: state, side outputs and timers."""

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        self.context.stamp = stamp
        self.give_all(self.call(position, value), stamp)

    def call(self, position: int, value: Any) -> Any:
        """What the function gives for one record."""
        return self.function.process_element(value, self.context)

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        self.context.stamp = when
        self.context.domain = self.spec.options["domains"][domain]
        self.give_all(self.function.on_timer(when, self.context), when)
