"""Keyed state, timers and the objects user functions see, as a bounded run needs them. Standard library only.

A batch takes one key at a time: all its records in event-time order, then its timers in order, then its state is gone.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

NO_TIMESTAMP = -(2**63)
END_OF_TIME = 2**63 - 1


def descriptor_name(descriptor: Any) -> str:
    """The name a state descriptor was given."""
    name = getattr(descriptor, "name", None) or getattr(descriptor, "_name", None)
    return name if isinstance(name, str) else descriptor.get_name()


class KeyedState:
    """Every state of the current key, by name."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.key: Any = None

    def start(self, key: Any) -> None:
        """Turn to the next key: the last one's state is dropped, since no record of it can follow."""
        self.values = {}
        self.key = key


class ValueState:
    """One value per key."""

    def __init__(self, store: KeyedState, name: str) -> None:
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

    def __init__(self, store: KeyedState, name: str) -> None:
        self._store, self._name = store, name

    def get(self) -> Iterator[Any]:
        return iter(list(self._store.values.get(self._name, ())))

    def add(self, value: Any) -> None:
        self._store.values.setdefault(self._name, []).append(value)

    def add_all(self, values: Iterable[Any]) -> None:
        self._store.values.setdefault(self._name, []).extend(values)

    def update(self, values: Iterable[Any]) -> None:
        self._store.values[self._name] = list(values)

    def clear(self) -> None:
        self._store.values.pop(self._name, None)

    def __iter__(self) -> Iterator[Any]:
        return self.get()


class MapState:
    """A mapping a key."""

    def __init__(self, store: KeyedState, name: str) -> None:
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

    __getitem__, __setitem__, __delitem__, __contains__ = get, put, remove, contains

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())


class ReducingState:
    """One value per key, into which every added value is reduced."""

    def __init__(self, store: KeyedState, name: str, reduce: Callable[[Any, Any], Any]) -> None:
        self._store, self._name, self._reduce = store, name, reduce

    def get(self) -> Any:
        return self._store.values.get(self._name)

    def add(self, value: Any) -> None:
        values = self._store.values
        values[self._name] = self._reduce(values[self._name], value) if self._name in values else value

    def clear(self) -> None:
        self._store.values.pop(self._name, None)


class AggregatingState:
    """One accumulator a key that every added value goes into."""

    def __init__(self, store: KeyedState, name: str, function: Any) -> None:
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


class RuntimeContext:
    """What a function's open() gets: where it runs, and the states of a keyed stream."""

    def __init__(self, *, name: str, subtask: int, parallelism: int, attempt: int, state: KeyedState | None) -> None:
        self._name, self._subtask, self._parallelism, self._attempt = name, subtask, parallelism, attempt
        self._state = state

    def get_task_name(self) -> str:
        return self._name

    def get_task_name_with_subtasks(self) -> str:
        return f"{self._name} ({self._subtask + 1}/{self._parallelism})"

    def get_number_of_parallel_subtasks(self) -> int:
        return self._parallelism

    def get_index_of_this_subtask(self) -> int:
        return self._subtask

    def get_attempt_number(self) -> int:
        return self._attempt

    def get_job_parameter(self, key: str, default_value: Any = None) -> Any:
        return default_value

    def get_state(self, descriptor: Any) -> ValueState:
        return ValueState(self._keyed(), descriptor_name(descriptor))

    def get_list_state(self, descriptor: Any) -> ListState:
        return ListState(self._keyed(), descriptor_name(descriptor))

    def get_map_state(self, descriptor: Any) -> MapState:
        return MapState(self._keyed(), descriptor_name(descriptor))

    def get_reducing_state(self, descriptor: Any) -> ReducingState:
        function = _part(descriptor, "reduce_function")
        return ReducingState(self._keyed(), descriptor_name(descriptor), getattr(function, "reduce", function))

    def get_aggregating_state(self, descriptor: Any) -> AggregatingState:
        return AggregatingState(self._keyed(), descriptor_name(descriptor), _part(descriptor, "agg_function"))

    def _keyed(self) -> KeyedState:
        if self._state is None:
            raise RuntimeError("keyed state needs a keyed stream: call key_by() before this operator")
        return self._state


def _part(descriptor: Any, name: str) -> Any:
    for spelling in (name, f"_{name}", f"get_{name}"):
        part = getattr(descriptor, spelling, None)
        if part is not None:
            return part() if spelling.startswith("get_") else part
    raise TypeError(f"{type(descriptor).__name__} has no {name}")


class TimerService:
    """The timers of the current key. A batch's watermark stands still until the key's last record."""

    def __init__(self) -> None:
        self._queues: dict[str, list[int]] = {"event": [], "processing": []}
        self._set: dict[str, set[int]] = {"event": set(), "processing": set()}
        self.watermark = NO_TIMESTAMP

    def current_processing_time(self) -> int:
        return int(time.time() * 1000)

    def current_watermark(self) -> int:
        return self.watermark

    def register_event_time_timer(self, timestamp: int) -> None:
        self._register("event", timestamp)

    def register_processing_time_timer(self, timestamp: int) -> None:
        self._register("processing", timestamp)

    def delete_event_time_timer(self, timestamp: int) -> None:
        self._set["event"].discard(timestamp)

    def delete_processing_time_timer(self, timestamp: int) -> None:
        self._set["processing"].discard(timestamp)

    def _register(self, domain: str, timestamp: int) -> None:
        timestamp = int(timestamp)
        if timestamp not in self._set[domain]:
            self._set[domain].add(timestamp)
            heapq.heappush(self._queues[domain], timestamp)

    def due(self) -> Iterator[tuple[str, int]]:
        """The timers in firing order: event time first. Timers set while one fires take their place in the queue."""
        self.watermark = END_OF_TIME
        for domain in ("event", "processing"):
            queue, registered = self._queues[domain], self._set[domain]
            while queue:
                timestamp = heapq.heappop(queue)
                if timestamp in registered:
                    registered.discard(timestamp)
                    yield domain, timestamp
        self.watermark = NO_TIMESTAMP


class ProcessContext:
    """What process_element and on_timer get beside the record."""

    def __init__(self, state: KeyedState | None) -> None:
        self._state = state
        self._timers = TimerService()
        self._timestamp: int | None = None
        self._domain = "event"

    def timestamp(self) -> int | None:
        return self._timestamp

    def timer_service(self) -> TimerService:
        return self._timers

    def get_current_key(self) -> Any:
        return self._state.key if self._state is not None else None

    def time_domain(self) -> str:
        return f"{self._domain.upper()}_TIME"


class TimeWindow:
    """An event-time window: start included, end not."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def max_timestamp(self) -> int:
        return self.end - 1

    def __repr__(self) -> str:
        return f"TimeWindow(start={self.start}, end={self.end})"


class WindowContext:
    """What a window's process() gets: the window, and where event time stands."""

    def __init__(self, window: TimeWindow, state: RuntimeContext) -> None:
        self._window, self._state = window, state

    def window(self) -> TimeWindow:
        return self._window

    def current_watermark(self) -> int:
        return END_OF_TIME

    def current_processing_time(self) -> int:
        return int(time.time() * 1000)

    def global_state(self) -> RuntimeContext:
        return self._state

    def window_state(self) -> RuntimeContext:
        return self._state
