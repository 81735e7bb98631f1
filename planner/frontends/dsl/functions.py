"""Base classes of user functions and descriptors of their state, by PyFlink's names."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any, ClassVar, TypeAlias

from planner.records import record

__all__ = [
    "AggregateFunction",
    "AggregatingStateDescriptor",
    "AsyncFunction",
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
    "ListStateDescriptor",
    "MapFunction",
    "MapStateDescriptor",
    "OutputTag",
    "Partitioner",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "ReducingStateDescriptor",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "StateDescriptor",
    "StateTtlConfig",
    "ValueStateDescriptor",
]


class RuntimeContext:
    """What a running function may ask; the runner hands in one that answers."""

    def get_task_name(self) -> str:
        """The name of the task."""
        raise _not_running()

    def get_task_name_with_subtasks(self) -> str:
        """The name of the task, with the number of its subtask."""
        raise _not_running()

    def get_number_of_parallel_subtasks(self) -> int:
        """How many subtasks the operator has."""
        raise _not_running()

    def get_index_of_this_subtask(self) -> int:
        """Which of them this is, from 0."""
        raise _not_running()

    def get_attempt_number(self) -> int:
        """How often the subtask was started before."""
        raise _not_running()

    def get_job_parameter(self, key: str, default_value: Any = None) -> Any:
        """A parameter of the job."""
        raise _not_running()

    def get_state(self, descriptor: ValueStateDescriptor) -> Any:
        """One value per key."""
        raise _not_running()

    def get_list_state(self, descriptor: ListStateDescriptor) -> Any:
        """A list per key."""
        raise _not_running()

    def get_map_state(self, descriptor: MapStateDescriptor) -> Any:
        """A map per key."""
        raise _not_running()

    def get_reducing_state(self, descriptor: ReducingStateDescriptor) -> Any:
        """One value per key, reduced as values are added."""
        raise _not_running()

    def get_aggregating_state(self, descriptor: AggregatingStateDescriptor) -> Any:
        """One aggregate per key."""
        raise _not_running()


def _not_running() -> RuntimeError:
    return RuntimeError("this answers only while the job runs")


class Function:
    """What every user function has: a life before and after its records."""

    def open(self, runtime_context: RuntimeContext, /) -> None:
        """Called once before the first record."""

    def close(self) -> None:
        """Called once after the last record."""

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} does not define {method}()")


class _Context:
    """What a process function gets beside the record; the runner hands in one that answers."""

    def timestamp(self) -> int | None:
        """The record's event time in milliseconds; None where it has none."""
        raise _not_running()

    def timer_service(self) -> Any:
        """Reads the time and sets timers."""
        raise _not_running()

    def get_current_key(self) -> Any:
        """The key of the record."""
        raise _not_running()

    def time_domain(self) -> Any:
        """Whether a timer fired by event time or by processing time."""
        raise _not_running()


class MapFunction(Function):
    """One record in, one out."""

    def map(self, value: Any, /) -> Any:
        """The record that this one becomes."""
        raise self._missing("map")


class FlatMapFunction(Function):
    """One record in, any number out."""

    def flat_map(self, value: Any, /) -> Any:
        """The records that this one becomes."""
        raise self._missing("flat_map")


class FilterFunction(Function):
    """Whether a record stays."""

    def filter(self, value: Any, /) -> Any:
        """True: it stays."""
        raise self._missing("filter")


class ReduceFunction(Function):
    """Two records of one key become one."""

    def reduce(self, value1: Any, value2: Any, /) -> Any:
        """The record that both become."""
        raise self._missing("reduce")


class KeySelector(Function):
    """The key of a record."""

    def get_key(self, value: Any, /) -> Any:
        """The key."""
        raise self._missing("get_key")


class Partitioner(Function):
    """The subtask of a key."""

    def partition(self, key: Any, num_partitions: int, /) -> Any:
        """The number of the subtask, from 0."""
        raise self._missing("partition")


class ProcessFunction(Function):
    """A record with its time, and side outputs."""

    Context: TypeAlias = _Context
    OnTimerContext: TypeAlias = _Context

    def process_element(self, value: Any, ctx: Any, /) -> Any:
        """The records that this one becomes."""
        raise self._missing("process_element")


class KeyedProcessFunction(Function):
    """A keyed record with state and timers."""

    Context: TypeAlias = _Context
    OnTimerContext: TypeAlias = _Context

    def process_element(self, value: Any, ctx: Any, /) -> Any:
        """The records that this one becomes."""
        raise self._missing("process_element")


class CoMapFunction(Function):
    """A map for each of two inputs."""

    def map1(self, value: Any, /) -> Any:
        """What a record of the first input becomes."""
        raise self._missing("map1")

    def map2(self, value: Any, /) -> Any:
        """What a record of the second input becomes."""
        raise self._missing("map2")


class CoFlatMapFunction(Function):
    """A flat map for each of two inputs."""

    def flat_map1(self, value: Any, /) -> Any:
        """What a record of the first input becomes."""
        raise self._missing("flat_map1")

    def flat_map2(self, value: Any, /) -> Any:
        """What a record of the second input becomes."""
        raise self._missing("flat_map2")


class CoProcessFunction(Function):
    """Two inputs."""

    Context: TypeAlias = _Context
    OnTimerContext: TypeAlias = _Context

    def process_element1(self, value: Any, ctx: Any, /) -> Any:
        """What a record of the first input becomes."""
        raise self._missing("process_element1")

    def process_element2(self, value: Any, ctx: Any, /) -> Any:
        """What a record of the second input becomes."""
        raise self._missing("process_element2")


class KeyedCoProcessFunction(Function):
    """Two keyed inputs with shared state."""

    Context: TypeAlias = _Context
    OnTimerContext: TypeAlias = _Context

    def process_element1(self, value: Any, ctx: Any, /) -> Any:
        """What a record of the first input becomes."""
        raise self._missing("process_element1")

    def process_element2(self, value: Any, ctx: Any, /) -> Any:
        """What a record of the second input becomes."""
        raise self._missing("process_element2")


class BroadcastProcessFunction(Function):
    """Records, and rules that every subtask gets: `ctx.get_broadcast_state(descriptor)` is a map of them."""

    Context: TypeAlias = _Context
    ReadOnlyContext: TypeAlias = _Context

    def process_element(self, value: Any, ctx: Any, /) -> Any:
        """What a record becomes; the broadcast state can only be read."""
        raise self._missing("process_element")

    def process_broadcast_element(self, value: Any, ctx: Any, /) -> Any:
        """What a broadcast record becomes; it may change the broadcast state."""
        raise self._missing("process_broadcast_element")


class KeyedBroadcastProcessFunction(BroadcastProcessFunction):
    """Keyed records with state and timers, and rules that every subtask gets."""

    OnTimerContext: TypeAlias = _Context


class AggregateFunction(Function):
    """An incremental aggregate."""

    def create_accumulator(self) -> Any:
        """An accumulator of no records."""
        raise self._missing("create_accumulator")

    def add(self, value: Any, accumulator: Any, /) -> Any:
        """The accumulator with one record more."""
        raise self._missing("add")

    def get_result(self, accumulator: Any, /) -> Any:
        """What the accumulator stands for."""
        raise self._missing("get_result")

    def merge(self, a: Any, b: Any, /) -> Any:
        """One accumulator for both."""
        raise self._missing("merge")


class ProcessWindowFunction(Function):
    """All records of a key and window."""

    Context: TypeAlias = _Context
    OnTimerContext: TypeAlias = _Context

    def process(self, key: Any, context: Any, elements: Any, /) -> Any:
        """The records that the window becomes."""
        raise self._missing("process")


class AsyncFunction(Function):
    """A record that is answered later; `timeout(value)` answers where that takes too long."""

    def async_invoke(self, value: Any, /) -> Any:
        """The answer, awaited."""
        raise self._missing("async_invoke")


class SinkFunction(Function):
    """Takes each record out of the job."""

    def invoke(self, value: Any, context: Any = None, /) -> None:
        """Take one record."""
        raise self._missing("invoke")


class SourceFunction(Function):
    """A legacy source; `parallel = False` on the class makes it one that cannot run in parallel."""

    parallel: bool = True

    def run(self, ctx: Any, /) -> None:
        """Emit records."""
        raise self._missing("run")

    def cancel(self) -> None:
        """Stop emitting."""


@record(kw_only=False)
class OutputTag:
    """The name of a side output and the type of its records."""

    tag_id: str
    type_info: Any = None


class UpdateType(Enum):
    """What makes state with a time to live live longer."""

    Disabled = 0
    OnCreateAndWrite = 1
    OnReadAndWrite = 2


class StateVisibility(Enum):
    """Accepted: state that is over is never returned."""

    ReturnExpiredIfNotCleanedUp = 0
    NeverReturnExpired = 1


@record(kw_only=False)
class StateTtlConfig:
    """How long state lives, in processing time: `StateTtlConfig.new_builder(Time.hours(1)).build()`."""

    millis: int
    on_read: bool = False

    UpdateType: ClassVar = UpdateType
    StateVisibility: ClassVar = StateVisibility

    @staticmethod
    def new_builder(ttl: Any) -> StateTtlConfig:
        """State that lives this long after it was written."""
        return StateTtlConfig(ttl if isinstance(ttl, int) else int(ttl.to_milliseconds()))

    def set_update_type(self, update_type: Any) -> StateTtlConfig:
        """Whether reading makes it live longer too."""
        return replace(self, on_read=update_type is UpdateType.OnReadAndWrite)

    def set_state_visibility(self, state_visibility: Any) -> StateTtlConfig:
        """Accepted."""
        return self

    def build(self) -> StateTtlConfig:
        """The setting."""
        return self


class _Descriptor:
    """What all descriptors can be told."""

    __slots__ = ()

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Let the state go by itself. Runs as a stream only: a batch forgets a key behind its last record."""
        object.__setattr__(self, "time_to_live", None if ttl_config.millis <= 0 else ttl_config)


@record(kw_only=False)
class StateDescriptor(_Descriptor):
    """The name and type of a state."""

    name: str
    type_info: Any = None
    time_to_live: StateTtlConfig | None = None


class ValueStateDescriptor(StateDescriptor):
    """One value per key."""


class ListStateDescriptor(StateDescriptor):
    """A list per key."""

    state_kind = "list"


@record(kw_only=False)
class MapStateDescriptor(_Descriptor):
    """A map per key."""

    state_kind = "map"

    name: str
    key_type_info: Any = None
    value_type_info: Any = None
    time_to_live: StateTtlConfig | None = None


@record(kw_only=False)
class ReducingStateDescriptor(_Descriptor):
    """One value per key, reduced as values are added."""

    state_kind = "reducing"

    name: str
    reduce_function: Any
    type_info: Any = None
    time_to_live: StateTtlConfig | None = None


@record(kw_only=False)
class AggregatingStateDescriptor(_Descriptor):
    """One aggregate per key."""

    state_kind = "aggregating"

    name: str
    agg_function: Any
    state_type_info: Any = None
    time_to_live: StateTtlConfig | None = None
