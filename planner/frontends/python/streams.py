"""`pyflink.datastream.data_stream`: streams and what can be done to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self, cast, overload

from planner.frontends.python.differences import wrong
from planner.frontends.python.extensions import SinkExtensions, StreamExtensions
from planner.frontends.python.results import CloseableIterator
from planner.frontends.python.settings import Settings, StreamSettings
from planner.frontends.python.values.types import OutputTag, PickledBytesTypeInfo, TupleTypeInfo, type_of
from planner.job import PythonFunction, PythonRun, Select

if TYPE_CHECKING:
    from planner.frontends.python.checks import Checks
    from planner.frontends.python.connected import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
    from planner.frontends.python.declared.functions import MapStateDescriptor
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.java_objects import JavaStream
    from planner.frontends.python.keyed import KeyedStream
    from planner.frontends.python.values.types import TypeInformation
    from planner.frontends.python.values.watermarks import WatermarkStrategy
    from planner.frontends.python.windowed import AllWindowedStream
    from planner.job import Behaviour

__all__ = ["CachedDataStream", "DataStream", "DataStreamSink"]


class DataStream(Settings, StreamSettings, StreamExtensions):
    """The records of one transformation."""

    def __init__(self, environment: StreamExecutionEnvironment | JavaStream, draft: Draft | None = None) -> None:
        if draft is None:  # DataStream(j_data_stream), as scripts write it
            known = getattr(environment, "stream", None)
            if not isinstance(known, DataStream):
                raise TypeError(f"a DataStream is made of a stream of Java, not of a {type(environment).__name__}")
            environment, draft = known._environment, known._draft
        self._environment: StreamExecutionEnvironment = cast("StreamExecutionEnvironment", environment)
        self._draft: Draft = draft
        self._checks: Checks = self._environment._checks
        self._in_java = self._environment._translation.java

    @property
    def _j_data_stream(self) -> JavaStream:
        from planner.frontends.python.java_objects import JavaStream

        return JavaStream(self)

    def _stream(self, draft: Draft) -> DataStream:
        return DataStream(self._environment, draft)

    def get_name(self) -> str:
        """The operator's name."""
        return str(self._draft.arguments.get("name"))

    def get_type(self) -> TypeInformation:
        """The type of the records."""
        return self._draft.python_type

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment the stream belongs to."""
        return self._environment

    def get_execution_config(self) -> Any:
        """The environment's settings."""
        return self._environment.get_config()

    def force_non_parallel(self) -> Self:
        """Run with one subtask, whatever else is set."""
        self._set("force_non_parallel", "parallelism", 1)._set("force_non_parallel", "max_parallelism", 1)
        self._draft.fixed = True
        return self

    # --- operators

    def _operator(
        self, kind: str, name: str, behaviour: Behaviour, type: TypeInformation, declared: Any = None, **more: Any
    ) -> DataStream:
        more |= self._checks.output(declared)
        return self._stream(
            self._environment._translation.operator(
                [self._draft], kind, type, name=name, python="plain", behaviour=behaviour, **more
            )
        )

    def map(self, func: Any, output_type: TypeInformation | list[TypeInformation] | None = None) -> DataStream:
        """One record in, one out. A planner job may give columns with their SQL expressions: `{"total": "a + b"}`."""
        return self._operator("map", "Map", self._checks.mapping(func), type_of(output_type), output_type)

    def flat_map(self, func: Any, output_type: TypeInformation | list[TypeInformation] | None = None) -> DataStream:
        """One record in, any number out."""
        message = "The input must be a FlatMapFunction or a callable function"
        self._checks.function(func, "FlatMapFunction", message, "flat_map")
        return self._operator("flat_map", "FlatMap", PythonFunction(target=func), type_of(output_type), output_type)

    def filter(self, func: Any) -> DataStream:
        """Keep some records. A planner job may give a SQL condition: `"amount > 10"`."""
        return self._operator("filter", "Filter", self._checks.condition(func), self._draft.python_type)

    def process(self, func: Any, output_type: TypeInformation | list[TypeInformation] | None = None) -> DataStream:
        """A process function."""
        if not self._checks.pyflink:
            self._checks.function(func, "ProcessFunction", "", "process")
        return self._operator("process", "PROCESS", PythonFunction(target=func), type_of(output_type), output_type)

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy) -> DataStream:
        """Give records their event time."""
        from planner.frontends.python.connector_checks import check_strategy

        check_strategy(watermark_strategy, "assign_timestamps_and_watermarks")
        return self._stream(self._environment._translation.watermarks(self._draft, watermark_strategy))

    def project(self, *field_indexes: int) -> DataStream:
        """Some fields of a tuple."""
        self._checks.only_pyflink("project")
        if not isinstance(self.get_type(), TupleTypeInfo):
            raise Exception("Only Tuple DataStreams can be projected.")
        if not field_indexes:
            raise ValueError("project() needs to select at least one (1) field.")
        fields = self.get_type().get_field_types()  # type: ignore[attr-defined]
        kept = Select(columns=tuple((f"f{place}", f"f{index}") for place, index in enumerate(field_indexes)))
        draft = self._environment._translation.operator(
            [self._draft], "map", TupleTypeInfo([fields[index] for index in field_indexes]), name="Projection",
            label="project", behaviour=kept, run=PythonRun(fields=tuple(field_indexes)),
            written_name="Projection" if self._environment._translation.java else None,
        )  # fmt: skip
        return self._stream(draft)

    def key_by(self, key_selector: Any, key_type: TypeInformation | None = None) -> KeyedStream:
        """Group by a key: a function. A planner job may name a column, or a list of columns."""
        from planner.frontends.python.keyed import KeyedStream

        selector, columns = self._checks.key(key_selector, "key_by", key_type)
        key = PickledBytesTypeInfo() if key_type is None else key_type
        return KeyedStream(self, self._environment._translation.key_by(self._draft, selector, key, **columns), key)

    def union(self, *streams: DataStream) -> DataStream:
        """Several streams read as one."""
        self._checks.together(self, *streams)
        drafts = [self._draft, *(stream._plain()._draft for stream in streams)]
        self._checks.union(drafts)
        return self._stream(self._environment._translation.union(drafts))

    def _plain(self) -> DataStream:
        return self

    @overload
    def connect(self, ds: BroadcastStream) -> BroadcastConnectedStream: ...
    @overload
    def connect(self, ds: DataStream) -> ConnectedStreams: ...

    def connect(self, ds: Any) -> ConnectedStreams | BroadcastConnectedStream:
        """Two streams into one operator; a broadcast stream gives its rules to every subtask."""
        from planner.frontends.python.connected import BroadcastConnectedStream, BroadcastStream, ConnectedStreams

        self._checks.together(self, ds.input_stream if isinstance(ds, BroadcastStream) else ds)
        if isinstance(ds, BroadcastStream):
            return BroadcastConnectedStream(self, ds, ds.broadcast_state_descriptors)
        return ConnectedStreams(self, ds)

    def window_all(self, window_assigner: Any) -> AllWindowedStream:
        """Windows over all records."""
        self._checks.only_pyflink("window_all")
        from planner.frontends.python.windowed import AllWindowedStream

        return AllWindowedStream(self, window_assigner)

    def get_side_output(self, output_tag: OutputTag) -> DataStream:
        """The records that this operator tagged."""
        self._checks.side_output(self._draft)
        return self._stream(self._environment._translation.side_output(self._draft, output_tag))

    def cache(self) -> CachedDataStream:
        """Keep the records for other jobs."""
        self._checks.only_pyflink("cache")
        return CachedDataStream(self._environment, self._environment._translation.cache(self._draft))

    # --- partitioning

    def _partition(self, partitioner: str) -> DataStream:
        return self._stream(self._environment._translation.partition(self._draft, partitioner))

    def shuffle(self) -> DataStream:
        """To a random subtask."""
        return self._partition("SHUFFLE")

    def rescale(self) -> DataStream:
        """Round robin to a part of the subtasks."""
        return self._partition("RESCALE")

    def rebalance(self) -> DataStream:
        """Round robin to all subtasks."""
        return self._partition("REBALANCE")

    def forward(self) -> DataStream:
        """To the subtask of the same number."""
        return self._partition("FORWARD")

    @overload
    def broadcast(self) -> DataStream: ...
    @overload
    def broadcast(
        self, broadcast_state_descriptor: MapStateDescriptor, *other_broadcast_state_descriptors: MapStateDescriptor
    ) -> BroadcastStream: ...

    def broadcast(self, broadcast_state_descriptor: Any = None, *other_broadcast_state_descriptors: Any) -> Any:
        """To every subtask; with descriptors of map states, rules for a broadcast process function."""
        from planner.frontends.python.connected import BroadcastStream

        if broadcast_state_descriptor is None:
            return self._partition("BROADCAST")
        descriptors = (broadcast_state_descriptor, *other_broadcast_state_descriptors)
        self._checks.descriptors(descriptors)
        return BroadcastStream(self._partition("BROADCAST"), list(descriptors))

    def partition_custom(self, partitioner: Any, key_selector: Any) -> DataStream:
        """To the subtask that a function chooses by key."""
        message = "Parameter partitioner should be type of Partitioner or a callable function."
        self._checks.function(partitioner, "Partitioner", message, "partition_custom")
        selector, columns = self._checks.key(key_selector, "partition_custom")
        calls = self._environment._translation
        return self._stream(calls.partition_custom(self._draft, partitioner, selector, **columns))

    # --- sinks

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record."""
        return DataStreamSink(self._environment, self._environment._translation.print(self._draft, sink_identifier))

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        """A legacy sink."""
        return DataStreamSink(self._environment, self._checks.legacy_sink(self, sink_func))

    def sink_to(self, sink: Any) -> DataStreamSink:
        """A new-style sink."""
        return DataStreamSink(self._environment, self._checks.sink(self, sink))

    def execute_and_collect(self, job_execution_name: str | None = None, limit: int | None = None) -> Any:
        """Execute the job for this stream's records; none come while a file is only loaded."""
        self._checks.only_pyflink("execute_and_collect")
        self._draft, records = self._environment._collect(self._draft, job_execution_name)
        return CloseableIterator(records) if limit is None else records[:limit]


class DataStreamSink(Settings, SinkExtensions):
    """The end of a stream."""

    def __init__(self, environment: StreamExecutionEnvironment, draft: Draft) -> None:
        self._draft = draft
        self._checks: Checks = environment._checks

    def set_uid_hash(self, uid_hash: str) -> Self:
        """An operator id of an older job to take over; a new-style sink is several operators."""
        if self._checks.pyflink and self._draft.arguments.get("api") == "v2":
            raise wrong(
                "Cannot set a custom UID hash on a non-legacy sink",
                "give the sink a uid: the state of its writer is found by it",
            )
        return super().set_uid_hash(uid_hash)


class CachedDataStream(DataStream):
    """A stream whose records are kept."""

    def invalidate(self) -> None:
        """Forget the records."""

    def _set(self, call: str, key: str, value: Any) -> NoReturn:
        what = call if call.startswith(("set_", "start_", "disable_")) else f"set_{call}"
        raise Exception(f"{what.replace('_', ' ').capitalize()} for CachedDataStream is not supported.")
