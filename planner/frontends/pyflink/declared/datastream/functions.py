"""`pyflink.datastream.functions` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Generic, TypeVar

from planner.frontends.pyflink.declared.datastream.state import (
    AggregatingState,
    BroadcastState,
    ListState,
    MapState,
    ReadOnlyBroadcastState,
    ReducingState,
    ValueState,
)
from planner.frontends.pyflink.declared.datastream.time_domain import TimeDomain
from planner.frontends.pyflink.declared.datastream.timerservice import TimerService
from planner.frontends.pyflink.declared.metrics.metricbase import MetricGroup
from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "IN",
    "IN1",
    "IN2",
    "KEY",
    "OUT",
    "W2",
    "AggregateFunction",
    "AllWindowFunction",
    "AsyncFunction",
    "AsyncFunctionDescriptor",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BaseBroadcastProcessFunction",
    "BroadcastProcessFunction",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStateStore",
    "MapFunction",
    "NullByteKeySelector",
    "Partitioner",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "W",
    "WindowFunction",
]


W = TypeVar("W")

W2 = TypeVar("W2")

IN = TypeVar("IN")

IN1 = TypeVar("IN1")

IN2 = TypeVar("IN2")

OUT = TypeVar("OUT")

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
