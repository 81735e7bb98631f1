"""`pyflink.datastream.data_stream`: streams and what can be done to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from planner.errors import JobDefinitionError
from planner.frontends.pyflink.declared.functions import (
    FilterFunction,
    FlatMapFunction,
    KeySelector,
    MapFunction,
    MapStateDescriptor,
    Partitioner,
)
from planner.frontends.pyflink.drafts import Draft
from planner.frontends.pyflink.functions import check_function
from planner.frontends.pyflink.results import CloseableIterator
from planner.frontends.pyflink.settings import Settings
from planner.frontends.pyflink.values.types import (
    OutputTag,
    PickledBytesTypeInfo,
    RowDataTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    type_of,
)
from planner.frontends.pyflink.values.watermarks import WatermarkStrategy
from planner.frontends.scripts.operator_settings import StreamSettings
from planner.frontends.scripts.places import user_location
from planner.job import Operator, PythonFunction, PythonRun, Select

if TYPE_CHECKING:
    from planner.frontends.pyflink.connected import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
    from planner.frontends.pyflink.environment import StreamExecutionEnvironment
    from planner.frontends.pyflink.java_objects import JavaStream
    from planner.frontends.pyflink.keyed import KeyedStream
    from planner.frontends.pyflink.windowed import AllWindowedStream

__all__ = ["CachedDataStream", "DataStream", "DataStreamSink"]


class DataStream(Settings, StreamSettings):
    """The records of one transformation."""

    def __init__(self, environment: StreamExecutionEnvironment | JavaStream, draft: Draft | None = None) -> None:
        if draft is None:  # DataStream(j_data_stream), as scripts write it
            known = getattr(environment, "stream", None)
            if not isinstance(known, DataStream):
                raise TypeError(f"a DataStream is made of a stream of Java, not of a {type(environment).__name__}")
            environment, draft = known._environment, known._draft
        self._environment: StreamExecutionEnvironment = cast("StreamExecutionEnvironment", environment)
        self._draft: Draft = draft
        self._in_java = self._environment._calls.java

    @property
    def _j_data_stream(self) -> JavaStream:
        from planner.frontends.pyflink.java_objects import JavaStream

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

    def _operator(self, kind: str, name: str, func: Any, type: TypeInformation, **more: Any) -> DataStream:
        behaviour = PythonFunction(target=func)
        return self._stream(
            self._environment._calls.operator(
                [self._draft], kind, type, name=name, python="plain", behaviour=behaviour, **more
            )
        )

    def map(self, func: Any, output_type: Any = None) -> DataStream:
        """One record in, one out."""
        check_function(func, MapFunction, "The input must be a MapFunction or a callable function")
        return self._operator("map", "Map", func, type_of(output_type))

    def flat_map(self, func: Any, output_type: Any = None) -> DataStream:
        """One record in, any number out."""
        check_function(func, FlatMapFunction, "The input must be a FlatMapFunction or a callable function")
        return self._operator("flat_map", "FlatMap", func, type_of(output_type))

    def filter(self, func: Any) -> DataStream:
        """Keep some records."""
        check_function(func, FilterFunction, "The input must be a FilterFunction or a callable function")
        return self._operator("filter", "Filter", func, self._draft.python_type)

    def process(self, func: Any, output_type: Any = None) -> DataStream:
        """A process function."""
        return self._operator("process", "PROCESS", func, type_of(output_type))

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy) -> DataStream:
        """Give records their event time."""
        return self._stream(self._environment._calls.watermarks(self._draft, watermark_strategy))

    def project(self, *field_indexes: int) -> DataStream:
        """Some fields of a tuple."""
        if not isinstance(self.get_type(), TupleTypeInfo):
            raise Exception("Only Tuple DataStreams can be projected.")
        if not field_indexes:
            raise ValueError("project() needs to select at least one (1) field.")
        fields = self.get_type().get_field_types()  # type: ignore[attr-defined]
        kept = Select(columns=tuple((f"f{place}", f"f{index}") for place, index in enumerate(field_indexes)))
        draft = self._environment._calls.operator(
            [self._draft], "map", TupleTypeInfo([fields[index] for index in field_indexes]), name="Projection",
            label="project", behaviour=kept, run=PythonRun(fields=tuple(field_indexes)),
            written_name="Projection" if self._environment._calls.java else None,
        )  # fmt: skip
        return self._stream(draft)

    def key_by(self, key_selector: Any, key_type: TypeInformation | None = None) -> KeyedStream:
        """Group by a key."""
        from planner.frontends.pyflink.keyed import KeyedStream

        check_function(
            key_selector, KeySelector, "Parameter key_selector should be type of KeySelector or a callable function."
        )
        key = PickledBytesTypeInfo() if key_type is None else key_type
        return KeyedStream(self, self._environment._calls.key_by(self._draft, key_selector, key), key)

    def union(self, *streams: DataStream) -> DataStream:
        """Several streams read as one."""
        drafts = [self._draft, *(stream._plain()._draft for stream in streams)]
        return self._stream(self._environment._calls.union(drafts))

    def _plain(self) -> DataStream:
        return self

    def connect(self, ds: Any) -> ConnectedStreams | BroadcastConnectedStream:
        """Two streams into one operator."""
        from planner.frontends.pyflink.connected import BroadcastConnectedStream, BroadcastStream, ConnectedStreams

        if isinstance(ds, BroadcastStream):
            return BroadcastConnectedStream(self, ds, ds.broadcast_state_descriptors)
        return ConnectedStreams(self, ds)

    def window_all(self, window_assigner: Any) -> AllWindowedStream:
        """Windows over all records."""
        from planner.frontends.pyflink.windowed import AllWindowedStream

        return AllWindowedStream(self, window_assigner)

    def get_side_output(self, output_tag: OutputTag) -> DataStream:
        """The records that this operator tagged."""
        if self._draft.form is not Operator:
            raise JobDefinitionError(
                "only an operator has side outputs: PyFlink says that the method getSideOutput does not exist",
                location=user_location(), hint="call get_side_output() on the operator's own result",
            )  # fmt: skip
        return self._stream(self._environment._calls.side_output(self._draft, output_tag))

    def cache(self) -> CachedDataStream:
        """Keep the records for other jobs."""
        return CachedDataStream(self._environment, self._environment._calls.cache(self._draft))

    # --- partitioning

    def _partition(self, partitioner: str) -> DataStream:
        return self._stream(self._environment._calls.partition(self._draft, partitioner))

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

    def broadcast(
        self, broadcast_state_descriptor: Any = None, *other_broadcast_state_descriptors: Any
    ) -> DataStream | BroadcastStream:
        """To every subtask; with descriptors, as broadcast state."""
        from planner.frontends.pyflink.connected import BroadcastStream

        if broadcast_state_descriptor is None:
            return self._partition("BROADCAST")
        descriptors = [broadcast_state_descriptor, *other_broadcast_state_descriptors]
        if not all(isinstance(descriptor, MapStateDescriptor) for descriptor in descriptors):
            raise TypeError("broadcast_state_descriptor must be MapStateDescriptor")
        return BroadcastStream(self._partition("BROADCAST"), descriptors)

    def partition_custom(self, partitioner: Any, key_selector: Any) -> DataStream:
        """To the subtask that a function chooses by key."""
        check_function(
            partitioner, Partitioner, "Parameter partitioner should be type of Partitioner or a callable function."
        )
        check_function(
            key_selector, KeySelector, "Parameter key_selector should be type of KeySelector or a callable function."
        )
        return self._stream(self._environment._calls.partition_custom(self._draft, partitioner, key_selector))

    # --- sinks

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record."""
        return DataStreamSink(self._environment._calls.print(self._draft, sink_identifier))

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        """A legacy sink."""
        from planner.frontends.pyflink.connector_facts import check_legacy, connector_remarks
        from planner.frontends.pyflink.declared.functions import SinkFunction

        check_legacy(sink_func, SinkFunction, self._environment._has_jars())
        draft = self._environment._calls.operator(
            [self._draft], "sink", self._draft.record_type, behaviour=PythonFunction(target=sink_func),
            remarks=tuple(connector_remarks(sink_func)) or None, run=PythonRun(connector=sink_func),
        )  # fmt: skip
        return DataStreamSink(draft)

    def sink_to(self, sink: Any) -> DataStreamSink:
        """A new-style sink."""
        from planner.frontends.pyflink.connector_facts import check_new_style, connector_remarks, sink_facts
        from planner.frontends.pyflink.declared.connectors import Sink

        check_new_style(sink, Sink, "add_sink")
        facts, calls, read = sink_facts(sink), self._environment._calls, self._draft
        if facts.topic_selector is not None:
            read = calls.topics(read, facts.topic_selector)
        if facts.takes_row_data and not isinstance(read.record_type, RowDataTypeInfo):
            read = calls.row_data(read)
        draft = calls.operator(
            [read], "sink", read.record_type, behaviour=facts.behaviour, api="v2", committer=facts.committer or None,
            extra_ids=facts.extra_ids or None, compaction=facts.compaction, co_locates=facts.co_locates,
            remarks=tuple(connector_remarks(sink)) or None,
            run=PythonRun(connector=sink),
        )  # fmt: skip
        return DataStreamSink(draft)

    def execute_and_collect(self, job_execution_name: str | None = None, limit: int | None = None) -> Any:
        """Execute the job for this stream's records; none come while a file is only loaded."""
        self._draft, records = self._environment._collect(self._draft, job_execution_name)
        return CloseableIterator(records) if limit is None else records[:limit]


class DataStreamSink(Settings):
    """The end of a stream."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def set_uid_hash(self, uid_hash: str) -> Self:
        """An operator id of an older job to take over; a new-style sink is several operators."""
        if self._draft.arguments.get("api") == "v2":
            raise JobDefinitionError(
                "Cannot set a custom UID hash on a non-legacy sink", location=user_location(),
                hint="give the sink a uid: the state of its writer is found by it",
            )  # fmt: skip
        return super().set_uid_hash(uid_hash)


class CachedDataStream(DataStream):
    """A stream whose records are kept."""

    def invalidate(self) -> None:
        """Forget the records."""

    def _set(self, call: str, key: str, value: Any) -> NoReturn:
        what = call if call.startswith(("set_", "start_", "disable_")) else f"set_{call}"
        raise Exception(f"{what.replace('_', ' ').capitalize()} for CachedDataStream is not supported.")
