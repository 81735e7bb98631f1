"""Event-time windows as Flink's window operator has them: re-firing within the allowed lateness, late records apart.

Runs on workers. A window's state is its accumulator, or its records where the function wants them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_runner.executor.roles.plain import method
from spark_runner.executor.roles.windows import NO_EVENT_TIME, Bounds, assigned
from spark_runner.executor.state import END_OF_TIME, TimeWindow
from spark_runner.executor.streaming.contexts import StreamRuntime, StreamWindowContext
from spark_runner.executor.streaming.keyed import KeyedOperator
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.store import Domain
from spark_runner.executor.streaming.window_contents import NoWindowState, OneWindow, drop_states

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["WindowOperator"]

_WINDOWS = "\0windows"


class WindowOperator(KeyedOperator):
    """Windows of every key."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        shape = spec.options["window"]
        self.assigner, self.form = shape["assigner"], shape["form"]
        self.size, self.slide, self.offset = shape["size"], shape["slide"], shape["offset"]
        self.lateness = int(shape.get("lateness") or 0)
        self.late_tag: str | None = shape.get("late_tag")

    # --- records

    def push(self, value: Any, stamp: int | None) -> None:
        if stamp is None:
            raise ValueError(NO_EVENT_TIME)
        taken = False
        for bounds in assigned(self.assigner, stamp, self.size, self.slide, self.offset):
            taken |= self._add_to(bounds, value)
        if not taken and stamp + self.lateness <= self.watermark:
            self.late += 1
            if self.late_tag is not None:
                self.emit_side(self.late_tag, value, stamp)

    def _add_to(self, bounds: Bounds, value: Any) -> bool:
        """Put a record into a window. False where the window is over."""
        windows = self.store.values.setdefault(_WINDOWS, {})
        if self.assigner == "session":
            bounds = self._merged(windows, bounds)
        if self._cleanup(bounds) <= self.watermark:
            if not windows:
                del self.store.values[_WINDOWS]
            return False
        self._add(windows, bounds, value)
        if bounds[1] - 1 <= self.watermark:
            self._give(bounds, windows[bounds])
        else:
            self.store.set_timer("event", bounds[1] - 1, bounds)
        self.store.set_timer("event", self._cleanup(bounds), bounds)
        return True

    def _cleanup(self, bounds: Bounds) -> int:
        """From which watermark on nothing of a window is kept."""
        return min(bounds[1] - 1 + self.lateness, END_OF_TIME)

    def _merged(self, windows: dict[Bounds, Any], bounds: Bounds) -> Bounds:
        """The session that a new one makes together with those it meets, their contents moved into it."""
        met = sorted(other for other in windows if other[0] <= bounds[1] and bounds[0] <= other[1])
        whole = (min([bounds[0], *(o[0] for o in met)]), max([bounds[1], *(o[1] for o in met)]))
        if not met or met == [whole]:
            return whole
        contents = [windows.pop(other) for other in met]
        for other in met:
            self.store.drop_timer("event", other[1] - 1, other)
            self.store.drop_timer("event", self._cleanup(other), other)
        held = contents[0]
        for more in contents[1:]:
            held = self._together(held, more)
        windows[whole] = held
        return whole

    def _together(self, one: Any, other: Any) -> Any:
        if self.form == "reduce":
            return method(self.function, "reduce")(one, other)
        return self.function.merge(one, other) if self.form == "aggregate" else [*one, *other]

    def _add(self, windows: dict[Bounds, Any], bounds: Bounds, value: Any) -> None:
        if self.form == "reduce":
            windows[bounds] = method(self.function, "reduce")(windows[bounds], value) if bounds in windows else value
        elif self.form == "aggregate":
            held = windows[bounds] if bounds in windows else self.function.create_accumulator()
            windows[bounds] = self.function.add(value, held)
        else:
            windows.setdefault(bounds, []).append(value)

    # --- results

    def fire(self, domain: Domain, when: int, window: tuple[int, ...]) -> None:
        bounds: Bounds = (window[0], window[1])
        windows = self.store.values.get(_WINDOWS, {})
        if when == bounds[1] - 1 and bounds in windows:
            self._give(bounds, windows[bounds])
        if when == self._cleanup(bounds):
            self._clear(bounds, windows)

    def _clear(self, bounds: Bounds, windows: dict[Bounds, Any]) -> None:
        windows.pop(bounds, None)
        if not windows:
            self.store.values.pop(_WINDOWS, None)
        drop_states(self.store.values, bounds)

    def _give(self, bounds: Bounds, held: Any) -> None:
        self.emit_all(self._result(bounds, held), bounds[1] - 1)

    def _result(self, bounds: Bounds, held: Any) -> Any:
        if self.form == "reduce":
            return (held,)
        if self.form == "aggregate":
            return (self.function.get_result(held),)
        window = TimeWindow(*bounds)
        elements = list(held)
        if callable(apply := getattr(self.function, "apply", None)):
            return apply(self.store.key, window, elements)
        at = StreamWindowContext(self, window, self.runtime(), self._own_state(bounds))
        return method(self.function, "process")(self.store.key, at, elements)

    def _own_state(self, bounds: Bounds) -> StreamRuntime:
        if self.assigner == "session":
            return StreamRuntime(self.task, self.spec.name, NoWindowState())
        return StreamRuntime(self.task, self.spec.name, OneWindow(self.store, bounds))
