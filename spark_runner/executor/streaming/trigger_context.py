"""What a trigger can ask and set, for one window of the current key. Runs on workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_runner.executor.streaming.contexts import StreamRuntime
from spark_runner.executor.streaming.window_contents import OneWindow

if TYPE_CHECKING:
    from spark_runner.executor.streaming.triggered import TriggeredWindowOperator

__all__ = ["TriggerContext"]

_STATES = {
    "ListStateDescriptor": "get_list_state",
    "MapStateDescriptor": "get_map_state",
    "ReducingStateDescriptor": "get_reducing_state",
    "AggregatingStateDescriptor": "get_aggregating_state",
}


class TriggerContext:
    """The operator turns it to a window before it asks the trigger."""

    def __init__(self, operator: TriggeredWindowOperator) -> None:
        self._operator = operator
        self.window: tuple[int, ...] = ()
        self.merging: list[tuple[int, ...]] = []

    def get_current_processing_time(self) -> int:
        return int(self._operator.task.now)

    def get_current_watermark(self) -> int:
        return int(self._operator.watermark)

    def register_event_time_timer(self, time: int) -> None:
        self._operator.set_timer("event", int(time), self.window)

    def register_processing_time_timer(self, time: int) -> None:
        self._operator.set_timer("processing", int(time), self.window)

    def delete_event_time_timer(self, time: int) -> None:
        self._drop("event", time)

    def delete_processing_time_timer(self, time: int) -> None:
        self._drop("processing", time)

    def _drop(self, domain: Any, time: int) -> None:
        self._operator.drop_timer(domain, int(time), self.window)

    def get_partitioned_state(self, state_descriptor: Any) -> Any:
        """The window's own state."""
        return self._state(state_descriptor, self.window)

    def merge_partitioned_state(self, state_descriptor: Any) -> None:
        """The states of the windows that become one, in the new one."""
        into = self._state(state_descriptor, self.window)
        if not hasattr(into, "add"):
            raise RuntimeError("only states that values are added to can be merged: list, reducing, aggregating")
        for window in self.merging:
            if window != self.window:
                state = self._state(state_descriptor, window)
                kept = state.get()
                for one in kept if hasattr(into, "add_all") else () if kept is None else (kept,):
                    into.add(one)
                state.clear()

    def _state(self, descriptor: Any, window: tuple[int, ...]) -> Any:
        operator = self._operator
        runtime = StreamRuntime(operator.task, operator.spec.name, OneWindow(operator.store, window))
        kind = next((name for cls in type(descriptor).__mro__ if (name := _STATES.get(cls.__name__))), "get_state")
        return getattr(runtime, kind)(descriptor)
