"""Operators on keyed streams and on two inputs. Runs on executors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from spark_runner.executor.chain import ChainSpec, NodeSpec, Place
from spark_runner.executor.failures import RAISED
from spark_runner.executor.keys import NAN, key_bytes, one_nan
from spark_runner.executor.roles.batch_state import ProcessContext
from spark_runner.executor.roles.plain import CHUNK, Emissions, Role, Stamps, last_taken, method, with_context
from spark_runner.executor.rows import field_getter, replace_field

_NO_KEY = object()
_READ_STAMPS = frozenset({"process"})  # roles that may be chained behind a keyed one and tell a record's event time


class ReduceRole(Role):
    """One final record per key. Holds one record per key, so that nothing has to be sorted."""

    wants_keys = True

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        super().__init__(node, spec, place)
        self.held: dict[Any, Any] = {}
        self.latest: dict[Any, int | None] = {}
        aggregate = node.options.get("aggregate")
        self.reduce = aggregation(*aggregate) if aggregate else method(self.function, "reduce")

    def process_keyed(self, keys: list[Any], values: list[Any], stamps: Stamps, sides: Any) -> Iterator[Any]:
        """Reduces each record into its key's."""
        self.taken += len(values)
        held, reduce = self.held, self.reduce
        keys = _names_of(keys)
        arriving = iter(values)
        try:
            for key, value in zip(keys, arriving, strict=True):
                held[key] = reduce(held[key], value) if key in held else value
        except RAISED as error:
            raise self.failed(error, last_taken(values, arriving)) from None
        if stamps is not None:
            for key, stamp in zip(keys, stamps, strict=True):
                before = self.latest.get(key)
                self.latest[key] = stamp if before is None or (stamp is not None and stamp > before) else before
        return iter(())

    def finish(self) -> Iterator[Any]:
        values = list(self.held.values())
        stamps = [self.latest[key] for key in self.held] if self.latest else None
        for start in range(0, len(values), CHUNK):
            end = start + CHUNK
            yield self.emit(values[start:end], None if stamps is None else stamps[start:end])


def _names_of(keys: list[Any]) -> list[Any]:
    """Keys as a dict takes them: bytes of those that are not hashable, and one NaN."""
    kinds = set(map(type, keys))
    if kinds <= _PLAIN:
        return keys
    try:
        for key in keys:
            hash(key)
    except TypeError:
        return list(map(key_bytes, keys))
    return list(map(one_nan, keys)) if kinds & {float, tuple} else keys


_PLAIN = frozenset({str, int, bool, bytes, type(None)})


def aggregation(kind: str, field: str | int) -> Callable[[Any, Any], Any]:
    """Flink's sum, min and max: one field is aggregated, the others stay as in the key's first record."""
    read = field_getter(field)
    combine = _COMBINED[kind]
    at = field if isinstance(field, int) else int(field[1:]) if field[1:].isdecimal() else None

    def reduce(first: Any, second: Any) -> Any:
        if at is not None and first.__class__ is tuple and second.__class__ is tuple:  # most records are
            a, b = first[at], second[at]
            new = b if a is None else a if b is None else combine(a, b)
            if at == 1 and len(first) == 2:  # a key and its number: the most common of all
                return first[0], new
            return (*first[:at], new, *first[at + 1 :])
        a, b = read(first), read(second)
        return replace_field(first, field, b if a is None else a if b is None else combine(a, b))

    return reduce


def _least(kept: Any, value: Any) -> Any:
    return value if value < kept or kept != kept else kept


def _greatest(kept: Any, value: Any) -> Any:
    return value if value > kept or value != value else kept


# NaN is greater than every number, as it is in Java and in Spark SQL
_COMBINED: dict[str, Callable[[Any, Any], Any]] = {"sum": operator.add, "min": _least, "max": _greatest}


class KeyedRole(Role):
    """A function that sees one key at a time, with that key's state."""

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        super().__init__(node, spec, place)
        self.at = ProcessContext(self.state)
        self.current: Any = _NO_KEY
        read_here = any(other.parent is not None and other.role in _READ_STAMPS for other in spec.nodes)
        self.emissions = Emissions(self, stamped=read_here or any(outlet.stamps for outlet in spec.outlets))
        self.selectors = spec.input.selectors

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        """One record of the current key."""
        raise NotImplementedError

    def end_key(self) -> None:
        """The current key's last record has been seen."""

    def process_keyed(self, keys: list[Any], values: list[Any], stamps: Stamps, sides: Any) -> Iterator[Any]:
        """Records in key order; a key may go on in the next call."""
        self.taken += len(values)
        arriving = iter(values)
        times = repeat(None) if stamps is None else stamps
        places = repeat(0) if sides is None else sides
        at, record, emissions, current = self.at, self.record, self.emissions, self.current
        try:
            for key, value, stamp, side in zip(keys, arriving, times, places, strict=False):
                if key != current and not (key != key and current is NAN):
                    self._turn(key, value, side)
                    current = self.current
                at._timestamp = stamp
                record(value, stamp, side)
                if emissions.count >= CHUNK:
                    yield from emissions.moves()
        except RAISED as error:
            raise self.failed(error, last_taken(values, arriving)) from None
        yield from self.emissions.moves()

    def finish(self) -> Iterator[Any]:
        self._end()
        yield from self.emissions.moves()

    def _turn(self, key: Any, value: Any, side: int) -> None:
        self._end()
        selector = self.selectors[side] if self.selectors else None
        self.current = NAN if key != key else key
        assert self.state is not None
        self.state.start(selector(value) if selector is not None else key)

    def _end(self) -> None:
        if self.current is not _NO_KEY:
            assert self.state is not None
            try:
                self.end_key()
            except RAISED as error:
                raise self.failed(error, None, f"after the last record of key {self.state.key!r}: ") from None


class KeyedMapRole(KeyedRole):
    """A map with keyed state."""

    def open(self) -> None:
        super().open()
        self.mapped = method(self.function, "map")

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        self.emissions.take((self.mapped(value),), stamp)


class KeyedFlatMapRole(KeyedRole):
    """A flat_map with keyed state."""

    def open(self) -> None:
        super().open()
        self.mapped = method(self.function, "flat_map")

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        self.emissions.take(self.mapped(value), stamp)


class KeyedFilterRole(KeyedRole):
    """A filter with keyed state."""

    def open(self) -> None:
        super().open()
        self.kept = method(self.function, "filter")

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        if self.kept(value):
            self.emissions.take((value,), stamp)


class KeyedProcessRole(KeyedRole):
    """A keyed process function with timers, which fire in order at the end of each key."""

    def open(self) -> None:
        super().open()
        self.processed = with_context(self.function, self.at, "process_element")

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        self.emissions.take(self.processed(value), stamp)

    def end_key(self) -> None:
        on_timer = getattr(self.function, "on_timer", None)
        for domain, timestamp in self.at.timer_service().due():
            if callable(on_timer):
                self.at._timestamp, self.at._domain = timestamp, domain
                self.emissions.take(on_timer(timestamp, self.at), timestamp)


class KeyedCoProcessRole(KeyedProcessRole):
    """A function of two keyed inputs that share the key's state. Also keyed co_map and co_flat_map."""

    def open(self) -> None:
        KeyedRole.open(self)
        self.by_side = (self._taking(0), self._taking(1))

    def record(self, value: Any, stamp: int | None, side: int) -> None:
        self.emissions.take(self.by_side[side](value), stamp)

    def _taking(self, side: int) -> Callable[[Any], Any]:
        function, at = self.function, self.at
        if callable(process := getattr(function, f"process_element{side + 1}", None)):
            return lambda value: process(value, at)
        flat_map: Callable[[Any], Any] | None = getattr(function, f"flat_map{side + 1}", None)
        if callable(flat_map):
            return flat_map
        if callable(one := getattr(function, f"map{side + 1}", None)):
            return lambda value: (one(value),)
        return self._not_taken(side)

    def _not_taken(self, side: int) -> Callable[[Any], Any]:
        def refuse(value: Any) -> Any:
            raise TypeError(f"{type(self.function).__name__} has no method for its input {side + 1}")

        return refuse


class CoRole(Role):
    """A function of two inputs without a key: one method, or one of two callables, an input."""

    names: tuple[str, ...] = ()

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        super().__init__(node, spec, place)
        self.at = ProcessContext(None)

    def results(self, call: Callable[..., Any], value: Any) -> Any:
        """What one call gives, as an iterable."""
        raise NotImplementedError

    def process_sides(self, values: list[Any], stamps: Stamps, sides: list[int]) -> Iterator[Any]:
        """Records of both inputs, in the order they arrived."""
        self.taken += len(values)
        calls = (self._call(0), self._call(1))
        emissions = Emissions(self, stamps is not None)
        arriving = iter(values)
        try:
            for number, value in enumerate(arriving):
                stamp = self.at._timestamp = None if stamps is None else stamps[number]
                emissions.take(self.results(calls[sides[number]], value), stamp)
                if emissions.count >= CHUNK:
                    yield from emissions.moves()
        except RAISED as error:
            raise self.failed(error, last_taken(values, arriving)) from None
        yield from emissions.moves()

    def _call(self, side: int) -> Callable[..., Any]:
        if isinstance(self.function, tuple | list):
            call: Callable[..., Any] = self.function[side]
            return call
        return method(self.function, *(f"{name}{side + 1}" for name in self.names))


class CoMapRole(CoRole):
    """co_map: one record out for one in, from either side."""

    names = ("map",)

    def results(self, call: Callable[..., Any], value: Any) -> Any:
        return (call(value),)


class CoFlatMapRole(CoRole):
    """co_flat_map: any number of records out for one in, from either side."""

    names = ("flat_map",)

    def results(self, call: Callable[..., Any], value: Any) -> Any:
        return call(value)


class CoProcessRole(CoRole):
    """co_process without a key."""

    names = ("process_element",)

    def results(self, call: Callable[..., Any], value: Any) -> Any:
        return call(value, self.at)
