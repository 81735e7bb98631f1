"""Streams and what can be done to them, by PyFlink's names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from planner.errors import JobDefinitionError
from planner.frontends.dsl.building import Node
from planner.frontends.dsl.configurable import Configurable
from planner.frontends.dsl.event_time import WatermarkStrategy, milliseconds
from planner.frontends.dsl.functions import MapStateDescriptor, OutputTag
from planner.frontends.dsl.triggers import Trigger, default_trigger
from planner.frontends.dsl.types import TypeInformation
from planner.frontends.scripts.places import user_location
from planner.job import Aggregate, Operator, Partition, PythonFunction, Select, SideOutput, Union, Where, Window, Writer

if TYPE_CHECKING:
    from planner.frontends.dsl.environment import StreamExecutionEnvironment

__all__ = [
    "AsyncDataStream",
    "BroadcastConnectedStream",
    "BroadcastStream",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "KeyedStream",
    "WindowedStream",
    "WriterSink",
]


def _ddl(type_info: TypeInformation | None) -> str | None:
    return type_info.to_ddl() if type_info is not None else None


def _behaviour(function: Any, what: str) -> PythonFunction:
    if not callable(function) and not hasattr(type(function), "open"):
        raise JobDefinitionError(f"{what} takes a function, found {function!r}", location=user_location())
    return PythonFunction(target=function)


class DataStream(Configurable):
    """The records of one transformation."""

    def __init__(self, environment: StreamExecutionEnvironment, node: Node) -> None:
        super().__init__(node)
        self._environment = environment

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment the stream belongs to."""
        return self._environment

    def _operator(self, kind: str, **arguments: Any) -> DataStream:
        return self._environment._stream(Operator, (self._node,), {"kind": kind, **arguments})

    def _others(self, streams: tuple[DataStream, ...]) -> tuple[Node, ...]:
        for stream in streams:
            if not isinstance(stream, DataStream) or stream._environment is not self._environment:
                raise JobDefinitionError("streams of one job come from one environment", location=user_location())
        return tuple(stream._node for stream in streams)

    # --- operators

    def map(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """One record in, one out: a function, or a dict of columns with their SQL expressions."""
        if isinstance(func, Mapping):
            columns = tuple((str(name), str(expression)) for name, expression in func.items())
            return self._operator("map", behaviour=Select(columns=columns), output=_ddl(output_type))
        return self._operator("map", behaviour=_behaviour(func, "map"), output=_ddl(output_type))

    def flat_map(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """One record in, any number out."""
        return self._operator("flat_map", behaviour=_behaviour(func, "flat_map"), output=_ddl(output_type))

    def filter(self, func: Any) -> DataStream:
        """Keep some records: a function, or a SQL condition."""
        return self._operator(
            "filter", behaviour=Where(condition=func) if isinstance(func, str) else _behaviour(func, "filter")
        )

    def process(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """A process function."""
        return self._operator("process", behaviour=_behaviour(func, "process"), output=_ddl(output_type))

    def async_map(self, func: Any, output_type: TypeInformation | None = None, timeout: Any = None,
                  capacity: int | None = None) -> DataStream:  # fmt: skip
        """A function whose answers come later: `capacity` of them at once, none of them later than `timeout`."""
        if capacity is not None and (not isinstance(capacity, int) or isinstance(capacity, bool) or capacity < 1):
            raise JobDefinitionError(f"capacity must be at least 1, found {capacity!r}", location=user_location())
        limit = None if timeout is None else milliseconds(timeout)
        if limit is not None and limit <= 0:
            raise JobDefinitionError("the timeout must be positive", location=user_location())
        behaviour = _behaviour(func, "async_map")
        return self._operator(
            "async_map", behaviour=behaviour, output=_ddl(output_type), timeout=limit, capacity=capacity
        )

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy) -> DataStream:
        """Give records their event time."""
        return self._operator("watermarks", behaviour=watermark_strategy.watermarks)

    def key_by(self, key_selector: Any, key_type: TypeInformation | None = None) -> KeyedStream:
        """Group by a key: a function, a column, or a list of columns."""
        arguments: dict[str, Any] = {"partitioner": "HASH", "key_type": _ddl(key_type)}
        if isinstance(key_selector, str):
            arguments["key_columns"] = (key_selector,)
        elif isinstance(key_selector, (list, tuple)) and all(isinstance(column, str) for column in key_selector):
            arguments["key_columns"] = tuple(key_selector)
        else:
            arguments["key_selector"] = _behaviour(key_selector, "key_by")
        return KeyedStream(self._environment, self._environment._add(Partition, (self._node,), arguments))

    def union(self, *streams: DataStream) -> DataStream:
        """Several streams read as one."""
        return self._environment._stream(Union, (self._node, *self._others(streams)), {})

    def connect(self, ds: Any) -> Any:
        """Two streams into one operator; a broadcast stream gives its rules to every subtask."""
        if isinstance(ds, BroadcastStream):
            self._others((ds.stream,))
            return BroadcastConnectedStream(self, ds.stream)
        self._others((ds,))
        return ConnectedStreams(self, ds)

    def get_side_output(self, output_tag: OutputTag) -> DataStream:
        """The records this operator tagged."""
        if self._node.form is not Operator:
            raise JobDefinitionError(
                f"only an operator has side outputs, this stream is a {self._node.kind}", location=user_location(),
                hint="call get_side_output on the operator's own result",
            )  # fmt: skip
        arguments = {"tag": output_tag.tag_id, "output": _ddl(output_tag.type_info)}
        return self._environment._stream(SideOutput, (self._node,), arguments)

    # --- partitioning

    def _partition(self, partitioner: str, **arguments: Any) -> DataStream:
        return self._environment._stream(Partition, (self._node,), {"partitioner": partitioner, **arguments})

    def forward(self) -> DataStream:
        """To the subtask of the same number."""
        return self._partition("FORWARD")

    def rebalance(self) -> DataStream:
        """Round robin to all subtasks."""
        return self._partition("REBALANCE")

    def rescale(self) -> DataStream:
        """Round robin to a part of the subtasks."""
        return self._partition("RESCALE")

    def shuffle(self) -> DataStream:
        """To a random subtask."""
        return self._partition("SHUFFLE")

    def broadcast(self, *descriptors: Any) -> Any:
        """To every subtask; with descriptors of map states, rules for a broadcast process function."""
        moved = self._partition("BROADCAST")
        if not descriptors:
            return moved
        for one in descriptors:
            if not isinstance(one, MapStateDescriptor):
                raise JobDefinitionError(
                    f"broadcast takes MapStateDescriptors, found {one!r}", location=user_location()
                )
        return BroadcastStream(moved)

    def global_(self) -> DataStream:
        """To the first subtask."""
        return self._partition("GLOBAL")

    def partition_custom(self, partitioner: Any, key_selector: Any) -> DataStream:
        """To the subtask a function chooses by key."""
        key = (
            {"key_columns": (key_selector,)}
            if isinstance(key_selector, str)
            else {"key_selector": _behaviour(key_selector, "partition_custom")}
        )
        return self._partition("CUSTOM", custom=_behaviour(partitioner, "partition_custom"), **key)

    # --- calls that some versions of Flink have and that are not compiled here

    def _not_compiled(self, name: str) -> NoReturn:
        from planner.flink.availability import words
        from planner.flink.calls import CALLS

        raise JobDefinitionError(
            f"{name}() is not planned here in any version ({words(CALLS[name])})",
            location=user_location(),
            hint="leave it out of the job that you inspect",
        )

    def iterate(self, *_: Any) -> NoReturn:
        """A loop; refused."""
        self._not_compiled("iterate")

    def full_window_partition(self) -> NoReturn:
        """All records of a subtask as one window; refused."""
        self._not_compiled("full_window_partition")

    # --- sinks

    def _sink(self, kind: str, **arguments: Any) -> DataStreamSink:
        return DataStreamSink(self._environment._add(Operator, (self._node,), {"kind": kind, **arguments}))

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record."""
        return self._sink("print", **({"name": sink_identifier} if sink_identifier else {}))

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        """A legacy sink."""
        behaviour = sink_func.behaviour if isinstance(sink_func, WriterSink) else _behaviour(sink_func, "add_sink")
        return self._sink("sink", behaviour=behaviour)

    def sink_to(self, sink: Any) -> DataStreamSink:
        """A new-style sink."""
        behaviour = getattr(sink, "behaviour", None) or PythonFunction(target=sink)
        return self._sink("sink", api="v2", committer=bool(getattr(sink, "committer", False)), behaviour=behaviour)


class WriterSink:
    """A sink that is any Spark writer."""

    def __init__(
        self,
        format: str,
        path: str | None = None,
        mode: Any = "error",
        options: Mapping[str, Any] | None = None,
        committer: bool = False,
    ) -> None:
        written = tuple((key, str(value)) for key, value in (options or {}).items())
        self.behaviour = Writer(format=format, path=path, mode=mode, options=written)
        self.committer = committer


class DataStreamSink(Configurable):
    """The end of a stream."""


class KeyedStream(DataStream):
    """A stream whose records are grouped by key."""

    def _partition(self, partitioner: str, **arguments: Any) -> DataStream:
        raise JobDefinitionError(
            f"a keyed stream is partitioned by its key already, {partitioner.lower()} cannot change that",
            location=user_location(), hint="partition before key_by, or drop key_by",
        )  # fmt: skip

    def sum(self, position_to_sum: int | str = 0) -> DataStream:
        """The running sum of a field."""
        return self._operator("sum", behaviour=Aggregate(field=position_to_sum))

    def min(self, position_to_min: int | str = 0) -> DataStream:
        """The least of a field so far."""
        return self._operator("min", behaviour=Aggregate(field=position_to_min))

    def max(self, position_to_max: int | str = 0) -> DataStream:
        """The greatest of a field so far."""
        return self._operator("max", behaviour=Aggregate(field=position_to_max))

    def reduce(self, func: Any) -> DataStream:
        """Two records of a key become one."""
        return self._operator("reduce", behaviour=_behaviour(func, "reduce"))

    def enable_async_state(self) -> NoReturn:
        """State that is read without waiting for it; refused."""
        self._not_compiled("enable_async_state")

    def window(self, window_assigner: Window) -> WindowedStream:
        """Group by event-time window too."""
        if not isinstance(window_assigner, Window):
            raise JobDefinitionError(
                f"window takes an event-time window, found {window_assigner!r}", location=user_location(),
                hint="write TumblingEventTimeWindows.of(Time.seconds(5))",
            )  # fmt: skip
        return WindowedStream(self, window_assigner)

    def count_window(self, size: int, slide: int = 0) -> WindowedStream:
        """Group every `size` records of a key; with `slide` a new window begins after so many."""
        for number, least, what in ((size, 1, "size"), (slide, 0, "slide")):
            if not isinstance(number, int) or isinstance(number, bool) or number < least:
                raise JobDefinitionError(
                    f"the {what} of a count window must be a whole number of at least {least}, found {number!r}",
                    location=user_location(),
                )
        return WindowedStream(self, Window(assigner="count", size=size, slide=slide or None))


class WindowedStream:
    """A keyed stream in windows."""

    def __init__(self, keyed: KeyedStream, window: Window) -> None:
        self._keyed = keyed
        self._window = window

    def trigger(self, trigger: Trigger) -> WindowedStream:
        """When windows give their results, instead of at their end."""
        if not callable(getattr(trigger, "on_element", None)):
            raise JobDefinitionError(
                f"trigger takes a Trigger, found {trigger!r}", location=user_location(), hint="write CountTrigger.of(5)"
            )
        return WindowedStream(self._keyed, replace(self._window, trigger=trigger))

    def allowed_lateness(self, time_ms: Any) -> WindowedStream:
        """For how long behind its end a window still takes records, each with a new result."""
        lateness = milliseconds(time_ms)
        if lateness < 0:
            raise JobDefinitionError("the allowed lateness must not be negative", location=user_location())
        return WindowedStream(self._keyed, replace(self._window, lateness=lateness))

    def side_output_late_data(self, output_tag: OutputTag) -> WindowedStream:
        """Where records go that come too late for all their windows."""
        return WindowedStream(self._keyed, replace(self._window, late_tag=output_tag.tag_id))

    def _apply(self, form: Any, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        behaviour = replace(self._window, form=form, function=_behaviour(func, form))
        if not behaviour.is_plain and behaviour.trigger is None:
            behaviour = replace(behaviour, trigger=default_trigger(behaviour))
        return self._keyed._operator("window_reduce", behaviour=behaviour, output=_ddl(output_type))

    def reduce(self, reduce_function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """Two records of a key and window become one."""
        return self._apply("reduce", reduce_function, output_type)

    def aggregate(self, aggregate_function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """An incremental aggregate per key and window."""
        return self._apply("aggregate", aggregate_function, output_type)

    def process(self, process_window_function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """All records of a key and window at once."""
        return self._apply("process", process_window_function, output_type)


class ConnectedStreams:
    """Two streams that one operator reads."""

    def __init__(self, first: DataStream, second: DataStream) -> None:
        self._first, self._second = first, second

    def key_by(
        self, key_selector1: Any, key_selector2: Any, key_type: TypeInformation | None = None
    ) -> ConnectedStreams:
        """Group both by key."""
        first = self._first.key_by(key_selector1, key_type)
        return ConnectedStreams(first, self._second.key_by(key_selector2, key_type))

    def _operator(self, kind: str, func: Any, output_type: TypeInformation | None) -> DataStream:
        arguments = {"kind": kind, "behaviour": _behaviour(func, kind), "output": _ddl(output_type)}
        return self._first._environment._stream(Operator, (self._first._node, self._second._node), arguments)

    def map(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """A map for each input."""
        return self._operator("co_map", func, output_type)

    def flat_map(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """A flat map for each input."""
        return self._operator("co_flat_map", func, output_type)

    def process(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """A process function of two inputs."""
        return self._operator("co_process", func, output_type)


class BroadcastStream:
    """A stream of rules that every subtask gets."""

    def __init__(self, stream: DataStream) -> None:
        self.stream = stream


class BroadcastConnectedStream:
    """A stream, and rules for every subtask of its operator."""

    def __init__(self, first: DataStream, rules: DataStream) -> None:
        self._first, self._rules = first, rules

    def process(self, func: Any, output_type: TypeInformation | None = None) -> DataStream:
        """A BroadcastProcessFunction, or behind key_by a KeyedBroadcastProcessFunction."""
        if not callable(getattr(func, "process_broadcast_element", None)):
            raise JobDefinitionError(
                f"a broadcast stream is processed by a BroadcastProcessFunction, found {func!r}",
                location=user_location(),
            )
        arguments = {"kind": "co_process", "behaviour": PythonFunction(target=func), "output": _ddl(output_type)}
        return self._first._environment._stream(Operator, (self._first._node, self._rules._node), arguments)


class AsyncDataStream:
    """Functions whose answers come later."""

    @staticmethod
    def unordered_wait(data_stream: DataStream, async_function: Any, timeout: Any = None, capacity: int = 100,
                       output_type: TypeInformation | None = None) -> DataStream:  # fmt: skip
        """Answers in any order; a bounded run gives them in the records' order all the same."""
        return data_stream.async_map(async_function, output_type, timeout, capacity)

    ordered_wait = unordered_wait
