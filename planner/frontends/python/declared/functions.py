"""What users extend and what running functions are handed: functions, state, timers, metrics.

PyFlink's classes with their methods and arguments. Functions run on workers, so this module goes there too.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Self, TypeVar

from planner.frontends.python.differences import UNSAID, Interface, required, said
from planner.frontends.python.recorded import Recorded
from planner.frontends.python.values.times import Duration, Time

__all__ = [
    "IN",
    "IN1",
    "IN2",
    "KEY",
    "OUT",
    "W2",
    "AggregateFunction",
    "AggregatingState",
    "AggregatingStateDescriptor",
    "AllWindowFunction",
    "AppendingState",
    "AsyncFunction",
    "AsyncFunctionDescriptor",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BaseBroadcastProcessFunction",
    "BroadcastProcessFunction",
    "BroadcastState",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "Counter",
    "Distribution",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "K",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStateStore",
    "ListState",
    "ListStateDescriptor",
    "MapFunction",
    "MapState",
    "MapStateDescriptor",
    "MergingState",
    "Meter",
    "Metric",
    "MetricGroup",
    "NullByteKeySelector",
    "OperatorStateStore",
    "Partitioner",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReadOnlyBroadcastState",
    "ReduceFunction",
    "ReducingState",
    "ReducingStateDescriptor",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "State",
    "StateDescriptor",
    "StateTtlConfig",
    "T",
    "TimeDomain",
    "TimerService",
    "V",
    "ValueState",
    "ValueStateDescriptor",
    "W",
    "WindowFunction",
]


# --- pyflink.metrics.metricbase ---


class MetricGroup(Interface):
    @required
    def add_group(self, name: Any, extra: Any = None) -> MetricGroup: ...
    @required
    def counter(self, name: Any) -> Counter: ...
    @required
    def gauge(self, name: Any, obj: Any) -> Any: ...
    @required
    def meter(self, name: Any, time_span_in_seconds: Any = 60) -> Meter: ...
    @required
    def distribution(self, name: Any) -> Distribution: ...


class Metric(Interface):
    pass


class Counter(Metric):
    @required
    def inc(self, n: Any = 1) -> Any: ...
    @required
    def dec(self, n: Any = 1) -> Any: ...
    @required
    def get_count(self) -> int: ...


class Meter(Metric):
    @required
    def mark_event(self, value: Any = 1) -> Any: ...
    @required
    def get_count(self) -> int: ...


class Distribution(Metric):
    @required
    def update(self, value: Any) -> Any: ...


# --- pyflink.datastream.time_domain ---


class TimeDomain(Enum):
    EVENT_TIME = 0
    PROCESSING_TIME = 1


# --- pyflink.datastream.timerservice ---


class TimerService(Interface):
    @required
    def current_processing_time(self) -> Any: ...
    @required
    def current_watermark(self) -> Any: ...
    @required
    def register_processing_time_timer(self, timestamp: Any) -> Any: ...
    @required
    def register_event_time_timer(self, timestamp: Any) -> Any: ...
    def delete_processing_time_timer(self, timestamp: Any) -> Any: ...
    def delete_event_time_timer(self, timestamp: Any) -> Any: ...


# --- pyflink.datastream.state ---


T = TypeVar("T")


K = TypeVar("K")


V = TypeVar("V")


IN = TypeVar("IN")


OUT = TypeVar("OUT")


class OperatorStateStore(Interface):
    @required
    def get_broadcast_state(self, state_descriptor: Any) -> BroadcastState: ...


class State(Interface):
    @required
    def clear(self) -> Any: ...


class ValueState(State):
    @required
    def value(self) -> Any: ...
    @required
    def update(self, value: Any) -> Any: ...


class AppendingState(State):
    @required
    def get(self) -> Any: ...
    @required
    def add(self, value: Any) -> Any: ...


class MergingState(AppendingState):
    pass


class ReducingState(MergingState):
    pass


class AggregatingState(MergingState):
    pass


class ListState(MergingState):
    @required
    def update(self, values: Any) -> Any: ...
    @required
    def add_all(self, values: Any) -> Any: ...


class MapState(State):
    @required
    def get(self, key: Any) -> Any: ...
    @required
    def put(self, key: Any, value: Any) -> Any: ...
    @required
    def put_all(self, dict_value: Any) -> Any: ...
    @required
    def remove(self, key: Any) -> Any: ...
    @required
    def contains(self, key: Any) -> bool: ...
    @required
    def items(self) -> Any: ...
    @required
    def keys(self) -> Any: ...
    @required
    def values(self) -> Any: ...
    @required
    def is_empty(self) -> bool: ...


class ReadOnlyBroadcastState(State):
    @required
    def get(self, key: Any) -> Any: ...
    @required
    def contains(self, key: Any) -> bool: ...
    @required
    def items(self) -> Any: ...
    @required
    def keys(self) -> Any: ...
    @required
    def values(self) -> Any: ...
    @required
    def is_empty(self) -> bool: ...


class BroadcastState(ReadOnlyBroadcastState):
    @required
    def put(self, key: Any, value: Any) -> Any: ...
    @required
    def put_all(self, dict_value: Any) -> Any: ...
    @required
    def remove(self, key: Any) -> Any: ...


class StateDescriptor:
    """The name of a state, and the type of what is in it."""

    state_kind = "value"

    def __init__(self, name: str, type_info: Any = UNSAID) -> None:
        self.name = name
        self.type_info = said(type_info, "type_info")
        self.time_to_live: StateTtlConfig | None = None

    def get_name(self) -> str:
        """The name."""
        return self.name

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Let the state go by itself. Runs as a stream only: a batch forgets a key after its last record."""
        self.time_to_live = ttl_config


class ValueStateDescriptor(StateDescriptor):
    """One value per key."""

    def __init__(self, name: str, value_type_info: Any = UNSAID) -> None:
        super().__init__(name, said(value_type_info, "value_type_info"))


class ListStateDescriptor(StateDescriptor):
    """A list per key."""

    state_kind = "list"

    def __init__(self, name: str, elem_type_info: Any = UNSAID) -> None:
        super().__init__(name, said(elem_type_info, "elem_type_info"))


class MapStateDescriptor(StateDescriptor):
    """A map per key."""

    state_kind = "map"

    def __init__(self, name: str, key_type_info: Any = UNSAID, value_type_info: Any = UNSAID) -> None:
        super().__init__(name, None)
        del self.type_info
        self.key_type_info = said(key_type_info, "key_type_info")
        self.value_type_info = said(value_type_info, "value_type_info")


class ReducingStateDescriptor(StateDescriptor):
    """One value per key, reduced as values are added."""

    state_kind = "reducing"

    def __init__(self, name: str, reduce_function: Any, type_info: Any = UNSAID) -> None:
        super().__init__(name, said(type_info, "type_info"))
        self.reduce_function = reduce_function

    def get_reduce_function(self) -> Any:
        """The function."""
        return self.reduce_function


class AggregatingStateDescriptor(StateDescriptor):
    """One aggregate per key."""

    state_kind = "aggregating"

    def __init__(self, name: str, agg_function: Any, state_type_info: Any = UNSAID) -> None:
        super().__init__(name, said(state_type_info, "state_type_info"))
        self.agg_function = agg_function

    def get_agg_function(self) -> Any:
        """The function."""
        return self.agg_function


class StateTtlConfig(Recorded):
    """How long state lives, in processing time: `StateTtlConfig.new_builder(Time.hours(1)).build()`."""

    class UpdateType(Enum):
        Disabled = 0
        OnCreateAndWrite = 1
        OnReadAndWrite = 2

    class StateVisibility(Enum):
        ReturnExpiredIfNotCleanedUp = 0
        NeverReturnExpired = 1

    class TtlTimeCharacteristic(Enum):
        ProcessingTime = 0

    def __init__(
        self, update_type: Any, state_visibility: Any, ttl_time_characteristic: Any, ttl: Any, cleanup_strategies: Any
    ) -> None: ...
    @staticmethod
    def new_builder(ttl: Any) -> StateTtlConfig.Builder: ...
    def get_update_type(self) -> StateTtlConfig.UpdateType: ...
    def get_state_visibility(self) -> StateTtlConfig.StateVisibility: ...
    def get_ttl(self) -> Time: ...
    def get_ttl_time_characteristic(self) -> StateTtlConfig.TtlTimeCharacteristic: ...
    def is_enabled(self) -> bool: ...
    def get_cleanup_strategies(self) -> StateTtlConfig.CleanupStrategies: ...

    class Builder(Recorded):
        def __init__(self, ttl: Any) -> None: ...
        def set_update_type(self, update_type: Any) -> Self: ...
        def update_ttl_on_create_and_write(self) -> StateTtlConfig.Builder: ...
        def update_ttl_on_read_and_write(self) -> StateTtlConfig.Builder: ...
        def set_state_visibility(self, state_visibility: Any) -> Self: ...
        def return_expired_if_not_cleaned_up(self) -> StateTtlConfig.Builder: ...
        def never_return_expired(self) -> StateTtlConfig.Builder: ...
        def set_ttl_time_characteristic(self, ttl_time_characteristic: Any) -> Self: ...
        def use_processing_time(self) -> StateTtlConfig.Builder: ...
        def cleanup_full_snapshot(self) -> Self: ...
        def cleanup_incrementally(self, cleanup_size: Any, run_cleanup_for_every_record: Any) -> Self: ...
        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: Any, periodic_compaction_time: Any = None
        ) -> Self: ...
        def disable_cleanup_in_background(self) -> Self: ...
        def set_ttl(self, ttl: Any) -> Self: ...
        def build(self) -> StateTtlConfig: ...

    class CleanupStrategies(Recorded):
        class Strategies(Enum):
            FULL_STATE_SCAN_SNAPSHOT = 0
            INCREMENTAL_CLEANUP = 1
            ROCKSDB_COMPACTION_FILTER = 2

        class CleanupStrategy:
            pass

        class EmptyCleanupStrategy(CleanupStrategy):
            pass

        class IncrementalCleanupStrategy(CleanupStrategy):
            def __init__(self, cleanup_size: Any, run_cleanup_for_every_record: Any) -> None: ...
            def get_cleanup_size(self) -> int: ...
            def run_cleanup_for_every_record(self) -> bool: ...

        class RocksdbCompactFilterCleanupStrategy(CleanupStrategy):
            def __init__(self, query_time_after_num_entries: Any, periodic_compaction_time: Any = None) -> None: ...
            def get_query_time_after_num_entries(self) -> int: ...
            def get_periodic_compaction_time(self) -> Duration: ...

        def __init__(self, strategies: Any, is_cleanup_in_background: Any) -> None: ...
        def is_cleanup_in_background(self) -> bool: ...
        def in_full_snapshot(self) -> bool: ...
        def get_incremental_cleanup_strategy(self) -> StateTtlConfig.CleanupStrategies.IncrementalCleanupStrategy: ...
        def get_rocksdb_compact_filter_cleanup_strategy(
            self,
        ) -> StateTtlConfig.CleanupStrategies.RocksdbCompactFilterCleanupStrategy: ...


# --- pyflink.datastream.functions ---


W = TypeVar("W")


W2 = TypeVar("W2")


IN1 = TypeVar("IN1")


IN2 = TypeVar("IN2")


KEY = TypeVar("KEY")


class KeyedStateStore(Interface):
    @required
    def get_state(self, state_descriptor: Any) -> ValueState: ...
    @required
    def get_list_state(self, state_descriptor: Any) -> ListState: ...
    @required
    def get_map_state(self, state_descriptor: Any) -> MapState: ...
    @required
    def get_reducing_state(self, state_descriptor: Any) -> ReducingState: ...
    @required
    def get_aggregating_state(self, state_descriptor: Any) -> AggregatingState: ...


class RuntimeContext(KeyedStateStore):
    @required
    def get_task_name(self) -> str: ...
    @required
    def get_number_of_parallel_subtasks(self) -> int: ...
    @required
    def get_max_number_of_parallel_subtasks(self) -> int: ...
    @required
    def get_index_of_this_subtask(self) -> int: ...
    @required
    def get_attempt_number(self) -> int: ...
    @required
    def get_task_name_with_subtasks(self) -> str: ...
    @required
    def get_job_parameter(self, key: Any, default_value: Any) -> Any: ...
    @required
    def get_metrics_group(self) -> MetricGroup: ...


class Function(Interface):
    """What every user function has: a life before and after its records."""

    def open(self, runtime_context: Any, /) -> Any: ...
    def close(self) -> Any: ...


class MapFunction(Function):
    """One record in, one out."""

    @required
    def map(self, value: Any, /) -> Any: ...


class CoMapFunction(Function):
    """A map for each of two inputs."""

    @required
    def map1(self, value: Any, /) -> Any: ...
    @required
    def map2(self, value: Any, /) -> Any: ...


class FlatMapFunction(Function):
    """One record in, any number out."""

    @required
    def flat_map(self, value: Any, /) -> Any: ...


class CoFlatMapFunction(Function):
    """A flat map for each of two inputs."""

    @required
    def flat_map1(self, value: Any, /) -> Any: ...
    @required
    def flat_map2(self, value: Any, /) -> Any: ...


class ReduceFunction(Function):
    """Two records of one key become one."""

    @required
    def reduce(self, value1: Any, value2: Any, /) -> Any: ...


class AggregateFunction(Function):
    """An incremental aggregate."""

    @required
    def create_accumulator(self) -> Any: ...
    @required
    def add(self, value: Any, accumulator: Any, /) -> Any: ...
    @required
    def get_result(self, accumulator: Any, /) -> Any: ...
    @required
    def merge(self, acc_a: Any, acc_b: Any, /) -> Any: ...


class KeySelector(Function):
    """The key of a record."""

    @required
    def get_key(self, value: Any, /) -> Any: ...


class NullByteKeySelector(KeySelector):
    """One key for all records."""

    def get_key(self, value: Any, /) -> Any: ...


class FilterFunction(Function):
    """Whether a record stays."""

    @required
    def filter(self, value: Any, /) -> Any: ...


class Partitioner(Function):
    """The subtask of a key."""

    @required
    def partition(self, key: Any, num_partitions: Any, /) -> int: ...


class SourceFunction(Recorded, Function):
    """A legacy source: one of Java's, or a class of a planner job with `run()`. `parallel = False`: it runs alone."""

    parallel: bool = True

    def __init__(self, source_func: Any = UNSAID) -> None:
        said(source_func, "source_func")


class SinkFunction(Recorded, Function):
    """A legacy sink: one of Java's, or a class of a planner job with `invoke()`."""

    def __init__(self, sink_func: Any = UNSAID) -> None:
        said(sink_func, "sink_func")


class ProcessFunction(Function):
    """A record with its time, and side outputs."""

    class Context(Interface):
        @required
        def timer_service(self) -> TimerService: ...
        @required
        def timestamp(self) -> int: ...

    @required
    def process_element(self, value: Any, ctx: Any, /) -> Any: ...


class KeyedProcessFunction(Function):
    """A keyed record with state and timers."""

    class Context(Interface):
        @required
        def get_current_key(self) -> Any: ...
        @required
        def timer_service(self) -> TimerService: ...
        @required
        def timestamp(self) -> int: ...

    class OnTimerContext(Context):
        @required
        def time_domain(self) -> TimeDomain: ...

    @required
    def process_element(self, value: Any, ctx: Any, /) -> Any: ...
    def on_timer(self, timestamp: Any, ctx: Any, /) -> Any: ...


class CoProcessFunction(Function):
    """Two inputs."""

    class Context(Interface):
        @required
        def timer_service(self) -> TimerService: ...
        @required
        def timestamp(self) -> int: ...

    @required
    def process_element1(self, value: Any, ctx: Any, /) -> Any: ...
    @required
    def process_element2(self, value: Any, ctx: Any, /) -> Any: ...


class KeyedCoProcessFunction(Function):
    """Two keyed inputs with shared state."""

    class Context(Interface):
        @required
        def get_current_key(self) -> Any: ...
        @required
        def timer_service(self) -> TimerService: ...
        @required
        def timestamp(self) -> int: ...

    class OnTimerContext(Context):
        @required
        def time_domain(self) -> TimeDomain: ...

    @required
    def process_element1(self, value: Any, ctx: Any, /) -> Any: ...
    @required
    def process_element2(self, value: Any, ctx: Any, /) -> Any: ...
    def on_timer(self, timestamp: Any, ctx: Any, /) -> Any: ...


class AsyncRetryPredicate(Interface):
    """Which results and errors are tried again."""

    @required
    def result_predicate(self) -> Any: ...
    @required
    def exception_predicate(self) -> Any: ...


class AsyncRetryStrategy(Interface):
    """When a failed call is tried again."""

    @required
    def can_retry(self, current_attempts: Any) -> bool: ...
    @required
    def get_backoff_time_millis(self, current_attempts: Any) -> int: ...
    @required
    def get_retry_predicate(self) -> Any: ...
    @staticmethod
    def no_restart() -> Any: ...
    @staticmethod
    def fixed_delay(
        max_attempts: Any, backoff_time_millis: Any, result_predicate: Any, exception_predicate: Any
    ) -> Any: ...
    @staticmethod
    def exponential_backoff(
        max_attempts: Any,
        initial_delay: Any,
        max_retry_delay: Any,
        multiplier: Any,
        result_predicate: Any,
        exception_predicate: Any,
    ) -> Any: ...


class AsyncFunction(Function):
    """A record that is answered later; `timeout(value)` answers where that takes too long."""

    @required
    async def async_invoke(self, value: Any, /) -> Any: ...
    def timeout(self, value: Any, /) -> Any: ...


class AsyncFunctionDescriptor(Recorded):
    class OutputMode(Enum):
        ORDERED = 0
        UNORDERED = 1

    def __init__(
        self, async_function: Any, timeout: Any, capacity: Any, async_retry_strategy: Any, output_mode: Any
    ) -> None: ...


class WindowFunction(Function):
    """All records of a key and window."""

    @required
    def apply(self, key: Any, window: Any, inputs: Any, /) -> Any: ...


class AllWindowFunction(Function):
    """All records of a window."""

    @required
    def apply(self, window: Any, inputs: Any, /) -> Any: ...


class ProcessWindowFunction(Function):
    """All records of a key and window, with a context."""

    class Context(Interface):
        @required
        def window(self) -> Any: ...
        @required
        def current_processing_time(self) -> int: ...
        @required
        def current_watermark(self) -> int: ...
        @required
        def window_state(self) -> KeyedStateStore: ...
        @required
        def global_state(self) -> KeyedStateStore: ...

    @required
    def process(self, key: Any, context: Any, elements: Any, /) -> Any: ...
    def clear(self, context: Any, /) -> Any: ...


class ProcessAllWindowFunction(Function):
    """All records of a window, with a context."""

    class Context(Interface):
        @required
        def window(self) -> Any: ...
        @required
        def window_state(self) -> KeyedStateStore: ...
        @required
        def global_state(self) -> KeyedStateStore: ...

    @required
    def process(self, context: Any, elements: Any, /) -> Any: ...
    def clear(self, context: Any, /) -> Any: ...


class BaseBroadcastProcessFunction(Function):
    class BaseContext(Interface):
        @required
        def timestamp(self) -> int: ...
        @required
        def current_processing_time(self) -> int: ...
        @required
        def current_watermark(self) -> int: ...

    class Context(BaseContext):
        @required
        def get_broadcast_state(self, state_descriptor: Any) -> BroadcastState: ...

    class ReadOnlyContext(BaseContext):
        @required
        def get_broadcast_state(self, state_descriptor: Any) -> ReadOnlyBroadcastState: ...


class BroadcastProcessFunction(BaseBroadcastProcessFunction):
    """Records, and rules that every subtask gets: `ctx.get_broadcast_state(descriptor)` is a map of them."""

    class Context(BaseBroadcastProcessFunction.Context):
        pass

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext):
        pass

    @required
    def process_element(self, value: Any, ctx: Any, /) -> Any: ...
    @required
    def process_broadcast_element(self, value: Any, ctx: Any, /) -> Any: ...


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction):
    """Keyed records with state and timers, and rules that every subtask gets."""

    class Context(BaseBroadcastProcessFunction.Context):
        pass

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext):
        @required
        def timer_service(self) -> TimerService: ...
        @required
        def get_current_key(self) -> Any: ...

    class OnTimerContext(ReadOnlyContext):
        @required
        def time_domain(self) -> TimeDomain: ...
        @required
        def get_current_key(self) -> Any: ...

    @required
    def process_element(self, value: Any, ctx: Any, /) -> Any: ...
    @required
    def process_broadcast_element(self, value: Any, ctx: Any, /) -> Any: ...
    def on_timer(self, timestamp: Any, ctx: Any, /) -> Any: ...
