"""Keyed state with a time to live, as Flink has it: by processing time, list and map elements each on their own.

Runs on workers. Processing time is the batch's, so state expires at the same record when a batch runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spark_runner.executor.state import ListState, MapState

__all__ = ["ExpiringListState", "ExpiringMapState", "ExpiringStore", "Expiry"]


class Expiry:
    """How long a value lives, and whether reading it makes it live longer."""

    def __init__(self, config: Any, now: Callable[[], int]) -> None:
        self.millis, self.on_read, self.now = int(config.millis), bool(config.on_read), now

    def is_over(self, written: int) -> bool:
        """Whether something that was written then is gone now."""
        return written + self.millis <= self.now()


class ExpiringStore:
    """A store whose values go one by one, by the time they were written."""

    def __init__(self, store: Any, expiry: Expiry) -> None:
        self._store, self._expiry = store, expiry

    @property
    def key(self) -> Any:
        return self._store.key

    @property
    def values(self) -> Any:
        return _ExpiringValues(self._store.values, self._expiry)


class _ExpiringValues:
    """A dict of values beside the times they were written at, as far as state objects use one."""

    def __init__(self, values: dict[str, Any], expiry: Expiry) -> None:
        self._values, self._expiry = values, expiry

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        if self._expiry.on_read:
            self._values[_times(name)] = self._expiry.now()
        return self._values[name]

    def pop(self, name: str, default: Any = None) -> Any:
        self._values.pop(_times(name), None)
        return self._values.pop(name, default)

    def __contains__(self, name: str) -> bool:
        if name not in self._values:
            return False
        if self._expiry.is_over(self._values[_times(name)]):
            self.pop(name)
            return False
        return True

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[name] = value
        self._values[_times(name)] = self._expiry.now()


def _times(name: str) -> str:
    return f"\0written {name}"


class ExpiringListState(ListState):
    """A list whose elements go one by one. Kept as pairs of value and time."""

    def __init__(self, store: Any, name: str, expiry: Expiry) -> None:
        super().__init__(store, name)
        self._expiry = expiry

    def get(self) -> Iterator[Any]:
        now, expiry = self._expiry.now(), self._expiry
        alive = [pair for pair in self._store.values.get(self._name, ()) if not expiry.is_over(pair[1])]
        if expiry.on_read:
            alive = [(value, now) for value, _ in alive]
        self._keep(alive)
        return iter([value for value, _ in alive])

    def add(self, value: Any) -> None:
        self.add_all((value,))

    def add_all(self, values: Iterable[Any]) -> None:
        now = self._expiry.now()
        self._store.values.setdefault(self._name, []).extend((value, now) for value in values)

    def update(self, values: Iterable[Any]) -> None:
        now = self._expiry.now()
        self._keep([(value, now) for value in values])

    def _keep(self, pairs: list[tuple[Any, int]]) -> None:
        if pairs:
            self._store.values[self._name] = pairs
        else:
            self.clear()


class ExpiringMapState(MapState):
    """A mapping whose entries go one by one. Kept as pairs of value and time."""

    def __init__(self, store: Any, name: str, expiry: Expiry) -> None:
        super().__init__(store, name)
        self._expiry = expiry

    def _map(self) -> dict[Any, Any]:
        """What is alive, as plain values; the rest is dropped."""
        now, expiry = self._expiry.now(), self._expiry
        kept = self._store.values.get(self._name, {})
        for key in [key for key, (_, written) in kept.items() if expiry.is_over(written)]:
            del kept[key]
        if not kept:
            self.clear()
        if expiry.on_read:
            kept.update({key: (value, now) for key, (value, _) in kept.items()})
        return {key: value for key, (value, _) in kept.items()}

    def put(self, key: Any, value: Any) -> None:
        self._store.values.setdefault(self._name, {})[key] = (value, self._expiry.now())

    def put_all(self, entries: Any) -> None:
        for key, value in dict(entries).items():
            self.put(key, value)

    def remove(self, key: Any) -> None:
        self._store.values.get(self._name, {}).pop(key, None)

    __setitem__, __delitem__ = put, remove
