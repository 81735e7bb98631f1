"""Windows of every kind with any trigger: of time, of records, or one for all; sessions with a gap of their own.

Runs on workers. A window is the tuple of its numbers: its bounds, the number of a count window, nothing for a global
one. Its contents are a list of one accumulator, or of none behind a purge. Plain event-time windows have an operator of
their own, which is faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_runner.executor.roles.windows import assigned
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP, TimeWindow
from spark_runner.executor.streaming.contexts import StreamRuntime, StreamWindowContext
from spark_runner.executor.streaming.keyed import KeyedOperator
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.store import Domain
from spark_runner.executor.streaming.trigger_context import TriggerContext
from spark_runner.executor.streaming.window_contents import Contents, NoWindowState, OneWindow, drop_states

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["TriggeredWindowOperator"]

_WINDOWS, _SEEN = "\0windows", "\0seen"
Numbers = tuple[int, ...]


class GlobalWindow:
    """The one window of a key."""

    def max_timestamp(self) -> int:
        return END_OF_TIME


class CountWindow(GlobalWindow):
    """A window of a number of records."""

    def __init__(self, id: int) -> None:
        self.id = id


class TriggeredWindowOperator(KeyedOperator):
    """Windows of every key, and a trigger that is asked at every record and timer."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        shape = spec.options["window"]
        self.assigner, self.size, self.slide, self.offset = (
            shape[name] for name in ("assigner", "size", "slide", "offset")
        )
        self.lateness, self.late_tag = int(shape["lateness"] or 0), shape["late_tag"]
        self.by_clock, self.gap, self.trigger = shape["by_clock"], shape["gap"], shape["trigger"]
        self.timed = self.assigner in ("tumbling", "sliding", "session")
        self.event_time = self.timed and not self.by_clock
        self.contents = Contents(shape["form"], self.function)
        self.at_trigger = TriggerContext(self)

    # --- records

    def push(self, value: Any, stamp: int | None) -> None:
        taken = False
        for window in self._assigned(value, stamp):
            taken |= self._add_to(window, value, stamp)
        if not taken and self.event_time and stamp is not None and stamp + self.lateness <= self.watermark:
            self.late += 1
            if self.late_tag is not None:
                self.emit_side(self.late_tag, value, stamp)

    def _assigned(self, value: Any, stamp: int | None) -> list[Numbers]:
        if self.assigner == "global":
            return [()]
        if self.assigner == "count":
            return self._counted()
        time = self.task.now if self.by_clock else stamp
        if time is None:
            raise ValueError(
                "the record has no event time: put assign_timestamps_and_watermarks in front, or set `time`"
            )
        size = self.size if self.gap is None else int(self.gap(value))
        if size <= 0:
            raise ValueError(f"the gap of a session must be positive, found {size}")
        return list(assigned(self.assigner, time, size, self.slide, self.offset))

    def _counted(self) -> list[Numbers]:
        """The windows that a key's next record belongs to, the latest first."""
        number = self.store.values.get(_SEEN, 0)
        self.store.values[_SEEN] = number + 1
        step = self.slide or self.size
        last = number // step
        return [(n,) for n in range(last, -1, -1) if n * step + self.size > number and n > last - self.size - 1]

    def _add_to(self, window: Numbers, value: Any, stamp: int | None) -> bool:
        """Put a record into a window. False where the window is over."""
        windows = self._windows()
        if self.assigner == "session":
            window = self._merged(windows, window)
        if self.event_time and self._cleanup(window) <= self.watermark:
            windows.pop(window, None)
            return False
        windows[window] = self.contents.added(windows.get(window, []), value)
        self.at_trigger.window = window
        result = self.trigger.on_element(
            value, NO_TIMESTAMP if stamp is None else stamp, self.named(window), self.at_trigger
        )
        self._follow(result, window, stamp)
        self._at_cleanup(window, self.set_timer)
        return True

    def _windows(self) -> dict[Numbers, list[Any]]:
        return self.store.values.setdefault(_WINDOWS, {})  # type: ignore[no-any-return]

    def named(self, window: Numbers) -> Any:
        """The window as triggers and functions see it."""
        if self.timed:
            return TimeWindow(window[0], window[1])
        return CountWindow(window[0]) if window else GlobalWindow()

    # --- sessions

    def _merged(self, windows: dict[Numbers, list[Any]], new: Numbers) -> Numbers:
        """The session that a new one makes together with those it meets, their contents moved into it."""
        met = sorted(other for other in windows if other[0] <= new[1] and new[0] <= other[1])
        whole = (min([new[0], *(o[0] for o in met)]), max([new[1], *(o[1] for o in met)]))
        if not met or met == [whole]:
            return whole
        held = [windows.pop(part) for part in met]
        self.at_trigger.window = whole
        self.at_trigger.merging = met
        self.trigger.on_merge(self.named(whole), self.at_trigger)
        for part in met:
            self.at_trigger.window = part
            self.trigger.clear(self.named(part), self.at_trigger)
            self._at_cleanup(part, self.drop_timer)
        windows[whole] = self.contents.together(held)
        return whole

    # --- time

    def _cleanup(self, window: Numbers) -> int:
        """From which time on nothing of a window is kept."""
        if not self.timed:
            return END_OF_TIME
        return min(window[1] - 1 + (self.lateness if self.event_time else 0), END_OF_TIME)

    def _at_cleanup(self, window: Numbers, call: Any) -> None:
        if self.timed:
            call("event" if self.event_time else "processing", self._cleanup(window), window)

    def fire(self, domain: Domain, when: int, window: Numbers) -> None:
        if self.assigner == "session" and window not in self._windows():
            return
        self.at_trigger.window = window
        asked = self.trigger.on_event_time if domain == "event" else self.trigger.on_processing_time
        self._follow(asked(when, self.named(window), self.at_trigger), window, when)
        if self.timed and (domain == "event") == self.event_time and when == self._cleanup(window):
            self._clear(window)

    def _clear(self, window: Numbers) -> None:
        self._windows().pop(window, None)
        self.at_trigger.window = window
        self.trigger.clear(self.named(window), self.at_trigger)
        drop_states(self.store.values, window)
        self._tidy()

    def _tidy(self) -> None:
        if not self.store.values.get(_WINDOWS, True):
            del self.store.values[_WINDOWS]

    # --- results

    def _follow(self, result: Any, window: Numbers, stamp: int | None) -> None:
        """Do what a trigger decided."""
        windows = self._windows()
        held = windows.get(window, [])
        if result.is_fire() and held:
            self.emit_all(self._result(window, held), window[1] - 1 if self.timed else stamp)
        if result.is_purge():
            if self.timed:
                windows[window] = []
            else:
                windows.pop(window, None)
        self._tidy()

    def _result(self, window: Numbers, held: list[Any]) -> Any:
        if self.contents.form in ("reduce", "aggregate"):
            return (self.contents.result(held),)
        shown, elements = self.named(window), list(held[0])
        if callable(apply := getattr(self.function, "apply", None)):
            return apply(self.store.key, shown, elements)
        own = NoWindowState() if self.assigner == "session" else OneWindow(self.store, window)
        at = StreamWindowContext(self, shown, self.runtime(), StreamRuntime(self.task, self.spec.name, own))
        return self.contents.process(self.store.key, at, elements)
