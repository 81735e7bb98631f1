"""The roles by the names that lowered operators use."""

from __future__ import annotations

from spark_runner.executor.roles.async_map import AsyncMapRole
from spark_runner.executor.roles.keyed import (
    CoFlatMapRole,
    CoMapRole,
    CoProcessRole,
    KeyedCoProcessRole,
    KeyedFilterRole,
    KeyedFlatMapRole,
    KeyedMapRole,
    KeyedProcessRole,
    ReduceRole,
)
from spark_runner.executor.roles.plain import (
    CollectionRole,
    FilterRole,
    FlatMapRole,
    MapRole,
    ProcessRole,
    Role,
    SinkRole,
    WatermarksRole,
)
from spark_runner.executor.roles.windows import WindowRole

ROLES: dict[str, type[Role]] = {
    "collection": CollectionRole,
    "map": MapRole,
    "flat_map": FlatMapRole,
    "filter": FilterRole,
    "process": ProcessRole,
    "async_map": AsyncMapRole,
    "watermarks": WatermarksRole,
    "sink": SinkRole,
    "reduce": ReduceRole,
    "keyed_map": KeyedMapRole,
    "keyed_flat_map": KeyedFlatMapRole,
    "keyed_filter": KeyedFilterRole,
    "keyed_process": KeyedProcessRole,
    "co_map": CoMapRole,
    "co_flat_map": CoFlatMapRole,
    "co_process": CoProcessRole,
    "keyed_co_process": KeyedCoProcessRole,
    "window": WindowRole,
}
