"""The streaming operators by the names that lowered operators use."""

from __future__ import annotations

from spark_runner.executor.streaming.async_calls import AsyncOperator
from spark_runner.executor.streaming.broadcast import BroadcastOperator, KeyedBroadcastOperator
from spark_runner.executor.streaming.keyed import (
    CoOperator,
    KeyedCoOperator,
    KeyedFilterOperator,
    KeyedFlatMapOperator,
    KeyedMapOperator,
    KeyedProcessOperator,
    ReduceOperator,
)
from spark_runner.executor.streaming.operators import (
    FilterOperator,
    FlatMapOperator,
    MapOperator,
    ProcessOperator,
    SinkOperator,
    StreamOperator,
)
from spark_runner.executor.streaming.times import StampOperator
from spark_runner.executor.streaming.triggered import TriggeredWindowOperator
from spark_runner.executor.streaming.windows import WindowOperator

__all__ = ["OPERATORS"]

OPERATORS: dict[str, type[StreamOperator]] = {
    "map": MapOperator,
    "flat_map": FlatMapOperator,
    "filter": FilterOperator,
    "process": ProcessOperator,
    "async_map": AsyncOperator,
    "watermarks": StampOperator,
    "sink": SinkOperator,
    "reduce": ReduceOperator,
    "keyed_map": KeyedMapOperator,
    "keyed_flat_map": KeyedFlatMapOperator,
    "keyed_filter": KeyedFilterOperator,
    "keyed_process": KeyedProcessOperator,
    "co_map": CoOperator,
    "co_flat_map": CoOperator,
    "co_process": CoOperator,
    "keyed_co_process": KeyedCoOperator,
    "broadcast_process": BroadcastOperator,
    "keyed_broadcast_process": KeyedBroadcastOperator,
    "window": WindowOperator,
    "triggered_window": TriggeredWindowOperator,
}
