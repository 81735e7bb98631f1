"""What assigners, triggers and window functions of PyFlink can ask. Runs on workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_runner.executor.pyflink.contexts import Metrics, PyRuntime
from spark_runner.executor.streaming.store import Domain

if TYPE_CHECKING:
    from spark_runner.executor.pyflink.windows import Windows

__all__ = ["AssignerContext", "FunctionContext", "TriggerContext", "own_state"]

_STATES = {
    "ValueStateDescriptor": "get_state",
    "ListStateDescriptor": "get_list_state",
    "MapStateDescriptor": "get_map_state",
    "ReducingStateDescriptor": "get_reducing_state",
    "AggregatingStateDescriptor": "get_aggregating_state",
}


class AssignerContext:
    """What an assigner can ask."""

    def __init__(self, operator: Windows, runtime: PyRuntime) -> None:
        self._operator, self._runtime = operator, runtime

    def get_current_processing_time(self) -> int:
        return self._operator.task.processing_time()

    def get_runtime_context(self) -> PyRuntime:
        return self._runtime


def own_state(window: Any) -> Any:
    """Under which name a key keeps the state of one window."""
    return "\0window", window


class OfWindow:
    """The current key's state for one window alone."""

    def __init__(self, operator: Windows, window: Any) -> None:
        self._operator, self._window = operator, window

    @property
    def key(self) -> Any:
        return self._operator.store.key

    @property
    def values(self) -> dict[str, Any]:
        values: dict[Any, Any] = self._operator.store.values
        return values.setdefault(own_state(self._window), {})  # type: ignore[no-any-return]


class TriggerContext:
    """What a trigger can ask and set, for one window of the current key."""

    def __init__(self, operator: Windows, trigger: Any) -> None:
        self._operator, self._trigger = operator, trigger
        self.window: Any = None
        self._merging: list[Any] = []

    # --- what triggers call

    def get_current_processing_time(self) -> int:
        return self._operator.task.processing_time()

    def get_metric_group(self) -> Metrics:
        return Metrics()

    def get_current_watermark(self) -> int:
        return int(self._operator.watermark)

    def register_processing_time_timer(self, time: int) -> None:
        self.register_timer("processing", time, self.window)

    def register_event_time_timer(self, time: int) -> None:
        self.register_timer("event", time, self.window)

    def delete_processing_time_timer(self, time: int) -> None:
        self.delete_timer("processing", time, self.window)

    def delete_event_time_timer(self, time: int) -> None:
        self.delete_timer("event", time, self.window)

    def get_partitioned_state(self, state_descriptor: Any) -> Any:
        return self._state(state_descriptor, self.window)

    def merge_partitioned_state(self, state_descriptor: Any) -> None:
        """The state of the windows that become one, in the new one."""
        into = self._state(state_descriptor, self.window)
        if not hasattr(into, "add"):
            raise Exception("The given state descriptor does not refer to a mergeable state (MergingState)")
        for window in self._merging:
            if window == self.window:
                continue
            state = self._state(state_descriptor, window)
            kept = state.get()
            for one in kept if hasattr(into, "add_all") else () if kept is None else (kept,):
                into.add(one)
            state.clear()

    # --- what the operator calls

    def register_timer(self, domain: Domain, when: int, window: Any) -> None:
        self._operator.set_timer(domain, int(when), self._operator.number_of(window))

    def delete_timer(self, domain: Domain, when: int, window: Any) -> None:
        self._operator.drop_timer(domain, int(when), self._operator.number_of(window))

    def on_element(self, value: Any, time: int) -> Any:
        return self._trigger.on_element(value, time, self.window, self)

    def on_time(self, domain: Domain, when: int) -> Any:
        if domain == "event":
            return self._trigger.on_event_time(when, self.window, self)
        return self._trigger.on_processing_time(when, self.window, self)

    def on_merge(self, windows: list[Any]) -> None:
        self._merging = windows
        self._trigger.on_merge(self.window, self)

    def clear(self) -> None:
        self._trigger.clear(self.window, self)

    def _state(self, descriptor: Any, window: Any) -> Any:
        operator = self._operator
        runtime = PyRuntime(operator.task, operator.spec, OfWindow(operator, window))
        kind = next(name for cls in type(descriptor).__mro__ if (name := _STATES.get(cls.__name__)))
        return getattr(runtime, kind)(descriptor)


class FunctionContext:
    """What a window function gets: the window, times, and state of the key and of the window."""

    def __init__(self, operator: Windows, runtime: PyRuntime) -> None:
        self._operator, self._runtime = operator, runtime
        self._window: Any = None

    def turn(self, window: Any) -> None:
        """Make a window the current one."""
        self._window = window

    def window(self) -> Any:
        return self._window

    def current_processing_time(self) -> int:
        return self._operator.task.processing_time()

    def current_watermark(self) -> int:
        return int(self._operator.watermark)

    def global_state(self) -> PyRuntime:
        return self._runtime

    def window_state(self) -> Any:
        if self._operator.merges:
            return NoWindowState()
        return PyRuntime(self._operator.task, self._operator.spec, OfWindow(self._operator, self._window))


class NoWindowState:
    """Windows that merge have no state of their own."""

    def _refuse(self, descriptor: Any) -> Any:
        raise Exception("Per-window state is not allowed when using merging windows.")

    get_state = get_list_state = get_map_state = get_reducing_state = get_aggregating_state = _refuse
