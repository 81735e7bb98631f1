"""The states that functions ask for, with or without a time to live. Runs on workers, standard library only.

A state reads and writes the values of the current key. With a time to live, every value, list element and map entry is
kept with the time of its last renewal, and ends on its own, by processing time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

NO_TIMESTAMP = -(2**63)
END_OF_TIME = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long state lasts, what renews it, and whether what is over may still be seen."""

    milliseconds: int
    on_read: bool
    returns_expired: bool = False

    def is_over(self, written: int, now: int) -> bool:
        """Whether something that was written then is gone now."""
        return now - written >= self.milliseconds


def lifetime_of(descriptor: Any) -> Lifetime | None:
    """The lifetime that a job gave a state; None: for ever."""
    config = descriptor.time_to_live
    if config is None:
        return None
    found: dict[str, Any] = {"update": "OnCreateAndWrite", "visible": "NeverReturnExpired", "ttl": None}
    for call in config._calls:
        given = dict(call.arguments)
        found["ttl"] = given.get("ttl", found["ttl"])
        found["update"] = getattr(given.get("update_type"), "name", found["update"])
        found["visible"] = getattr(given.get("state_visibility"), "name", found["visible"])
        found["update"] = _UPDATES.get(call.name, found["update"])
        found["visible"] = _VISIBLE.get(call.name, found["visible"])
    length = found["ttl"] if isinstance(found["ttl"], int) else int(found["ttl"].to_milliseconds())
    if length <= 0 or found["update"] == "Disabled":
        return None
    return Lifetime(length, found["update"] == "OnReadAndWrite", found["visible"] == "ReturnExpiredIfNotCleanedUp")


_UPDATES = {
    "update_ttl_on_create_and_write": "OnCreateAndWrite",
    "update_ttl_on_read_and_write": "OnReadAndWrite",
}
_VISIBLE = {
    "return_expired_if_not_cleaned_up": "ReturnExpiredIfNotCleanedUp",
    "never_return_expired": "NeverReturnExpired",
}


class Values:
    """Where states lie by name: those of the current key, of a window, or of broadcast rules."""

    def __init__(self, values: dict[Any, Any], key: Any = None) -> None:
        self.values, self.key = values, key


class ValueState:
    """One value per key."""

    def __init__(self, store: Any, name: str) -> None:
        self._store, self._name = store, name

    def value(self) -> Any:
        return self._store.values.get(self._name)

    def update(self, value: Any) -> None:
        if value is None:
            self.clear()
        else:
            self._store.values[self._name] = value

    def clear(self) -> None:
        self._store.values.pop(self._name, None)


class ListState:
    """One list per key."""

    def __init__(self, store: Any, name: str) -> None:
        self._store, self._name = store, name

    def get(self) -> Iterable[Any]:
        return _Elements(self._store.values, self._name)

    def add(self, value: Any) -> None:
        self._store.values.setdefault(self._name, []).append(value)

    def add_all(self, values: Iterable[Any]) -> None:
        self._store.values.setdefault(self._name, []).extend(values)

    def update(self, values: Iterable[Any]) -> None:
        self._store.values[self._name] = list(values)

    def clear(self) -> None:
        self._store.values.pop(self._name, None)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.get())


class _Elements:
    """The elements of a list, as often as one looks at them; what is added meanwhile is among them, as in PyFlink."""

    def __init__(self, values: dict[Any, Any], name: str) -> None:
        self._values, self._name, self._kept = values, name, values.get(name)

    def __iter__(self) -> Iterator[Any]:
        kept = self._values.get(self._name, ()) if self._kept is None else self._kept
        return iter(list(kept))


class MapState:
    """One mapping per key."""

    def __init__(self, store: Any, name: str) -> None:
        self._store, self._name = store, name

    def _map(self) -> dict[Any, Any]:
        return self._store.values.get(self._name) or {}

    def get(self, key: Any) -> Any:
        return self._map().get(key)

    def put(self, key: Any, value: Any) -> None:
        self._store.values.setdefault(self._name, {})[key] = value

    def put_all(self, entries: Any) -> None:
        self._store.values.setdefault(self._name, {}).update(dict(entries))

    def remove(self, key: Any) -> None:
        self._map().pop(key, None)

    def contains(self, key: Any) -> bool:
        return key in self._map()

    def items(self) -> list[tuple[Any, Any]]:
        return list(self._map().items())

    def keys(self) -> list[Any]:
        return list(self._map())

    def values(self) -> list[Any]:
        return list(self._map().values())

    def is_empty(self) -> bool:
        return not self._map()

    def clear(self) -> None:
        self._store.values.pop(self._name, None)

    def get_internal_state(self) -> MapState:
        """PyFlink's state of the current key, which has the same methods."""
        return self

    __getitem__, __setitem__, __delitem__, __contains__ = get, put, remove, contains

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())


class ReducingState:
    """One value per key, into which every added value is reduced."""

    def __init__(self, store: Any, name: str, reduce: Callable[[Any, Any], Any]) -> None:
        self._store, self._name, self._reduce = store, name, reduce

    def get(self) -> Any:
        return self._store.values.get(self._name)

    def add(self, value: Any) -> None:
        values = self._store.values
        held = values.get(self._name)
        values[self._name] = value if held is None else self._reduce(held, value)

    def clear(self) -> None:
        self._store.values.pop(self._name, None)


class AggregatingState:
    """One accumulator per key that every added value goes into."""

    def __init__(self, store: Any, name: str, function: Any) -> None:
        self._store, self._name, self._function = store, name, function

    def get(self) -> Any:
        values = self._store.values
        return self._function.get_result(values[self._name]) if self._name in values else None

    def add(self, value: Any) -> None:
        values = self._store.values
        held = values[self._name] if self._name in values else self._function.create_accumulator()
        values[self._name] = self._function.add(value, held)

    def clear(self) -> None:
        self._store.values.pop(self._name, None)


def value_state(store: Any, descriptor: Any, now: Callable[[], int]) -> ValueState:
    """One value per key."""
    return ValueState(_lasting(store, descriptor, now), descriptor.name)


def list_state(store: Any, descriptor: Any, now: Callable[[], int]) -> ListState:
    """One list per key."""
    lifetime, name = lifetime_of(descriptor), descriptor.name
    return ListState(store, name) if lifetime is None else LastingList(store, name, lifetime, now)


def map_state(store: Any, descriptor: Any, now: Callable[[], int]) -> MapState:
    """One mapping per key."""
    lifetime, name = lifetime_of(descriptor), descriptor.name
    return MapState(store, name) if lifetime is None else LastingMap(store, name, lifetime, now)


def reducing_state(store: Any, descriptor: Any, now: Callable[[], int]) -> ReducingState:
    """One reduced value per key."""
    function = descriptor.reduce_function
    reduce = getattr(function, "reduce", function)
    return ReducingState(_lasting(store, descriptor, now), descriptor.name, reduce)


def aggregating_state(store: Any, descriptor: Any, now: Callable[[], int]) -> AggregatingState:
    """One accumulator per key."""
    function = descriptor.agg_function
    return AggregatingState(_lasting(store, descriptor, now), descriptor.name, function)


def _lasting(store: Any, descriptor: Any, now: Callable[[], int]) -> Any:
    lifetime = lifetime_of(descriptor)
    return store if lifetime is None else _Lasting(store, lifetime, now)


class _Lasting:
    """One key's values, as state objects read them; each is kept with the time of its last renewal."""

    def __init__(self, store: Any, lifetime: Lifetime, now: Callable[[], int]) -> None:
        self._store, self._lifetime, self._now = store, lifetime, now

    @property
    def values(self) -> _Lasting:
        return self

    def get(self, name: str, default: Any = None) -> Any:
        kept = self._store.values.get(name)
        if kept is None:
            return default
        if self._lifetime.is_over(kept[1], self._now()):
            del self._store.values[name]
            return kept[0] if self._lifetime.returns_expired else default
        if self._lifetime.on_read:
            self[name] = kept[0]
        return kept[0]

    def pop(self, name: str, default: Any = None) -> Any:
        return self._store.values.pop(name, default)

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._store.values[name] = (value, self._now())

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None


class LastingList(ListState):
    """A list whose elements end one by one."""

    def __init__(self, store: Any, name: str, lifetime: Lifetime, now: Callable[[], int]) -> None:
        super().__init__(store, name)
        self._lifetime, self._now = lifetime, now

    def get(self) -> Iterable[Any]:
        kept, now = self._store.values.get(self._name, []), self._now()
        alive = [one for one in kept if not self._lifetime.is_over(one[1], now)]
        if self._lifetime.on_read:
            alive = [(value, now) for value, _ in alive]
        if alive:
            self._store.values[self._name] = alive
        else:
            self.clear()
        return [value for value, _ in (kept if self._lifetime.returns_expired else alive)]

    def add(self, value: Any) -> None:
        super().add((value, self._now()))

    def add_all(self, values: Any) -> None:
        super().add_all([(value, self._now()) for value in values])

    def update(self, values: Any) -> None:
        super().update([(value, self._now()) for value in values])


class LastingMap(MapState):
    """A mapping whose entries end one by one."""

    def __init__(self, store: Any, name: str, lifetime: Lifetime, now: Callable[[], int]) -> None:
        super().__init__(store, name)
        self._lifetime, self._now = lifetime, now

    def _map(self) -> dict[Any, Any]:
        kept = self._store.values.get(self._name, {})
        now = self._now()
        alive = {key: one for key, one in kept.items() if not self._lifetime.is_over(one[1], now)}
        if self._lifetime.on_read:
            alive = {key: (value, now) for key, (value, _) in alive.items()}
        if not alive:
            self.clear()
        elif self._lifetime.on_read or len(alive) != len(kept):
            self._store.values[self._name] = alive
        return {key: value for key, (value, _) in (kept if self._lifetime.returns_expired else alive).items()}

    def put(self, key: Any, value: Any) -> None:
        super().put(key, (value, self._now()))

    def put_all(self, entries: Any) -> None:
        super().put_all({key: (value, self._now()) for key, value in dict(entries).items()})

    def remove(self, key: Any) -> None:
        self._store.values.get(self._name, {}).pop(key, None)

    __getitem__, __setitem__, __delitem__ = MapState.get, put, remove


class TimeWindow:
    """A window of time: start included, end not."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def max_timestamp(self) -> int:
        return self.end - 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimeWindow) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"TimeWindow(start={self.start}, end={self.end})"
