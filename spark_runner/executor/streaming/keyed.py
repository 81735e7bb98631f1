"""Operators on keyed streams: one key's state at a time, one update for each record. Runs on workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from spark_runner.executor.roles.keyed import aggregation
from spark_runner.executor.roles.plain import method, with_context
from spark_runner.executor.streaming.contexts import StreamContext, StreamRuntime
from spark_runner.executor.streaming.exits import Exit
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.operators import FilterOperator, FlatMapOperator, MapOperator, StreamOperator
from spark_runner.executor.streaming.store import Domain, KeyedStore

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["KeyedOperator"]

_REDUCED = "\0reduced"


class KeyedOperator(StreamOperator):
    """An operator with keyed state and timers. `push` is called with the record's key already current."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.store = KeyedStore(task.backend, spec.id)
        self.at = StreamContext(self, self.store)
        self.keys = 0
        self.watermark = task.watermark

    def runtime(self) -> StreamRuntime:
        return StreamRuntime(self.task, self.spec.name, self.store)

    def set_timer(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        """Set a timer of the current key."""
        self.store.set_timer(domain, when, window)

    def drop_timer(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        """Forget a timer of the current key."""
        self.store.drop_timer(domain, when, window)

    def advance(self, watermark: int) -> None:
        self.watermark = watermark
        for when, window in self.store.due("event", watermark):
            self.fire("event", when, window)
        self.pass_on(watermark)

    def tick(self, now: int) -> None:
        """Processing time has come this far."""
        for when, window in self.store.due("processing", now):
            self.fire("processing", when, window)

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        """A timer of the current key."""

    def save(self) -> None:
        super().save()
        self.keys = self.store.save()


class ReduceOperator(KeyedOperator):
    """The running reduce, sum, min or max: one record out for each record in."""

    def open(self) -> None:
        super().open()
        aggregate = self.spec.options.get("aggregate")
        self.call = aggregation(*aggregate) if aggregate else method(self.function, "reduce")
        columns = [one.schema.names if one.schema is not None else [] for one in self.task.vertex.inputs]
        sums = aggregate is not None and tuple(aggregate) in (("sum", 1), ("sum", "f1"))
        self.sums_pairs = sums and all(names == ["f0", "f1"] for names in columns)

    def push(self, value: Any, stamp: int | None) -> None:
        held = self.store.values
        if _REDUCED in held:
            value = self.call(held[_REDUCED], value)
        held[_REDUCED] = value
        self.given += 1
        self.next(value, stamp)

    def push_chunk(
        self, selector: Callable[[Any], Any], indexes: Sequence[int], values: list[Any], stamps: Any
    ) -> None:
        """Records of one base in the order of their positions."""
        keys = list(map(selector, values))
        made = self._sums_of_pairs(keys, values) if self.sums_pairs else self._reduced(keys, values)
        self.given += len(made)
        if len(self.targets) == 1 and isinstance(self.targets[0], Exit):
            self.targets[0].push_slice(made, indexes, stamps)
            return
        position, push = self.task.position, self.next
        for index, value, stamp in zip(indexes, made, repeat(None) if stamps is None else stamps):  # noqa: B905
            position.index = index
            push(value, stamp)

    def _reduced(self, keys: list[Any], values: list[Any]) -> list[Any]:
        known, turn, take, call = self.store.entries, self.store.turn, self.store.take, self.call
        ours = "aggregate" in self.spec.options  # a function of ours asks for no state of the current key
        made = []
        for key, value in zip(keys, values, strict=True):
            try:
                held = known[key].values if ours else take(known[key]).values
            except (KeyError, TypeError):  # not loaded, or not hashable
                held = turn(key).values
            if _REDUCED in held:
                value = call(held[_REDUCED], value)
            held[_REDUCED] = value
            made.append(value)
        return made

    def _sums_of_pairs(self, keys: list[Any], values: list[Any]) -> list[Any]:
        """A key and its number, the most common records of all, without a call for each of them."""
        known, turn, call = self.store.entries, self.store.turn, self.call
        made = []
        for key, value in zip(keys, values, strict=True):
            try:
                held = known[key].values
                before = held[_REDUCED]
                value = before[0], before[1] + value[1]
            except (KeyError, TypeError):  # not loaded, not hashable, or without a number
                held = turn(key).values
                if _REDUCED in held:
                    value = call(held[_REDUCED], value)
            held[_REDUCED] = value
            made.append(value)
        return made


class KeyedMapOperator(MapOperator, KeyedOperator):
    """map with keyed state."""


class KeyedFlatMapOperator(FlatMapOperator, KeyedOperator):
    """flat_map with keyed state."""


class KeyedFilterOperator(FilterOperator, KeyedOperator):
    """filter with keyed state."""


class KeyedProcessOperator(KeyedOperator):
    """A keyed process function: state, side outputs, and timers that fire as time goes on."""

    def open(self) -> None:
        super().open()
        self.call = with_context(self.function, self.at, "process_element")
        self.on_timer = getattr(self.function, "on_timer", None)

    def push(self, value: Any, stamp: int | None) -> None:
        self.at.stamp = stamp
        self.emit_all(self.call(value), stamp)

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        if callable(self.on_timer):
            self.at.stamp, self.at.domain = when, domain
            self.emit_all(self.on_timer(when, self.at), when if domain == "event" else None)


class KeyedCoOperator(KeyedProcessOperator):
    """A function of two keyed inputs that share the key's state. Also keyed co_map and co_flat_map."""

    def open(self) -> None:
        KeyedOperator.open(self)
        self.on_timer = getattr(self.function, "on_timer", None)
        self.calls = (self._taking(1), self._taking(2))

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        """A record of one of the inputs."""
        self.at.stamp = stamp
        self.emit_all(self.calls[position](value), stamp)

    def _taking(self, number: int) -> Callable[[Any], Any]:
        function, at = self.function, self.at
        if callable(process := getattr(function, f"process_element{number}", None)):
            return lambda value: process(value, at)
        if callable(flat_map := getattr(function, f"flat_map{number}", None)):
            return flat_map  # type: ignore[no-any-return]
        return one_each(method(function, f"map{number}"))


def one_each(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that gives one record, as one that gives any number."""
    return lambda value: (call(value),)


class CoOperator(StreamOperator):
    """A function of two inputs without a key: one method, or one of two callables, for each."""

    def open(self) -> None:
        super().open()
        self.at = StreamContext(self, None)
        self.calls = (self._taking(0), self._taking(1))

    def push_from(self, position: int, value: Any, stamp: int | None) -> None:
        """A record of one of the inputs."""
        self.at.stamp = stamp
        self.emit_all(self.calls[position](value), stamp)

    def _taking(self, position: int) -> Callable[[Any], Any]:
        name = {"co_map": "map", "co_flat_map": "flat_map", "co_process": "process_element"}[self.spec.role]
        pair = isinstance(self.function, tuple | list)
        call = self.function[position] if pair else method(self.function, f"{name}{position + 1}")
        if self.spec.role == "co_map":
            return one_each(call)
        return call if self.spec.role == "co_flat_map" else lambda value: call(value, self.at)
