"""State that lasts for a time only: every value, list element and map entry has its own end. Runs on workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from spark_runner.executor.state import (
    AggregatingState,
    ListState,
    MapState,
    ReducingState,
    ValueState,
    descriptor_name,
)

__all__ = ["lasting_state"]


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long state lasts, what renews it, and whether its end is exact."""

    milliseconds: int
    on_read: bool
    returns_expired: bool


def lifetime_of(descriptor: Any) -> Lifetime | None:
    """The lifetime that a script gave a state; None: for ever."""
    enabled = descriptor.last("enable_time_to_live") if hasattr(descriptor, "last") else None
    config = enabled.first() if enabled is not None else None
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
    if found["ttl"] is None or found["update"] == "Disabled":
        return None
    return Lifetime(
        int(found["ttl"].to_milliseconds()),
        found["update"] == "OnReadAndWrite",
        found["visible"] == "ReturnExpiredIfNotCleanedUp",
    )


_UPDATES = {
    "update_ttl_on_create_and_write": "OnCreateAndWrite",
    "update_ttl_on_read_and_write": "OnReadAndWrite",
}
_VISIBLE = {
    "return_expired_if_not_cleaned_up": "ReturnExpiredIfNotCleanedUp",
    "never_return_expired": "NeverReturnExpired",
}


def lasting_state(kind: str, descriptor: Any, store: Any, now: Callable[[], int]) -> Any:
    """A state object of this kind, where its descriptor has a lifetime; else None. `now` tells processing time."""
    lifetime = lifetime_of(descriptor)
    if lifetime is None:
        return None
    name = descriptor_name(descriptor)
    if kind == "list":
        return LastingList(store, name, lifetime, now)
    if kind == "map":
        return LastingMap(store, name, lifetime, now)
    view = _Lasting(store, lifetime, now)
    if kind == "value":
        return ValueState(view, name)  # type: ignore[arg-type]
    if kind == "reducing":
        function = descriptor.get_reduce_function()
        return ReducingState(view, name, getattr(function, "reduce", function))  # type: ignore[arg-type]
    return AggregatingState(view, name, descriptor.get_agg_function())  # type: ignore[arg-type]


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
        if self._now() - kept[1] >= self._lifetime.milliseconds:
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

    def get(self) -> Iterator[Any]:
        kept = self._store.values.get(self._name, [])
        alive = [one for one in kept if self._now() - one[1] < self._lifetime.milliseconds]
        if self._lifetime.on_read:
            alive = [(value, self._now()) for value, _ in alive]
        self._store.values[self._name] = alive
        return iter([value for value, _ in (kept if self._lifetime.returns_expired else alive)])

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
        now, span = self._now(), self._lifetime.milliseconds
        alive = {key: one for key, one in kept.items() if now - one[1] < span}
        if self._lifetime.on_read:
            alive = {key: (value, now) for key, (value, _) in alive.items()}
        if alive != kept:
            self._store.values[self._name] = alive
        return {key: value for key, (value, _) in (kept if self._lifetime.returns_expired else alive).items()}

    def put(self, key: Any, value: Any) -> None:
        super().put(key, (value, self._now()))

    def put_all(self, entries: Any) -> None:
        super().put_all({key: (value, self._now()) for key, value in dict(entries).items()})

    def remove(self, key: Any) -> None:
        self._store.values.get(self._name, {}).pop(key, None)

    __getitem__, __setitem__, __delitem__ = MapState.get, put, remove
