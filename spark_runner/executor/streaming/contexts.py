"""What user functions see in a stream: runtime, record and window contexts. Runs on workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_runner.executor.state import (
    AggregatingState,
    ListState,
    MapState,
    ReducingState,
    RuntimeContext,
    TimeWindow,
    ValueState,
    descriptor_name,
)
from spark_runner.executor.streaming.expiring import ExpiringListState, ExpiringMapState, ExpiringStore, Expiry

if TYPE_CHECKING:
    from spark_runner.executor.streaming.keyed import KeyedOperator
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["StreamContext", "StreamRuntime", "StreamTimers", "StreamWindowContext"]


class StreamRuntime(RuntimeContext):
    """Where a function runs, and its state. A batch that runs again is the same attempt."""

    def __init__(self, task: Subtask, name: str, state: Any) -> None:
        super().__init__(name=name, subtask=task.subtask, parallelism=task.vertex.parallelism, attempt=0, state=state)
        self._task = task

    def get_state(self, descriptor: Any) -> ValueState:
        self._declare("value", descriptor, "type_info")
        return ValueState(self._store_for(descriptor), descriptor_name(descriptor))

    def get_reducing_state(self, descriptor: Any) -> ReducingState:
        self._declare("reducing state", descriptor, "type_info")
        state = super().get_reducing_state(descriptor)
        state._store = self._store_for(descriptor)
        return state

    def get_aggregating_state(self, descriptor: Any) -> AggregatingState:
        self._declare("aggregating state", descriptor, "state_type_info")
        state = super().get_aggregating_state(descriptor)
        state._store = self._store_for(descriptor)
        return state

    def get_list_state(self, descriptor: Any) -> ListState:
        self._declare("list", descriptor, "type_info")
        expiry = self._expiry(descriptor)
        if expiry is None:
            return super().get_list_state(descriptor)
        return ExpiringListState(self._keyed(), descriptor_name(descriptor), expiry)

    def get_map_state(self, descriptor: Any) -> MapState:
        self._declare("map", descriptor, "key_type_info", "value_type_info")
        expiry = self._expiry(descriptor)
        if expiry is None:
            return super().get_map_state(descriptor)
        return ExpiringMapState(self._keyed(), descriptor_name(descriptor), expiry)

    def _declare(self, kind: str, descriptor: Any, *parts: str) -> None:
        """Compare a state with what the checkpoint has under its name."""
        declare = getattr(self._keyed(), "declare", None)
        if declare is not None:
            lasting = "" if getattr(descriptor, "time_to_live", None) is None else " with a time to live"
            types = [getattr(descriptor, part, None) for part in parts]
            told = None if None in types else " to ".join(map(_type_name, types))
            declare(descriptor_name(descriptor), kind + lasting, told)

    def _store_for(self, descriptor: Any) -> Any:
        expiry = self._expiry(descriptor)
        return self._keyed() if expiry is None else ExpiringStore(self._keyed(), expiry)

    def _expiry(self, descriptor: Any) -> Expiry | None:
        config = getattr(descriptor, "time_to_live", None)
        return None if config is None else Expiry(config, lambda: self._task.now)


class StreamTimers:
    """A function's timer service. Processing time is the batch's: the same when a batch runs again."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator

    def current_processing_time(self) -> int:
        return int(self._operator.task.now)

    def current_watermark(self) -> int:
        return int(self._operator.watermark)

    def register_event_time_timer(self, timestamp: int) -> None:
        self._keyed().set_timer("event", int(timestamp), ())

    def register_processing_time_timer(self, timestamp: int) -> None:
        self._keyed().set_timer("processing", int(timestamp), ())

    def delete_event_time_timer(self, timestamp: int) -> None:
        self._keyed().drop_timer("event", int(timestamp), ())

    def delete_processing_time_timer(self, timestamp: int) -> None:
        self._keyed().drop_timer("processing", int(timestamp), ())

    def _keyed(self) -> KeyedOperator:
        if not self._operator.spec.keyed:
            raise RuntimeError("timers need a keyed stream: call key_by() before this operator")
        return self._operator  # type: ignore[no-any-return]


class StreamContext:
    """What process_element and on_timer get beside the record."""

    def __init__(self, operator: Any, state: Any) -> None:
        self._state = state
        self._timers = StreamTimers(operator)
        self.stamp: int | None = None
        self.domain = "event"

    def timestamp(self) -> int | None:
        return self.stamp

    def timer_service(self) -> StreamTimers:
        return self._timers

    def get_current_key(self) -> Any:
        return self._state.key if self._state is not None else None

    def time_domain(self) -> str:
        return f"{self.domain.upper()}_TIME"


class StreamWindowContext:
    """What a window's process() gets: the window, where event time stands, and state of the key and of the window."""

    def __init__(self, operator: Any, window: TimeWindow, whole: Any, own: Any) -> None:
        self._operator, self._window, self._whole, self._own = operator, window, whole, own

    def window(self) -> TimeWindow:
        return self._window

    def current_watermark(self) -> int:
        return int(self._operator.watermark)

    def current_processing_time(self) -> int:
        return int(self._operator.task.now)

    def global_state(self) -> Any:
        return self._whole

    def window_state(self) -> Any:
        return self._own


def _type_name(type_info: Any) -> str:
    to_ddl = getattr(type_info, "to_ddl", None)
    return str(to_ddl()).removeprefix("value ") if callable(to_ddl) else str(type_info)
