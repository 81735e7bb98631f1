"""What PyFlink functions see: runtime, record and timer contexts. Runs on workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_runner.executor.pyflink.lasting import lasting_state
from spark_runner.executor.streaming.contexts import StreamRuntime
from spark_runner.executor.streaming.layout import OperatorSpec

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["KeyedContext", "PlainContext", "PyRuntime", "clock"]

NO_TIMESTAMP = -(2**63)


def clock() -> int:
    """Processing time in milliseconds."""
    return int(time.time() * 1000)


class PyRuntime(StreamRuntime):
    """What open() gets: where the function runs, its state, and metrics that nobody reads."""

    def __init__(self, task: Subtask, spec: OperatorSpec, state: Any) -> None:
        super().__init__(task, task.vertex.name, state)
        self._metrics = Metrics()

    def get_task_name_with_subtasks(self) -> str:
        return f"{super().get_task_name_with_subtasks()}#0"  # the attempt

    def get_max_number_of_parallel_subtasks(self) -> int:
        return self._task.vertex.max_parallelism

    def get_metrics_group(self) -> Metrics:
        return self._metrics

    def get_state(self, descriptor: Any) -> Any:
        return self._lasting("value", descriptor) or super().get_state(descriptor)

    def get_list_state(self, descriptor: Any) -> Any:
        return self._lasting("list", descriptor) or super().get_list_state(descriptor)

    def get_map_state(self, descriptor: Any) -> Any:
        return self._lasting("map", descriptor) or super().get_map_state(descriptor)

    def get_reducing_state(self, descriptor: Any) -> Any:
        return self._lasting("reducing", descriptor) or super().get_reducing_state(descriptor)

    def get_aggregating_state(self, descriptor: Any) -> Any:
        return self._lasting("aggregating", descriptor) or super().get_aggregating_state(descriptor)

    def _lasting(self, kind: str, descriptor: Any) -> Any:
        return lasting_state(kind, descriptor, self._keyed(), self._task.processing_time)


class Metrics:
    """A metric group: counters count, and nobody reports them."""

    def add_group(self, name: str, extra: str | None = None) -> Metrics:
        return self

    def counter(self, name: str) -> Counter:
        return Counter()

    def gauge(self, name: str, obj: Callable[[], int]) -> None:
        """Never asked."""

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Counter:
        return Counter()

    def distribution(self, name: str) -> Counter:
        return Counter()


class Counter:
    """A counter, a meter and a distribution."""

    def __init__(self) -> None:
        self._count = 0

    def inc(self, n: int = 1) -> None:
        self._count += n

    def dec(self, n: int = 1) -> None:
        self._count -= n

    def get_count(self) -> int:
        return self._count

    def mark_event(self, value: int = 1) -> None:
        self._count += value

    def update(self, value: int) -> None:
        self._count += value


class PlainTimers:
    """The timer service of a stream without keys: times only."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator

    def current_processing_time(self) -> int:
        return int(self._operator.task.processing_time())

    def current_watermark(self) -> int:
        return int(self._operator.watermark)

    def register_processing_time_timer(self, timestamp: int) -> None:
        raise Exception("Register timers is only supported on a keyed stream.")

    def register_event_time_timer(self, timestamp: int) -> None:
        raise Exception("Register timers is only supported on a keyed stream.")

    def delete_processing_time_timer(self, timestamp: int) -> None:
        raise Exception("Delete timers is only supported on a keyed streams.")

    def delete_event_time_timer(self, timestamp: int) -> None:
        raise Exception("Delete timers is only supported on a keyed streams.")


class KeyedTimers(PlainTimers):
    """The timer service of the current key."""

    def register_processing_time_timer(self, timestamp: int) -> None:
        self._operator.set_timer("processing", int(timestamp), ())

    def register_event_time_timer(self, timestamp: int) -> None:
        self._operator.set_timer("event", int(timestamp), ())

    def delete_processing_time_timer(self, timestamp: int) -> None:
        self._operator.drop_timer("processing", int(timestamp), ())

    def delete_event_time_timer(self, timestamp: int) -> None:
        self._operator.drop_timer("event", int(timestamp), ())


class PlainContext:
    """What a process function gets beside the record."""

    _timers: PlainTimers

    def __init__(self, operator: Any) -> None:
        self._operator = operator
        self._timers = PlainTimers(operator)
        self.stamp: int | None = None

    def timestamp(self) -> int | None:
        return NO_TIMESTAMP if self.stamp is None else self.stamp

    def timer_service(self) -> PlainTimers:
        return self._timers

    def current_processing_time(self) -> int:
        return self._timers.current_processing_time()

    def current_watermark(self) -> int:
        return self._timers.current_watermark()


class KeyedContext(PlainContext):
    """What a keyed process function gets beside the record, and beside a timer's time."""

    def __init__(self, operator: Any) -> None:
        super().__init__(operator)
        self._timers = KeyedTimers(operator)
        self.domain: Any = None

    def get_current_key(self) -> Any:
        return self._operator.store.key

    def time_domain(self) -> Any:
        return self.domain
