"""Keyed streams."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

from planner.frontends.pyflink.declared.functions import (
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    MapFunction,
    ReduceFunction,
)
from planner.frontends.pyflink.drafts import Draft
from planner.frontends.pyflink.functions import check_function
from planner.frontends.pyflink.streams import DataStream, DataStreamSink
from planner.frontends.pyflink.values.types import TypeInformation, type_of
from planner.job import Aggregate, Behaviour, PythonFunction

if TYPE_CHECKING:
    from planner.frontends.pyflink.windowed import WindowedStream

__all__ = ["KeyedStream"]

_SETTINGS = {
    "set_parallelism": "Set parallelism", "name": "Set name", "uid": "Set uid", "set_uid_hash": "Set uid hash",
    "set_max_parallelism": "Set max parallelism", "force_non_parallel": "Set force non-parallel",
    "set_buffer_timeout": "Set buffer timeout", "start_new_chain": "Start new chain",
    "disable_chaining": "Disable chaining", "slot_sharing_group": "Setting slot sharing group",
    "set_description": "Set description",
}  # fmt: skip


class KeyedStream(DataStream):
    """A stream whose records are grouped by key."""

    class AccumulateType(Enum):
        """What a running aggregate keeps."""

        MIN = 1
        MAX = 2
        MIN_BY = 3
        MAX_BY = 4
        SUM = 5

    def __init__(self, origin: DataStream, draft: Draft, key_type: TypeInformation) -> None:
        super().__init__(origin._environment, draft)
        self._origin_stream = origin
        self._original_data_type_info = origin._draft.record_type
        self._key_type = key_type

    def _set(self, call: str, key: str, value: Any) -> NoReturn:
        raise Exception(f"{_SETTINGS[call]} for KeyedStream is not supported.")

    def get_name(self) -> str:
        """Keyed streams have none."""
        raise Exception("Get name of KeyedStream is not supported.")

    def _keyed(
        self, kind: str, name: str, behaviour: Behaviour, type: TypeInformation, label: str | None = None
    ) -> DataStream:
        draft = self._environment._calls.operator(
            [self._draft], kind, type, name=name, label=label, python="keyed", behaviour=behaviour
        )
        return self._stream(draft)

    def map(self, func: Any, output_type: Any = None) -> DataStream:
        """One record in, one out, with state of the key."""
        check_function(func, MapFunction, "The input must be a MapFunction or a callable function")
        return self._keyed("map", "Map", PythonFunction(target=func), type_of(output_type))

    def flat_map(self, func: Any, output_type: Any = None) -> DataStream:
        """One record in, any number out, with state of the key."""
        check_function(func, FlatMapFunction, "The input must be a FlatMapFunction or a callable function")
        return self._keyed("flat_map", "FlatMap", PythonFunction(target=func), type_of(output_type))

    def filter(self, func: Any) -> DataStream:
        """Keep some records, with state of the key."""
        check_function(func, FilterFunction, "The input must be a FilterFunction or a callable function")
        return self._keyed("filter", "Filter", PythonFunction(target=func), self._original_data_type_info)

    def process(self, func: Any, output_type: Any = None) -> DataStream:
        """A process function with state of the key."""
        if not isinstance(func, KeyedProcessFunction):
            raise TypeError("KeyedProcessFunction is required for KeyedStream.")
        return self._keyed("process", "KEYED PROCESS", PythonFunction(target=func), type_of(output_type))

    def reduce(self, func: Any) -> DataStream:
        """Two records of a key become one."""
        check_function(func, ReduceFunction, "The input must be a ReduceFunction or a callable function")
        return self._keyed("reduce", "Reduce", PythonFunction(target=func), self._original_data_type_info)

    def _aggregate(self, kind: str, label: str, position: int | str, whole: bool = False) -> DataStream:
        if not isinstance(position, (int, str)):
            raise TypeError(
                "The field position must be of int or str type to locate the value to calculate for min, max, min_by, "
                f"max_by and sum.The given type is: {type(position)}"
            )
        behaviour = Aggregate(field=position, whole=whole)
        return self._keyed(kind, "Reduce", behaviour, self._original_data_type_info, label)

    def sum(self, position_to_sum: int | str = 0) -> DataStream:
        """The running sum of a field."""
        return self._aggregate("sum", "sum", position_to_sum)

    def min(self, position_to_min: int | str = 0) -> DataStream:
        """The least of a field so far."""
        return self._aggregate("min", "min", position_to_min)

    def max(self, position_to_max: int | str = 0) -> DataStream:
        """The greatest of a field so far."""
        return self._aggregate("max", "max", position_to_max)

    def min_by(self, position_to_min_by: int | str = 0) -> DataStream:
        """The record with the least of a field so far."""
        return self._aggregate("min", "min_by", position_to_min_by, whole=True)

    def max_by(self, position_to_max_by: int | str = 0) -> DataStream:
        """The record with the greatest of a field so far."""
        return self._aggregate("max", "max_by", position_to_max_by, whole=True)

    def window(self, window_assigner: Any) -> WindowedStream:
        """Group by window too."""
        from planner.frontends.pyflink.windowed import WindowedStream

        return WindowedStream(self, window_assigner)

    def count_window(self, size: int, slide: int = 0) -> WindowedStream:
        """Windows of a number of records."""
        from planner.frontends.pyflink.values.assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
        from planner.frontends.pyflink.windowed import WindowedStream

        counted = CountTumblingWindowAssigner(size) if slide == 0 else CountSlidingWindowAssigner(size, slide)
        return WindowedStream(self, counted)

    def key_by(self, key_selector: Any, key_type: TypeInformation | None = None) -> KeyedStream:
        """Group by another key, from the stream that was keyed."""
        return self._origin_stream.key_by(key_selector, key_type)

    # --- calls that go on with the plain records

    def _plain(self) -> DataStream:
        return self._stream(self._environment._calls.values(self._draft, self._original_data_type_info))

    def union(self, *streams: DataStream) -> DataStream:
        """Several streams read as one."""
        return self._plain().union(*streams)

    def project(self, *field_indexes: int) -> DataStream:
        """Some fields of a tuple."""
        return self._plain().project(*field_indexes)

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record; PyFlink forgets the identifier of a keyed stream."""
        return self._plain().print(sink_identifier if self._environment._calls.java else None)

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        """A legacy sink."""
        return self._plain().add_sink(sink_func)

    # --- calls that a keyed stream refuses

    def _partition(self, partitioner: str) -> NoReturn:
        raise Exception("Cannot override partitioning for KeyedStream.")

    def broadcast(self, *args: Any) -> NoReturn:
        """Refused."""
        self._partition("BROADCAST")

    def partition_custom(self, partitioner: Any, key_selector: Any) -> NoReturn:
        """Refused."""
        self._partition("CUSTOM")

    def force_non_parallel(self) -> NoReturn:
        """Refused."""
        self._set("force_non_parallel", "parallelism", 1)

    def cache(self) -> NoReturn:
        """Refused."""
        raise Exception("Cache for KeyedStream is not supported.")
