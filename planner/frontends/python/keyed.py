"""Keyed streams."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

from planner.frontends.python.extensions import KeyedExtensions
from planner.frontends.python.streams import DataStream, DataStreamSink
from planner.frontends.python.values.types import type_of
from planner.job import Aggregate, PythonFunction

if TYPE_CHECKING:
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.values.types import TypeInformation
    from planner.frontends.python.windowed import WindowedStream
    from planner.job import Behaviour

__all__ = ["KeyedStream"]

_SETTINGS = {
    "set_parallelism": "Set parallelism", "name": "Set name", "uid": "Set uid", "set_uid_hash": "Set uid hash",
    "set_max_parallelism": "Set max parallelism", "force_non_parallel": "Set force non-parallel",
    "set_buffer_timeout": "Set buffer timeout", "start_new_chain": "Start new chain",
    "disable_chaining": "Disable chaining", "slot_sharing_group": "Setting slot sharing group",
    "set_description": "Set description",
}  # fmt: skip


class KeyedStream(DataStream, KeyedExtensions):
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
        self._checks.keyed_setting(self._draft, call, _SETTINGS.get(call, call))

    def get_name(self) -> str:
        """Keyed streams have none."""
        raise Exception("Get name of KeyedStream is not supported.")

    def _keyed(
        self, kind: str, name: str, behaviour: Behaviour, type: TypeInformation, label: str | None = None,
        declared: Any = None,
    ) -> DataStream:  # fmt: skip
        draft = self._environment._translation.operator(
            [self._draft], kind, type, name=name, label=label, python="keyed", behaviour=behaviour,
            **self._checks.output(declared),
        )  # fmt: skip
        return self._stream(draft)

    def map(self, func: Any, output_type: TypeInformation | list[TypeInformation] | None = None) -> DataStream:
        """One record in, one out, with state of the key."""
        return self._keyed("map", "Map", self._checks.mapping(func), type_of(output_type), declared=output_type)

    def flat_map(self, func: Any, output_type: TypeInformation | list[TypeInformation] | None = None) -> DataStream:
        """One record in, any number out, with state of the key."""
        message = "The input must be a FlatMapFunction or a callable function"
        self._checks.function(func, "FlatMapFunction", message, "flat_map")
        behaviour = PythonFunction(target=func)
        return self._keyed("flat_map", "FlatMap", behaviour, type_of(output_type), declared=output_type)

    def filter(self, func: Any) -> DataStream:
        """Keep some records, with state of the key."""
        return self._keyed("filter", "Filter", self._checks.condition(func), self._original_data_type_info)

    def process(self, func: Any, output_type: TypeInformation | list[TypeInformation] | None = None) -> DataStream:
        """A process function with state of the key."""
        message = "KeyedProcessFunction is required for KeyedStream."
        self._checks.instance(func, "KeyedProcessFunction", message, "process")
        behaviour = PythonFunction(target=func)
        return self._keyed("process", "KEYED PROCESS", behaviour, type_of(output_type), declared=output_type)

    def reduce(self, func: Any) -> DataStream:
        """Two records of a key become one."""
        message = "The input must be a ReduceFunction or a callable function"
        self._checks.function(func, "ReduceFunction", message, "reduce")
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
        self._checks.only_pyflink("min_by")
        return self._aggregate("min", "min_by", position_to_min_by, whole=True)

    def max_by(self, position_to_max_by: int | str = 0) -> DataStream:
        """The record with the greatest of a field so far."""
        self._checks.only_pyflink("max_by")
        return self._aggregate("max", "max_by", position_to_max_by, whole=True)

    def window(self, window_assigner: Any) -> WindowedStream:
        """Group by window too."""
        from planner.frontends.python.windowed import WindowedStream

        self._checks.window(window_assigner)
        return WindowedStream(self, window_assigner)

    def count_window(self, size: int, slide: int = 0) -> WindowedStream:
        """Windows of a number of records."""
        from planner.frontends.python.values.assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
        from planner.frontends.python.windowed import WindowedStream

        self._checks.count_window(size, slide)
        counted = CountTumblingWindowAssigner(size) if slide == 0 else CountSlidingWindowAssigner(size, slide)
        return WindowedStream(self, counted)

    def key_by(self, key_selector: Any, key_type: TypeInformation | None = None) -> KeyedStream:
        """Group by another key; PyFlink does so from the stream that was keyed."""
        if self._checks.pyflink:
            return self._origin_stream.key_by(key_selector, key_type)
        return super().key_by(key_selector, key_type)

    # --- calls that go on with the plain records

    def _plain(self) -> DataStream:
        return self._stream(self._environment._translation.values(self._draft, self._original_data_type_info))

    def union(self, *streams: DataStream) -> DataStream:
        """Several streams read as one."""
        return self._plain().union(*streams)

    def project(self, *field_indexes: int) -> DataStream:
        """Some fields of a tuple."""
        return self._plain().project(*field_indexes)

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record; PyFlink forgets the identifier of a keyed stream."""
        return self._plain().print(sink_identifier if self._environment._translation.java else None)

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        """A legacy sink."""
        return self._plain().add_sink(sink_func)

    # --- calls that a keyed stream refuses

    def _partition(self, partitioner: str) -> NoReturn:
        self._checks.keyed_partition(partitioner)

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
