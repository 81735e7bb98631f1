"""What users extend and what running functions are handed: functions, state, timers, metrics.

PyFlink's classes with their methods and arguments, and no code: `recorded` keeps the calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Generic, Self, TypeVar

from planner.frontends.pyflink.recorded import Recorded
from planner.frontends.pyflink.values.times import Duration, Time

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


class MetricGroup(ABC):
    @abstractmethod
    def add_group(self, name: Any, extra: Any = None) -> MetricGroup: ...
    @abstractmethod
    def counter(self, name: Any) -> Counter: ...
    @abstractmethod
    def gauge(self, name: Any, obj: Any) -> Any: ...
    @abstractmethod
    def meter(self, name: Any, time_span_in_seconds: Any = 60) -> Meter: ...
    @abstractmethod
    def distribution(self, name: Any) -> Distribution: ...


class Metric(ABC):
    pass


class Counter(Metric, ABC):
    @abstractmethod
    def inc(self, n: Any = 1) -> Any: ...
    @abstractmethod
    def dec(self, n: Any = 1) -> Any: ...
    @abstractmethod
    def get_count(self) -> int: ...


class Meter(Metric, ABC):
    @abstractmethod
    def mark_event(self, value: Any = 1) -> Any: ...
    @abstractmethod
    def get_count(self) -> int: ...


class Distribution(Metric, ABC):
    @abstractmethod
    def update(self, value: Any) -> Any: ...


# --- pyflink.datastream.time_domain ---


class TimeDomain(Enum):
    EVENT_TIME = 0
    PROCESSING_TIME = 1


# --- pyflink.datastream.timerservice ---


class TimerService(ABC):
    @abstractmethod
    def current_processing_time(self) -> Any: ...
    @abstractmethod
    def current_watermark(self) -> Any: ...
    @abstractmethod
    def register_processing_time_timer(self, timestamp: Any) -> Any: ...
    @abstractmethod
    def register_event_time_timer(self, timestamp: Any) -> Any: ...
    def delete_processing_time_timer(self, timestamp: Any) -> Any: ...
    def delete_event_time_timer(self, timestamp: Any) -> Any: ...


# --- pyflink.datastream.state ---


T = TypeVar("T")


K = TypeVar("K")


V = TypeVar("V")


IN = TypeVar("IN")


OUT = TypeVar("OUT")


class OperatorStateStore(ABC):
    @abstractmethod
    def get_broadcast_state(self, state_descriptor: Any) -> BroadcastState: ...


class State(ABC):
    @abstractmethod
    def clear(self) -> Any: ...


class ValueState(State, Generic[T]):
    @abstractmethod
    def value(self) -> Any: ...
    @abstractmethod
    def update(self, value: Any) -> Any: ...


class AppendingState(State, Generic[IN, OUT]):
    @abstractmethod
    def get(self) -> Any: ...
    @abstractmethod
    def add(self, value: Any) -> Any: ...


class MergingState(AppendingState):
    pass


class ReducingState(MergingState):
    pass


class AggregatingState(MergingState):
    pass


class ListState(MergingState):
    @abstractmethod
    def update(self, values: Any) -> Any: ...
    @abstractmethod
    def add_all(self, values: Any) -> Any: ...


class MapState(State, Generic[K, V]):
    @abstractmethod
    def get(self, key: Any) -> Any: ...
    @abstractmethod
    def put(self, key: Any, value: Any) -> Any: ...
    @abstractmethod
    def put_all(self, dict_value: Any) -> Any: ...
    @abstractmethod
    def remove(self, key: Any) -> Any: ...
    @abstractmethod
    def contains(self, key: Any) -> bool: ...
    @abstractmethod
    def items(self) -> Any: ...
    @abstractmethod
    def keys(self) -> Any: ...
    @abstractmethod
    def values(self) -> Any: ...
    @abstractmethod
    def is_empty(self) -> bool: ...


class ReadOnlyBroadcastState(State, Generic[K, V]):
    @abstractmethod
    def get(self, key: Any) -> Any: ...
    @abstractmethod
    def contains(self, key: Any) -> bool: ...
    @abstractmethod
    def items(self) -> Any: ...
    @abstractmethod
    def keys(self) -> Any: ...
    @abstractmethod
    def values(self) -> Any: ...
    @abstractmethod
    def is_empty(self) -> bool: ...


class BroadcastState(ReadOnlyBroadcastState):
    @abstractmethod
    def put(self, key: Any, value: Any) -> Any: ...
    @abstractmethod
    def put_all(self, dict_value: Any) -> Any: ...
    @abstractmethod
    def remove(self, key: Any) -> Any: ...


class StateDescriptor(Recorded):
    def __init__(self, name: Any, type_info: Any) -> None: ...
    def get_name(self) -> str: ...
    def enable_time_to_live(self, ttl_config: Any) -> Any: ...


class ValueStateDescriptor(StateDescriptor):
    def __init__(self, name: Any, value_type_info: Any) -> None: ...


class ListStateDescriptor(StateDescriptor):
    state_kind = "list"

    def __init__(self, name: Any, elem_type_info: Any) -> None: ...


class MapStateDescriptor(StateDescriptor):
    state_kind = "map"

    def __init__(self, name: Any, key_type_info: Any, value_type_info: Any) -> None: ...


class ReducingStateDescriptor(StateDescriptor):
    state_kind = "reducing"

    def __init__(self, name: Any, reduce_function: Any, type_info: Any) -> None: ...
    def get_reduce_function(self) -> Any: ...


class AggregatingStateDescriptor(StateDescriptor):
    state_kind = "aggregating"

    def __init__(self, name: Any, agg_function: Any, state_type_info: Any) -> None: ...
    def get_agg_function(self) -> Any: ...


class StateTtlConfig(Recorded):
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

        class CleanupStrategy(ABC):
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


class KeyedStateStore(ABC):
    @abstractmethod
    def get_state(self, state_descriptor: Any) -> ValueState: ...
    @abstractmethod
    def get_list_state(self, state_descriptor: Any) -> ListState: ...
    @abstractmethod
    def get_map_state(self, state_descriptor: Any) -> MapState: ...
    @abstractmethod
    def get_reducing_state(self, state_descriptor: Any) -> ReducingState: ...
    @abstractmethod
    def get_aggregating_state(self, state_descriptor: Any) -> AggregatingState: ...


class RuntimeContext(KeyedStateStore):
    @abstractmethod
    def get_task_name(self) -> str: ...
    @abstractmethod
    def get_number_of_parallel_subtasks(self) -> int: ...
    @abstractmethod
    def get_max_number_of_parallel_subtasks(self) -> int: ...
    @abstractmethod
    def get_index_of_this_subtask(self) -> int: ...
    @abstractmethod
    def get_attempt_number(self) -> int: ...
    @abstractmethod
    def get_task_name_with_subtasks(self) -> str: ...
    @abstractmethod
    def get_job_parameter(self, key: Any, default_value: Any) -> Any: ...
    @abstractmethod
    def get_metrics_group(self) -> MetricGroup: ...


class Function(ABC):
    def open(self, runtime_context: Any) -> Any: ...
    def close(self) -> Any: ...


class MapFunction(Function):
    @abstractmethod
    def map(self, value: Any) -> Any: ...


class CoMapFunction(Function):
    @abstractmethod
    def map1(self, value: Any) -> Any: ...
    @abstractmethod
    def map2(self, value: Any) -> Any: ...


class FlatMapFunction(Function):
    @abstractmethod
    def flat_map(self, value: Any) -> Any: ...


class CoFlatMapFunction(Function):
    @abstractmethod
    def flat_map1(self, value: Any) -> Any: ...
    @abstractmethod
    def flat_map2(self, value: Any) -> Any: ...


class ReduceFunction(Function):
    @abstractmethod
    def reduce(self, value1: Any, value2: Any) -> Any: ...


class AggregateFunction(Function):
    @abstractmethod
    def create_accumulator(self) -> Any: ...
    @abstractmethod
    def add(self, value: Any, accumulator: Any) -> Any: ...
    @abstractmethod
    def get_result(self, accumulator: Any) -> Any: ...
    @abstractmethod
    def merge(self, acc_a: Any, acc_b: Any) -> Any: ...


class KeySelector(Function):
    @abstractmethod
    def get_key(self, value: Any) -> Any: ...


class NullByteKeySelector(KeySelector):
    def get_key(self, value: Any) -> Any: ...


class FilterFunction(Function):
    @abstractmethod
    def filter(self, value: Any) -> Any: ...


class Partitioner(Function):
    @abstractmethod
    def partition(self, key: Any, num_partitions: Any) -> int: ...


class SourceFunction(Recorded):
    def __init__(self, source_func: Any) -> None: ...


class SinkFunction(Recorded):
    def __init__(self, sink_func: Any) -> None: ...


class ProcessFunction(Function):
    class Context(ABC):
        @abstractmethod
        def timer_service(self) -> TimerService: ...
        @abstractmethod
        def timestamp(self) -> int: ...

    @abstractmethod
    def process_element(self, value: Any, ctx: Any) -> Any: ...


class KeyedProcessFunction(Function):
    class Context(ABC):
        @abstractmethod
        def get_current_key(self) -> Any: ...
        @abstractmethod
        def timer_service(self) -> TimerService: ...
        @abstractmethod
        def timestamp(self) -> int: ...

    class OnTimerContext(Context):
        @abstractmethod
        def time_domain(self) -> TimeDomain: ...

    @abstractmethod
    def process_element(self, value: Any, ctx: Any) -> Any: ...
    def on_timer(self, timestamp: Any, ctx: Any) -> Any: ...


class CoProcessFunction(Function):
    class Context(ABC):
        @abstractmethod
        def timer_service(self) -> TimerService: ...
        @abstractmethod
        def timestamp(self) -> int: ...

    @abstractmethod
    def process_element1(self, value: Any, ctx: Any) -> Any: ...
    @abstractmethod
    def process_element2(self, value: Any, ctx: Any) -> Any: ...


class KeyedCoProcessFunction(Function):
    class Context(ABC):
        @abstractmethod
        def get_current_key(self) -> Any: ...
        @abstractmethod
        def timer_service(self) -> TimerService: ...
        @abstractmethod
        def timestamp(self) -> int: ...

    class OnTimerContext(Context):
        @abstractmethod
        def time_domain(self) -> TimeDomain: ...

    @abstractmethod
    def process_element1(self, value: Any, ctx: Any) -> Any: ...
    @abstractmethod
    def process_element2(self, value: Any, ctx: Any) -> Any: ...
    def on_timer(self, timestamp: Any, ctx: Any) -> Any: ...


class AsyncRetryPredicate(ABC, Generic[OUT]):
    @abstractmethod
    def result_predicate(self) -> Any: ...
    @abstractmethod
    def exception_predicate(self) -> Any: ...


class AsyncRetryStrategy(ABC, Generic[OUT]):
    @abstractmethod
    def can_retry(self, current_attempts: Any) -> bool: ...
    @abstractmethod
    def get_backoff_time_millis(self, current_attempts: Any) -> int: ...
    @abstractmethod
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


class AsyncFunction(Function, Generic[IN, OUT]):
    @abstractmethod
    async def async_invoke(self, value: Any) -> Any: ...
    def timeout(self, value: Any) -> Any: ...


class AsyncFunctionDescriptor(Recorded):
    class OutputMode(Enum):
        ORDERED = 0
        UNORDERED = 1

    def __init__(
        self, async_function: Any, timeout: Any, capacity: Any, async_retry_strategy: Any, output_mode: Any
    ) -> None: ...


class WindowFunction(Function, Generic[IN, OUT, KEY, W]):
    @abstractmethod
    def apply(self, key: Any, window: Any, inputs: Any) -> Any: ...


class AllWindowFunction(Function, Generic[IN, OUT, W]):
    @abstractmethod
    def apply(self, window: Any, inputs: Any) -> Any: ...


class ProcessWindowFunction(Function, Generic[IN, OUT, KEY, W]):
    class Context(ABC, Generic[W2]):
        @abstractmethod
        def window(self) -> Any: ...
        @abstractmethod
        def current_processing_time(self) -> int: ...
        @abstractmethod
        def current_watermark(self) -> int: ...
        @abstractmethod
        def window_state(self) -> KeyedStateStore: ...
        @abstractmethod
        def global_state(self) -> KeyedStateStore: ...

    @abstractmethod
    def process(self, key: Any, context: Any, elements: Any) -> Any: ...
    def clear(self, context: Any) -> Any: ...


class ProcessAllWindowFunction(Function, Generic[IN, OUT, W]):
    class Context(ABC, Generic[W2]):
        @abstractmethod
        def window(self) -> Any: ...
        @abstractmethod
        def window_state(self) -> KeyedStateStore: ...
        @abstractmethod
        def global_state(self) -> KeyedStateStore: ...

    @abstractmethod
    def process(self, context: Any, elements: Any) -> Any: ...
    def clear(self, context: Any) -> Any: ...


class BaseBroadcastProcessFunction(Function):
    class BaseContext(ABC):
        @abstractmethod
        def timestamp(self) -> int: ...
        @abstractmethod
        def current_processing_time(self) -> int: ...
        @abstractmethod
        def current_watermark(self) -> int: ...

    class Context(BaseContext):
        @abstractmethod
        def get_broadcast_state(self, state_descriptor: Any) -> BroadcastState: ...

    class ReadOnlyContext(BaseContext):
        @abstractmethod
        def get_broadcast_state(self, state_descriptor: Any) -> ReadOnlyBroadcastState: ...


class BroadcastProcessFunction(BaseBroadcastProcessFunction, Generic[IN1, IN2, OUT]):
    class Context(BaseBroadcastProcessFunction.Context, ABC):
        pass

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        pass

    @abstractmethod
    def process_element(self, value: Any, ctx: Any) -> Any: ...
    @abstractmethod
    def process_broadcast_element(self, value: Any, ctx: Any) -> Any: ...


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction, Generic[KEY, IN1, IN2, OUT]):
    class Context(BaseBroadcastProcessFunction.Context, ABC):
        pass

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        @abstractmethod
        def timer_service(self) -> TimerService: ...
        @abstractmethod
        def get_current_key(self) -> Any: ...

    class OnTimerContext(ReadOnlyContext, ABC):
        @abstractmethod
        def time_domain(self) -> TimeDomain: ...
        @abstractmethod
        def get_current_key(self) -> Any: ...

    @abstractmethod
    def process_element(self, value: Any, ctx: Any) -> Any: ...
    @abstractmethod
    def process_broadcast_element(self, value: Any, ctx: Any) -> Any: ...
    def on_timer(self, timestamp: Any, ctx: Any) -> Any: ...
