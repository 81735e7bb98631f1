"""What user functions see: the runtime, a record's context, timers. One family for every operator. Runs on workers.

The two dialects differ where Flink's Java API and PyFlink do: a missing event time is None or the least number, and
PyFlink's messages are its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_runner.executor.state import (
    NO_TIMESTAMP,
    AggregatingState,
    ListState,
    MapState,
    ReducingState,
    Values,
    ValueState,
    aggregating_state,
    lifetime_of,
    list_state,
    map_state,
    reducing_state,
    value_state,
)

if TYPE_CHECKING:
    from spark_runner.executor.operators import Operator

__all__ = ["Context", "Metrics", "Runtime", "TimerService", "state_of"]

_NO_KEYS = Values({})
DOMAINS = {"event": "EVENT_TIME", "processing": "PROCESSING_TIME"}


class Runtime:
    """What a function's open() gets: where it runs, its states, and metrics that nobody reads."""

    def __init__(self, operator: Operator, store: Any) -> None:
        self._task, self._store = operator.task, store
        self._script = operator.script
        self._name = operator.task.name if self._script else operator.spec.name
        self._metrics = Metrics()

    def get_task_name(self) -> str:
        return self._name

    def get_task_name_with_subtasks(self) -> str:
        attempt = "#0" if self._script else ""
        return f"{self._name} ({self._task.subtask + 1}/{self._task.parallelism}){attempt}"

    def get_number_of_parallel_subtasks(self) -> int:
        return int(self._task.parallelism)

    def get_max_number_of_parallel_subtasks(self) -> int:
        return int(self._task.max_parallelism)

    def get_index_of_this_subtask(self) -> int:
        return int(self._task.subtask)

    def get_attempt_number(self) -> int:
        return int(self._task.attempt)

    def get_job_parameter(self, key: str, default_value: Any = None) -> Any:
        return default_value

    def get_metrics_group(self) -> Metrics:
        return self._metrics

    def get_state(self, descriptor: Any) -> ValueState:
        self._declare("value", descriptor, "type_info")
        return value_state(self._keyed(), descriptor, self._task.processing_time)

    def get_list_state(self, descriptor: Any) -> ListState:
        self._declare("list", descriptor, "type_info")
        return list_state(self._keyed(), descriptor, self._task.processing_time)

    def get_map_state(self, descriptor: Any) -> MapState:
        self._declare("map", descriptor, "key_type_info", "value_type_info")
        return map_state(self._keyed(), descriptor, self._task.processing_time)

    def get_reducing_state(self, descriptor: Any) -> ReducingState:
        self._declare("reducing state", descriptor, "type_info")
        return reducing_state(self._keyed(), descriptor, self._task.processing_time)

    def get_aggregating_state(self, descriptor: Any) -> AggregatingState:
        self._declare("aggregating state", descriptor, "type_info")
        return aggregating_state(self._keyed(), descriptor, self._task.processing_time)

    def _keyed(self) -> Any:
        if self._store is None:
            raise RuntimeError("keyed state needs a keyed stream: call key_by() before this operator")
        return self._store

    def _declare(self, kind: str, descriptor: Any, *parts: str) -> None:
        """Compare a state with what the checkpoint has under its name."""
        declare = getattr(self._keyed(), "declare", None)
        if declare is not None:
            lasting = "" if lifetime_of(descriptor) is None else " with a time to live"
            types = [getattr(descriptor, part, None) for part in parts]
            told = None if None in types else " to ".join(map(_type_name, types))
            declare(descriptor.name, kind + lasting, told)


def state_of(runtime: Runtime, descriptor: Any) -> Any:
    """The state that a descriptor of any kind describes."""
    return _STATES[getattr(descriptor, "state_kind", "value")](runtime, descriptor)


_STATES: dict[str, Callable[[Runtime, Any], Any]] = {
    "value": Runtime.get_state,
    "list": Runtime.get_list_state,
    "map": Runtime.get_map_state,
    "reducing": Runtime.get_reducing_state,
    "aggregating": Runtime.get_aggregating_state,
}


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


class TimerService:
    """A function's timers and clocks. In a stream, processing time is the batch's: the same when it runs again."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self.current_processing_time: Callable[[], int] = operator.task.processing_time

    def current_watermark(self) -> int:
        return self._operator.watermark

    def register_event_time_timer(self, timestamp: int) -> None:
        self._operator.set_timer("event", int(timestamp))

    def register_processing_time_timer(self, timestamp: int) -> None:
        self._operator.set_timer("processing", int(timestamp))

    def delete_event_time_timer(self, timestamp: int) -> None:
        self._operator.drop_timer("event", int(timestamp))

    def delete_processing_time_timer(self, timestamp: int) -> None:
        self._operator.drop_timer("processing", int(timestamp))


class Context:
    """What functions get beside a record, and beside a timer's time."""

    def __init__(self, operator: Operator) -> None:
        self._operator, self._script = operator, operator.script
        self._timers = TimerService(operator)
        self._keyed: Any = getattr(operator, "store", _NO_KEYS)
        self.stamp: int | None = None
        self.domain: Any = operator.spec.options.get("domains", DOMAINS)["event"]

    def timestamp(self) -> int | None:
        return NO_TIMESTAMP if self.stamp is None and self._script else self.stamp

    def timer_service(self) -> TimerService:
        return self._timers

    def current_processing_time(self) -> int:
        return self._timers.current_processing_time()

    def current_watermark(self) -> int:
        return self._timers.current_watermark()

    def get_current_key(self) -> Any:
        return self._keyed.key

    def time_domain(self) -> Any:
        return self.domain


def _type_name(type_info: Any) -> str:
    to_ddl = getattr(type_info, "to_ddl", None)
    return str(to_ddl() or "pickled objects").removeprefix("value ") if callable(to_ddl) else str(type_info)
