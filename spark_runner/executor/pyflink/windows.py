"""Windows as PyFlink's window operator has them: any assigner, any trigger, merging windows, late records. On workers.

A window's state lies under the window it began as, since sessions grow; timers belong to the window as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from spark_runner.executor.pyflink.keyed import PyKeyed
from spark_runner.executor.pyflink.window_contexts import AssignerContext, FunctionContext, TriggerContext, own_state
from spark_runner.executor.roles.plain import method
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.store import Domain

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["Windows"]

MAX_TIME = 2**63 - 1
_CONTENTS, _MERGING, _NAMED = "\0contents", "\0merging", "\0named"  # names of a key's state


class Windows(PyKeyed):
    """Windows of every key."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        shape = spec.options["window"]
        self.assigner, self.trigger, self.form = shape.assigner, shape.trigger, shape.form
        self.lateness, self.late_tag = shape.lateness, shape.late_tag
        self.inner, self.outer = shape.function, shape.window_function
        self.all_records = shape.all_records
        self.merges = hasattr(self.assigner, "merge_windows")

    def open(self) -> None:
        super().open()
        runtime = self.runtime()
        self.at_assigner = AssignerContext(self, runtime)
        self.at_trigger = TriggerContext(self, self.trigger)
        self.at_function = FunctionContext(self, runtime)
        self.call = self._function()

    def functions(self) -> tuple[Any, ...]:
        return tuple(one for one in (self.inner, self.outer) if one is not None)

    # --- records

    def take(self, position: int, value: Any, stamp: int | None) -> None:
        time = -(2**63) if stamp is None else stamp
        self.stamp = stamp
        taken = False
        for window in self.assigner.assign_windows(value, time, self.at_assigner):
            taken |= self._add_to(window, value, time)
        if not taken and self._is_late(time):
            self.late += 1
            if self.late_tag is not None and self.late_tag in self.tags:
                self.emit_side(self.late_tag, self.tags[self.late_tag](value), stamp)

    def _add_to(self, window: Any, value: Any, time: int) -> bool:
        """Put a record into a window. False where the window is over."""
        if self.merges:
            window = self._merged(window)
        if self.assigner.is_event_time() and self.cleanup_time(window) <= self.watermark:
            self._retire(window)
            return False
        home = self._home(window)
        contents = self._contents()
        contents[home] = self._added(contents.get(home), value)
        self.at_trigger.window = window
        self._follow(self.at_trigger.on_element(value, time), window, home)
        self._at_cleanup(window, self.at_trigger.register_timer)
        return True

    def _is_late(self, time: int) -> bool:
        return bool(self.assigner.is_event_time()) and time + self.lateness <= self.watermark

    def _contents(self) -> dict[Any, Any]:
        return self.store.values.setdefault(_CONTENTS, {})  # type: ignore[no-any-return]

    def _added(self, held: Any, value: Any) -> Any:
        if self.form == "reduce":
            return value if held is None else method(self.inner, "reduce")(held, value)
        if self.form == "aggregate":
            return self.inner.add(value, self.inner.create_accumulator() if held is None else held)
        records = [] if held is None else held
        records.append(value)
        return records

    # --- merging windows

    def _mapping(self) -> dict[Any, Any]:
        """The windows of the key, and the window under which each one's state lies."""
        return self.store.values.setdefault(_MERGING, {})  # type: ignore[no-any-return]

    def _home(self, window: Any) -> Any:
        return self._mapping().get(window) if self.merges else window

    def _retire(self, window: Any) -> None:
        if self.merges:
            self._mapping().pop(window, None)

    def _merged(self, new: Any) -> Any:
        """The window that a new one makes together with those it meets."""
        mapping, merges = self._mapping(), _Merges()
        self.assigner.merge_windows([*mapping, new], merges)
        result, met = new, False
        for whole, parts in merges.found:
            old = [part for part in parts if part in mapping]
            if new in parts:
                result, met = whole, True
            homes = [mapping.pop(part) for part in old]
            if not homes:
                mapping[whole] = whole
                continue
            mapping[whole] = homes[0]
            if old != [whole]:
                self._join(whole, old, homes)
        if not met:
            mapping.setdefault(new, new)
        return result

    def _join(self, whole: Any, parts: list[Any], homes: list[Any]) -> None:
        self.at_trigger.window = whole
        self.at_trigger.on_merge(parts)
        for part in parts:
            self.at_trigger.window = part
            self.at_trigger.clear()
            self._forget_state(part)
            self._at_cleanup(part, self.at_trigger.delete_timer)
        contents = self._contents()
        held = [contents.pop(home) for home in homes if contents.get(home) is not None]
        if held:
            joined = held[0]
            for more in held[1:]:
                joined = self._together(joined, more)
            contents[homes[0]] = joined

    def _together(self, one: Any, other: Any) -> Any:
        if self.form == "reduce":
            return method(self.inner, "reduce")(one, other)
        return self.inner.merge(one, other) if self.form == "aggregate" else [*one, *other]

    # --- time

    def number_of(self, window: Any) -> tuple[int, ...]:
        """How timers of the current key name a window."""
        numbers, windows = self.store.values.setdefault(_NAMED, ({}, {}))
        number = numbers.get(window)
        if number is None:
            number = numbers[window] = 1 + max(windows, default=0)
            windows[number] = window
        return (number,)

    def _forget(self, number: tuple[int, ...]) -> None:
        """A window without timers needs no number any more; what is empty is not kept."""
        entry, values = self.store.current, self.store.values
        assert entry is not None
        waiting = (timer for timers in entry.timers.values() for timer in timers)
        if not any(window == number for _, window in waiting):
            numbers, windows = values.get(_NAMED, ({}, {}))
            numbers.pop(windows.pop(number[0], None), None)
            if not windows:
                values.pop(_NAMED, None)
        for name in (_CONTENTS, _MERGING):
            if not values.get(name, True):
                del values[name]

    def cleanup_time(self, window: Any) -> int:
        """When nothing of a window is kept any more."""
        last = int(window.max_timestamp())
        return min(last + self.lateness, MAX_TIME) if self.assigner.is_event_time() else last

    def _at_cleanup(self, window: Any, call: Callable[[Domain, int, Any], None]) -> None:
        when = self.cleanup_time(window)
        if when != MAX_TIME:
            call("event" if self.assigner.is_event_time() else "processing", when, window)

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        _, windows = self.store.values.get(_NAMED, ({}, {}))
        mine = windows.get(window[0])
        home = None if mine is None else self._home(mine)
        if home is None:
            self._forget(window)
            return
        self.stamp = when
        self.at_trigger.window = mine
        self._follow(self.at_trigger.on_time(domain, when), mine, home)
        event = bool(self.assigner.is_event_time())
        if event == (domain == "event") and when == self.cleanup_time(mine):
            self._clear(mine, home)
        self._forget(window)

    def _clear(self, window: Any, home: Any) -> None:
        self._contents().pop(home, None)
        self.at_trigger.window = window
        self.at_trigger.clear()
        self.at_function.turn(window)
        function = self.outer if self.form in ("reduce", "aggregate") else self.inner
        clearing = getattr(function, "clear", None)
        if callable(clearing):
            clearing(self.at_function)
        self._forget_state(window)
        self._retire(window)

    def _forget_state(self, window: Any) -> None:
        """State of a window that holds nothing is not kept."""
        if not self.store.values.get(own_state(window), True):
            del self.store.values[own_state(window)]

    # --- results

    def _follow(self, result: Any, window: Any, home: Any) -> None:
        """Do what a trigger decided."""
        contents = self._contents()
        if result.is_fire() and contents.get(home) is not None:
            held = contents[home]
            self.at_function.turn(window)
            self.give_all(self.call(window, held), self.stamp)
        if result.is_purge():
            contents.pop(home, None)

    def _function(self) -> Callable[[Any, Any], Iterable[Any]]:
        if self.form == "aggregate":
            return self._behind(lambda held: self.inner.get_result(held))
        if self.form == "reduce":
            return self._behind(lambda held: held)
        calling = self._calling(self.inner)
        return lambda window, held: calling(window, list(held))

    def _behind(self, result: Callable[[Any], Any]) -> Callable[[Any, Any], Iterable[Any]]:
        """An incremental result by itself, or given to a window function as its only record."""
        if self.outer is None:
            return lambda window, held: [result(held)]
        calling = self._calling(self.outer)
        return lambda window, held: calling(window, [result(held)])

    def _calling(self, function: Any) -> Callable[[Any, list[Any]], Any]:
        key = (lambda: ()) if self.all_records else (lambda: (self.store.key,))
        if callable(getattr(function, "apply", None)):
            return lambda window, records: function.apply(*key(), window, records)
        return lambda window, records: function.process(*key(), self.at_function, records)


class _Merges:
    """Is told by an assigner which windows become one."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, list[Any]]] = []

    def merge(self, to_be_merged: Iterable[Any], merge_result: Any) -> None:
        """These became this one."""
        self.found.append((merge_result, list(to_be_merged)))
