"""The operators of the streaming reference: plain dicts for state, lists of records for windows."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator
from typing import Any

from planner.job import Aggregate, Operator, Watermarks, Window
from spark_runner.executor.keys import key_bytes
from spark_runner.executor.state import (
    TimeWindow,
    aggregating_state,
    list_state,
    map_state,
    reducing_state,
    value_state,
)
from tests.support.stream_reference_windows import TriggeredWindows

LEAST, MOST = -(2**63), 2**63 - 1


class RuntimeContext:
    """What open() gets in the reference: states over one dict per key."""

    def __init__(self, *, name: str, subtask: int, parallelism: int, attempt: int, state: Any) -> None:
        self._subtask, self._state = subtask, state

    def get_index_of_this_subtask(self) -> int:
        return self._subtask

    def get_state(self, descriptor: Any) -> Any:
        return value_state(self._state, descriptor, lambda: 0)

    def get_list_state(self, descriptor: Any) -> Any:
        return list_state(self._state, descriptor, lambda: 0)

    def get_map_state(self, descriptor: Any) -> Any:
        return map_state(self._state, descriptor, lambda: 0)

    def get_reducing_state(self, descriptor: Any) -> Any:
        return reducing_state(self._state, descriptor, lambda: 0)

    def get_aggregating_state(self, descriptor: Any) -> Any:
        return aggregating_state(self._state, descriptor, lambda: 0)


class Store:
    """The states of the current key."""

    def __init__(self) -> None:
        self.all: dict[Any, dict[str, Any]] = {}
        self.key: Any = None

    @property
    def values(self) -> dict[str, Any]:
        return self.all.setdefault(self.key, {})


class Timers:
    """The timers of all keys of one operator."""

    def __init__(self) -> None:
        self.set: set[tuple[int, Any]] = set()
        self.key: Any = None
        self.watermark = LEAST

    def register_event_time_timer(self, timestamp: int) -> None:
        self.set.add((timestamp, self.key))

    def delete_event_time_timer(self, timestamp: int) -> None:
        self.set.discard((timestamp, self.key))

    def current_watermark(self) -> int:
        return self.watermark

    def due(self, watermark: int) -> Iterator[tuple[int, Any]]:
        self.watermark = watermark
        while True:
            ready = sorted((one for one in self.set if one[0] <= watermark), key=lambda t: (t[0], key_bytes(t[1])))
            if not ready:
                return
            self.set.discard(ready[0])
            self.key = ready[0][1]
            yield ready[0]


class Context:
    """A process function's context."""

    def __init__(self, timers: Timers) -> None:
        self.timers, self.stamp = timers, None

    def timestamp(self) -> Any:
        return self.stamp

    def timer_service(self) -> Timers:
        return self.timers

    def get_current_key(self) -> Any:
        return self.timers.key


class Node:
    """One operator in one subtask: takes a record, gives (tag, value, stamp)."""

    def __init__(self, operator: Operator, subtask: int, keyed: bool) -> None:
        self.operator, self.keyed = operator, keyed
        behaviour: Any = operator.behaviour
        self.kind = operator.kind
        self.watermark = LEAST
        self.store, self.timers = Store(), Timers()
        self.context = Context(self.timers)
        target = getattr(behaviour, "target", None)
        if isinstance(behaviour, Window):
            target = behaviour.function.target if behaviour.function else None
        self.function = copy.deepcopy(target)  # every subtask has its own
        self.runtime = RuntimeContext(
            name="",
            subtask=subtask,
            parallelism=1,
            attempt=0,
            state=self.store if keyed else None,  # type: ignore[arg-type]
        )
        if hasattr(self.function, "open"):
            self.function.open(self.runtime)
        self.windows: dict[Any, dict[tuple[int, int], list[Any]]] = {}
        triggered = isinstance(behaviour, Window) and not behaviour.is_plain
        self.triggered = TriggeredWindows(behaviour) if triggered else None
        self.rules: dict[str, dict[Any, Any]] = {}
        self.window_states: dict[Any, Store] = {}
        self.latest = LEAST

    def take(self, position: int, value: Any, stamp: int | None, key: Any) -> list[tuple[Any, Any, Any]]:
        self.store.key = self.timers.key = key
        self.context.stamp = stamp  # type: ignore[assignment]
        method: Callable[..., Any] = getattr(self, f"_{self.kind}")
        return list(method(position, value, stamp))

    def rise(self, watermark: int) -> list[tuple[Any, Any, Any]]:
        before, self.watermark = self.watermark, watermark
        if self.triggered is not None:
            return [one for found in self.triggered.rise(watermark) for one in self._fired(found)]
        if self.kind == "window_reduce":
            return list(self._close_windows(before, watermark))
        out = []
        if hasattr(self.function, "on_timer"):
            for when, key in self.timers.due(watermark):
                self.store.key = key
                self.context.stamp = when  # type: ignore[assignment]
                out += [_tagged(item, when) for item in self.function.on_timer(when, self.context) or ()]
        return out

    # --- operators

    def _call(self, name: str) -> Callable[..., Any]:
        found = getattr(self.function, name, None)
        return found if callable(found) else self.function  # type: ignore[return-value]

    def _map(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        yield None, self._call("map")(value), stamp

    def _filter(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        if self._call("filter")(value):
            yield None, value, stamp

    def _flat_map(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        for one in self._call("flat_map")(value) or ():
            yield None, one, stamp

    def _process(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        for one in self.function.process_element(value, self.context) or ():
            yield _tagged(one, stamp)

    def _async_map(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        made = asyncio.run(self._call("async_invoke")(value))
        for one in made if hasattr(self.function, "async_invoke") else (made,):
            yield None, one, stamp

    def _co_map(self, position: int, value: Any, stamp: Any) -> Iterator[Any]:
        yield None, getattr(self.function, f"map{position + 1}")(value), stamp

    def _co_flat_map(self, position: int, value: Any, stamp: Any) -> Iterator[Any]:
        for one in getattr(self.function, f"flat_map{position + 1}")(value) or ():
            yield None, one, stamp

    def _broadcast(self, position: int, value: Any, stamp: Any) -> Iterator[Any]:
        context: Any = self.context
        context.get_broadcast_state = lambda descriptor: _Rules(self.rules.setdefault(descriptor.name, {}))
        context.apply_to_keyed_state = self._apply_to_keys
        call = self.function.process_broadcast_element if position else self.function.process_element
        for one in call(value, context) or ():
            yield _tagged(one, stamp)

    def _apply_to_keys(self, descriptor: Any, function: Any) -> None:
        for key in sorted(self.store.all, key=key_bytes):
            if descriptor.name in self.store.all[key]:
                self.store.key = key
                function(key, self.runtime.get_state(descriptor))

    def _co_process(self, position: int, value: Any, stamp: Any) -> Iterator[Any]:
        if hasattr(self.function, "process_broadcast_element"):
            yield from self._broadcast(position, value, stamp)
            return
        call = getattr(self.function, f"process_element{position + 1}")
        for one in call(value, self.context) or ():
            yield _tagged(one, stamp)

    def _watermarks(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        behaviour = self.operator.behaviour
        assert isinstance(behaviour, Watermarks)
        if behaviour.assigner is not None:
            stamp = behaviour.assigner.target(value)
        self.latest = max(self.latest, stamp - behaviour.out_of_orderness - 1)
        yield None, value, stamp

    def _reduced(self, value: Any, reduce: Callable[[Any, Any], Any]) -> Any:
        held = self.store.values
        held["r"] = reduce(held["r"], value) if "r" in held else value
        return held["r"]

    def _reduce(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        yield None, self._reduced(value, self._call("reduce")), stamp

    def _sum(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        behaviour = self.operator.behaviour
        assert isinstance(behaviour, Aggregate) and isinstance(behaviour.field, int)
        at = behaviour.field
        best = {"sum": lambda a, b: a + b, "min": min, "max": max}[self.kind]
        yield None, self._reduced(value, lambda a, b: (*a[:at], best(a[at], b[at]), *a[at + 1 :])), stamp

    _min = _max = _sum

    # --- windows

    def _fired(self, found: Any) -> Iterator[Any]:
        key, window, held, stamp = found
        for tag, made, _ in self._result(key, window, held):
            yield tag, made, stamp

    def _window_reduce(self, _: int, value: Any, stamp: int) -> Iterator[Any]:
        shape = self.operator.behaviour
        assert isinstance(shape, Window)
        if self.triggered is not None:
            fired, late = self.triggered.take(self.store.key, value, stamp, self.watermark)
            for found in fired:
                yield from self._fired(found)
            if late and shape.late_tag is not None:
                yield shape.late_tag, value, stamp
            return
        mine, key, taken = self.windows.setdefault(self.store.key, {}), self.store.key, False
        for window in _windows_of(shape, stamp):
            held: list[Any] = []
            if shape.assigner == "session":
                met = sorted(w for w in mine if w[0] <= window[1] and window[0] <= w[1])
                for other in met:
                    held += mine.pop(other)
                if met:
                    window = (min(window[0], met[0][0]), max(window[1], *(w[1] for w in met)))
            else:
                held = mine.pop(window, [])
            if window[1] - 1 + shape.lateness <= self.watermark:
                continue
            taken = True
            mine[window] = [*held, value]
            if window[1] - 1 <= self.watermark:
                yield from self._result(key, window, mine[window])
        if not taken and stamp + shape.lateness <= self.watermark and shape.late_tag is not None:
            yield shape.late_tag, value, stamp

    def _close_windows(self, before: int, watermark: int) -> Iterator[Any]:
        shape = self.operator.behaviour
        assert isinstance(shape, Window)
        ripe = [
            (window[1] - 1, key_bytes(key), window, key)
            for key, windows in self.windows.items()
            for window in windows
            if before < window[1] - 1 <= watermark
        ]
        for _, _, window, key in sorted(ripe, key=lambda one: one[:3]):
            yield from self._result(key, window, self.windows[key][window])
        for key, windows in self.windows.items():
            for window in [w for w in windows if w[1] - 1 + shape.lateness <= watermark]:
                del windows[window]
                self.window_states.pop((key, window), None)

    def _result(self, key: Any, window: tuple[int, ...], held: list[Any]) -> Iterator[Any]:
        shape = self.operator.behaviour
        assert isinstance(shape, Window)
        if shape.form == "reduce":
            made = held[0]
            for one in held[1:]:
                made = self._call("reduce")(made, one)
            results: Any = [made]
        elif shape.form == "aggregate":
            accumulator = self.function.create_accumulator()
            for one in held:
                accumulator = self.function.add(one, accumulator)
            results = [self.function.get_result(accumulator)]
        else:
            self.store.key = key
            results = self.function.process(key, _WindowContext(self, key, window), list(held))
        for one in results:
            yield _tagged(one, window[-1] - 1 if window else None)


class _WindowContext:
    def __init__(self, node: Node, key: Any, window: tuple[int, ...]) -> None:
        self._node, self._window = node, window
        self._own = node.window_states.setdefault((key, window), Store())

    def window(self) -> TimeWindow | None:
        return TimeWindow(*self._window) if len(self._window) == 2 else None

    def window_state(self) -> RuntimeContext:
        return RuntimeContext(name="", subtask=0, parallelism=1, attempt=0, state=self._own)  # type: ignore[arg-type]

    def global_state(self) -> RuntimeContext:
        return self._node.runtime


class _Rules:
    """Broadcast state as a plain dict."""

    def __init__(self, kept: dict[Any, Any]) -> None:
        self._kept = kept
        self.get, self.items, self.keys, self.put = kept.get, kept.items, kept.keys, kept.__setitem__

    def remove(self, key: Any) -> None:
        self._kept.pop(key, None)


def _tagged(item: Any, stamp: Any) -> tuple[Any, Any, Any]:
    if isinstance(item, tuple) and len(item) == 2 and hasattr(item[0], "tag_id"):
        return item[0].tag_id, item[1], stamp
    return None, item, stamp


def _windows_of(shape: Window, stamp: int) -> list[tuple[int, int]]:
    if shape.assigner == "session":
        return [(stamp, stamp + shape.size)]
    step = shape.slide if shape.assigner == "sliding" and shape.slide else shape.size
    start = stamp - (stamp - shape.offset) % step
    found = []
    while start > stamp - shape.size:
        found.append((start, start + shape.size))
        start -= step
    return found
