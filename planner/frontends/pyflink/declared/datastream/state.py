"""`pyflink.datastream.state` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Generic, Self, TypeVar

from planner.frontends.pyflink.recorded import Recorded
from planner.frontends.pyflink.values.times import Duration, Time

__all__ = [
    "IN",
    "OUT",
    "AggregatingState",
    "AggregatingStateDescriptor",
    "AppendingState",
    "BroadcastState",
    "K",
    "ListState",
    "ListStateDescriptor",
    "MapState",
    "MapStateDescriptor",
    "MergingState",
    "OperatorStateStore",
    "ReadOnlyBroadcastState",
    "ReducingState",
    "ReducingStateDescriptor",
    "State",
    "StateDescriptor",
    "StateTtlConfig",
    "T",
    "V",
    "ValueState",
    "ValueStateDescriptor",
]


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
