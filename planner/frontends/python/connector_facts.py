"""What a plan needs to know of a connector: whether its data ends, of which type it is, how a sink writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from planner.errors import JobDefinitionError
from planner.flink.differences import flink as flink_profile
from planner.flink.versions import is_before
from planner.frontends.python.connector_checks import refuse_bare
from planner.frontends.python.declared.connectors import Sink, Source
from planner.frontends.python.declared.functions import SinkFunction, SourceFunction
from planner.frontends.python.java_objects import JavaObject, java_class
from planner.frontends.python.recorded import Recorded
from planner.frontends.python.values.types import (
    BasicType,
    BasicTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowDataTypeInfo,
    RowTypeInfo,
    TypeInformation,
)
from planner.frontends.python.versions import LATEST_1X, OtherVersion, version
from planner.frontends.python_files.absent_modules import Placeholder, refuse_placeholder
from planner.frontends.python_files.places import user_location
from planner.job import Behaviour, PythonFunction, PythonRun, Reader, Sequence, Watermarks, Writer

if TYPE_CHECKING:
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.streams import DataStream

__all__ = [
    "LegacySourceFacts",
    "SinkFacts",
    "SourceFacts",
    "check_input_format",
    "check_java_function",
    "check_legacy",
    "check_new_style",
    "connector_remarks",
    "legacy_sink",
    "legacy_source",
    "legacy_source_facts",
    "new_sink",
    "new_source",
    "produced_type",
    "schema_given",
    "schema_type",
    "sink_facts",
    "source_facts",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """A source, as plans see it."""

    bounded: bool
    type: TypeInformation | None  # None: Flink cannot tell
    behaviour: Behaviour


@dataclass(frozen=True, slots=True, kw_only=True)
class LegacySourceFacts:
    """A source function, as plans see it."""

    type: TypeInformation
    behaviour: Behaviour
    parallel: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkFacts:
    """A sink, as plans see it."""

    committer: bool
    behaviour: Behaviour
    extra_ids: int = 0
    compaction: Literal["enabled", "disabled"] | None = None
    co_locates: str | None = None
    topic_selector: Any = None
    takes_row_data: bool = False


def check_java_function(connector: Any) -> None:
    """Refuse what has no Java side, as PyFlink does: a Python function, a builder that was not built."""
    kind = type(connector)
    if isinstance(connector, Placeholder) or hasattr(connector, "get_java_function"):
        return
    if isinstance(connector, (Source, Sink)) and any(isinstance(v, JavaObject) for v in _given(connector)):
        raise JobDefinitionError(
            f"{kind.__name__} is made of an object of Java, and there is no JVM while a script is loaded",
            location=user_location(),
            hint="use one of PyFlink's own connectors",
        )
    if not isinstance(connector, Recorded) or kind.__name__.endswith("Builder"):
        raise AttributeError(f"{kind.__name__!r} object has no attribute 'get_java_function'")
    if not connector._calls:  # its class extends SinkFunction or the like and never called its constructor
        raise JobDefinitionError(
            f"{kind.__name__} has no Java function: PyFlink cannot run sources and sinks that are written in Python",
            location=user_location(),
            hint="use a connector and sink_to() or from_source(), or do the work in a map() or process() function",
        )


# Java's own functions that Flink 1.x has under these names; those that run alone are marked.
_JAVA_FUNCTIONS: Final = {
    "org.apache.flink.streaming.api.functions.sink.DiscardingSink": True,
    "org.apache.flink.streaming.api.functions.sink.PrintSinkFunction": True,
    "org.apache.flink.streaming.api.functions.sink.SocketClientSink": True,
    "org.apache.flink.streaming.api.functions.source.StatefulSequenceSource": True,
    "org.apache.flink.streaming.api.functions.source.SocketTextStreamFunction": False,
    "org.apache.flink.streaming.api.functions.source.FromElementsFunction": False,
}
_DATA_SET: Final = "org.apache.flink.api.java.io."  # formats of the DataSet API
_RUN_ALONE: Final = frozenset({"RMQSource"})
_SCHEMA_ARGUMENTS: Final = ("deserialization_schema", "deserializer")


def check_legacy(function: Any, base: type, jars: bool) -> bool:
    """Refuse what `add_source` and `add_sink` refuse; whether the function can run in parallel."""
    check_java_function(function)
    if not isinstance(function, base) and isinstance(function, (Source, Sink)):
        new_style = "from_source()" if isinstance(function, Source) else "sink_to()"
        raise TypeError(f"a {base.__name__} is wanted, {type(function).__name__} goes into {new_style}")
    named = [given for call in getattr(function, "_calls", ()) for _, given in call.arguments]
    wrapped = named[0] if named and type(function).__name__ in ("SourceFunction", "SinkFunction") else None
    if isinstance(wrapped, JavaObject):  # a class of a user's own may be anywhere on Java's path
        wrapped = name if (name := java_class(wrapped) or "").startswith("org.apache.flink.") else None
    if not isinstance(wrapped, str):
        return type(function).__name__ not in _RUN_ALONE
    if not jars or wrapped in _JAVA_FUNCTIONS:
        _refuse_moved(wrapped, wrapped in _JAVA_FUNCTIONS)
    return _JAVA_FUNCTIONS.get(wrapped, True)


def legacy_source_facts(function: Any, jars: bool) -> LegacySourceFacts:
    """What is known of a source function."""
    parallel = check_legacy(function, SourceFunction, jars)
    schema = schema_given(function)
    kind = schema_type(schema) if schema is not None else PickledBytesTypeInfo()
    return LegacySourceFacts(type=kind, behaviour=PythonFunction(target=function), parallel=parallel)


def schema_given(function: Any) -> Any:
    """The schema that a source function was made with."""
    calls = getattr(function, "_calls", ())
    return next((given for call in calls for name, given in call.arguments if name in _SCHEMA_ARGUMENTS), None)


def _given(connector: Recorded) -> Iterator[Any]:
    return (value for call in connector._calls for _, value in call.arguments)


def check_new_style(connector: Any, base: type, call: str) -> None:
    """Refuse what `from_source` and `sink_to` refuse."""
    check_java_function(connector)
    if isinstance(connector, (SourceFunction, SinkFunction)) and not isinstance(connector, base):
        method = "fromSource" if base is Source else "sinkTo"
        raise TypeError(f"Method {method}([{type(connector).__name__}]) does not exist: it goes into {call}()")


def connector_remarks(connector: Any) -> Iterator[str]:
    """The calls that a connector was made by, as plans show them."""
    if isinstance(connector, Recorded):
        yield f"connector:{connector!r}"


def check_input_format(input_format: Any, jars: bool) -> None:
    """Refuse a file format of Java that Flink 2 does not have."""
    made = next(iter(_given(input_format)), None) if isinstance(input_format, Recorded) else None
    name = java_class(made) if isinstance(made, JavaObject) else None
    if name is not None and not jars:
        _refuse_moved(name, name.startswith(_DATA_SET))


def _refuse_moved(name: str, known: bool) -> None:
    """Refuse a class of Java that nobody knows, or that only Flink 1.x has under this name."""
    if not known:
        raise TypeError(f"Could not found the Java class {name!r}.")
    if not is_before(version(), "2.0"):
        raise OtherVersion(
            f"Could not found the Java class {name!r}: only Flink 1.x has it under this name",
            location=user_location(),
            hint=f"use PyFlink's own connectors; or plan for Flink 1.x: --flink {LATEST_1X}",
            flink=LATEST_1X,
        )


def produced_type(input_format: Any) -> TypeInformation:
    """The type of the records that an input format gives."""
    if type(input_format).__name__ != "AvroInputFormat":
        return TypeInformation()
    from planner.frontends.python.declared.files import GenericRecordAvroTypeInfo

    return GenericRecordAvroTypeInfo(dict(input_format._calls[0].arguments)["schema"])


# --- sources ----------------------------------------------------------------------------------------------------------


def source_facts(source: Any) -> SourceFacts:
    """What is known of a source; one that nobody knows never ends and gives any records."""
    if isinstance(source, Placeholder):
        refuse_placeholder(source)
    for kind in type(source).__mro__:
        read = _SOURCES.get(kind.__name__)
        if read is not None:
            return read(source)
    return SourceFacts(bounded=False, type=PickledBytesTypeInfo(), behaviour=PythonFunction(target=source))


def _number_sequence(source: Recorded) -> SourceFacts:
    given = dict(source._calls[0].arguments)
    behaviour = Sequence(start=given["start"], end=given["end"])
    return SourceFacts(bounded=True, type=_basic(BasicType.LONG), behaviour=behaviour)


def _file(source: Recorded) -> SourceFacts:
    made = source._calls[0]
    format_ = made.first()
    paths = dict(made.arguments).get("paths", ())
    monitored = source.last("monitor_continuously") is not None and not _later(
        source, "process_static_file_set", "monitor_continuously"
    )
    behaviour = Reader(format="text", path=str(paths[0]) if paths else None)
    return SourceFacts(bounded=not monitored, type=_format_type(format_), behaviour=behaviour)


def _later(source: Recorded, first: str, second: str) -> bool:
    """Whether the last call of two was the first of them."""
    return [call.name for call in source._calls if call.name in (first, second)][-1:] == [first]


def _format_type(format_: Any) -> TypeInformation:
    names = [call.name for call in format_._calls] if isinstance(format_, Recorded) else []
    if "StreamFormat.text_line_format" in names:
        return _basic(BasicType.STRING)
    if any(name.startswith(("CsvReaderFormat", "ParquetColumnarRowInputFormat")) for name in names):
        return RowDataTypeInfo()
    return TypeInformation()


def _stream_of_schema(setter: str, bound: str, format_: str) -> Callable[[Recorded], SourceFacts]:
    def read(source: Recorded) -> SourceFacts:
        schema = source.last(setter)
        kind = schema_type(schema.first()) if schema else PickledBytesTypeInfo()
        options = tuple(
            (call.name.removeprefix("set_"), str(call.first()))
            for call in source._calls
            if call.name.startswith("set_")
        )
        bounded = source.last(bound) is not None
        return SourceFacts(bounded=bounded, type=kind, behaviour=Reader(format=format_, options=options))

    return read


def _hybrid(source: Recorded) -> SourceFacts:
    parts = [argument for call in source._calls for _, argument in call.arguments if isinstance(argument, Recorded)]
    known = [source_facts(part) for part in parts if type(part).__name__.endswith("Source")]
    if not known:
        return SourceFacts(bounded=False, type=PickledBytesTypeInfo(), behaviour=PythonFunction(target=source))
    return SourceFacts(bounded=all(part.bounded for part in known), type=None, behaviour=PythonFunction(target=source))


_SOURCES: Final[Mapping[str, Callable[[Any], SourceFacts]]] = {
    "NumberSequenceSource": _number_sequence,
    "FileSource": _file,
    "KafkaSource": _stream_of_schema("set_value_only_deserializer", "set_bounded", "kafka"),
    "DynamicKafkaSource": _stream_of_schema("set_value_only_deserializer", "set_bounded", "kafka"),
    "PulsarSource": _stream_of_schema("set_deserialization_schema", "set_bounded_stop_cursor", "pulsar"),
    "HybridSource": _hybrid,
}


# --- types of schemas -------------------------------------------------------------------------------------------------


def schema_type(schema: Any) -> TypeInformation:
    """The type of the records that a deserialization schema gives."""
    if isinstance(schema, Placeholder):
        refuse_placeholder(schema)
    names = {kind.__name__ for kind in type(schema).__mro__}  # scripts extend schemas, and Java does not see it
    if "SimpleStringSchema" in names:
        return _basic(BasicType.STRING)
    if "ByteArraySchema" in names:
        return PrimitiveArrayTypeInfo(_basic(BasicType.BYTE))
    if not isinstance(schema, Recorded):
        return PickledBytesTypeInfo()
    for call in schema._calls:
        given = dict(call.arguments)
        if isinstance(kind := given.get("type_info"), TypeInformation):
            return kind
        if given.get("avro_schema_string"):
            import json  # for Avro only

            return _avro(json.loads(given["avro_schema_string"]))
        if given.get("json_schema"):
            return RowTypeInfo([])
    return PickledBytesTypeInfo()


_AVRO: Final = {
    "string": BasicType.STRING, "int": BasicType.INT, "long": BasicType.LONG, "float": BasicType.FLOAT,
    "double": BasicType.DOUBLE, "boolean": BasicType.BOOLEAN, "enum": BasicType.STRING,
}  # fmt: skip


def _avro(schema: Any) -> TypeInformation:
    """The type that Flink reads from an Avro schema."""
    if isinstance(schema, list):
        kept = [part for part in schema if part != "null"]
        return _avro(kept[0]) if len(kept) == 1 else TypeInformation()
    kind = schema["type"] if isinstance(schema, dict) else schema
    if not isinstance(kind, str):
        return _avro(kind)
    if kind in _AVRO:
        return _basic(_AVRO[kind])
    if kind == "record":
        fields = schema["fields"]
        return RowTypeInfo([_avro(part["type"]) for part in fields], [part["name"] for part in fields])
    if kind == "array":
        return ObjectArrayTypeInfo(_avro(schema["items"]))
    if kind == "map":
        return MapTypeInfo(_basic(BasicType.STRING), _avro(schema["values"]))
    return PrimitiveArrayTypeInfo(_basic(BasicType.BYTE)) if kind in ("bytes", "fixed") else TypeInformation()


def _basic(kind: BasicType) -> BasicTypeInfo:
    return BasicTypeInfo(kind)


# --- sinks ------------------------------------------------------------------------------------------------------------

_COMMITTING: Final = frozenset({"FileSink", "KafkaSink", "PulsarSink"})
_ROW_DATA: Final = frozenset(
    {"ParquetBulkWriters.for_row_type", "CsvBulkWriters.for_schema", "OrcBulkWriters.for_row_type"}
)


def sink_facts(sink: Any) -> SinkFacts:
    """What is known of a new-style sink."""
    if isinstance(sink, Placeholder):
        refuse_placeholder(sink)
    names = {kind.__name__ for kind in type(sink).__mro__}
    committer = bool(names & _COMMITTING)
    if not isinstance(sink, Recorded):
        return SinkFacts(committer=committer, behaviour=PythonFunction(target=sink))
    if "FileSink" in names:
        made = sink._calls[0]
        given = dict(made.arguments)
        factory = given.get("writer_factory")
        rows = isinstance(factory, Recorded) and any(call.name in _ROW_DATA for call in factory._calls)
        behaviour: Behaviour = Writer(format="text", path=str(given.get("base_path")))
        return SinkFacts(committer=True, behaviour=behaviour, takes_row_data=rows, compaction=_compaction(sink))
    if "KafkaSink" in names:
        guarantee = sink.last("set_delivery_guarantee")
        exactly_once = guarantee is not None and getattr(guarantee.first(), "name", "") == "EXACTLY_ONCE"
        prefix = sink.last("set_transactional_id_prefix")
        new = flink_profile(version()).kafka_connector >= 4
        return SinkFacts(
            committer=True,
            behaviour=Writer(format="kafka"),
            extra_ids=1 if new else 0,
            co_locates=str(prefix.first()) if new and exactly_once and prefix is not None else None,
            topic_selector=_topic_selector(sink),
        )
    return SinkFacts(committer=committer, behaviour=PythonFunction(target=sink))


def _compaction(sink: Recorded) -> Literal["enabled", "disabled"] | None:
    """Whether files are compacted: a strategy that was given once is kept."""
    if sink.last("enable_compact") is not None:
        return "enabled"
    return "disabled" if sink.last("disable_compact") is not None else None


def _topic_selector(sink: Recorded) -> Any:
    """The function that chooses a record's topic, where the serializer has one in place of a topic."""
    serializer = sink.last("set_record_serializer")
    schema = serializer.first() if serializer else None
    if not isinstance(schema, Recorded):
        return None
    topics = [call for call in schema._calls if call.name in ("set_topic", "set_topic_selector")]
    return topics[-1].first() if topics and topics[-1].name == "set_topic_selector" else None


# --- the calls that take connectors -----------------------------------------------------------------------------------


def new_source(
    environment: StreamExecutionEnvironment, source: Any, strategy: Any, name: str, type_info: TypeInformation | None
) -> Draft:
    """`from_source`; PyFlink hands on the strategy without its assigner."""
    from planner.frontends.python.connector_checks import check_strategy

    check_new_style(source, Source, "add_source")
    facts = source_facts(source)
    check_strategy(strategy, "from_source")
    kind = type_info or facts.type
    if kind is None:
        raise JobDefinitionError(
            f"The return type of function '{name}' could not be determined automatically",
            location=user_location(), hint="give from_source() a type_info",
        )  # fmt: skip
    lost = "from_source" if strategy._timestamp_assigner is not None else strategy.lost
    return environment._translation.operator(
        [], "source", kind, name=name, behaviour=facts.behaviour, bounded=facts.bounded,
        watermarks=Watermarks(out_of_orderness=strategy.out_of_orderness),
        remarks=tuple(connector_remarks(source)) + ((f"lost-assigner:{lost}",) if lost else ()) or None,
        run=PythonRun(connector=source, strategy=strategy),
    )  # fmt: skip


def legacy_source(
    environment: StreamExecutionEnvironment, function: Any, name: str, type_info: TypeInformation | None
) -> Draft:
    """`add_source`."""
    facts = legacy_source_facts(function, environment._has_jars())
    if type_info is None:
        refuse_bare(schema_given(function))
    draft = environment._translation.operator(
        [], "source", type_info or facts.type, name=name, legacy=True, bounded=False,
        parallel=facts.parallel, inherited=None if facts.parallel else 1, behaviour=facts.behaviour,
        remarks=tuple(connector_remarks(function)) or None, run=PythonRun(connector=function),
    )  # fmt: skip
    draft.fixed = not facts.parallel
    return draft


def new_sink(stream: DataStream, sink: Any) -> Draft:
    """`sink_to`."""
    check_new_style(sink, Sink, "add_sink")
    facts, calls, read = sink_facts(sink), stream._environment._translation, stream._draft
    if facts.topic_selector is not None:
        read = calls.topics(read, facts.topic_selector)
    if facts.takes_row_data and not isinstance(read.record_type, RowDataTypeInfo):
        read = calls.row_data(read)
    return calls.operator(
        [read], "sink", read.record_type, behaviour=facts.behaviour, api="v2", committer=facts.committer or None,
        extra_ids=facts.extra_ids or None, compaction=facts.compaction, co_locates=facts.co_locates,
        remarks=tuple(connector_remarks(sink)) or None,
        run=PythonRun(connector=sink),
    )  # fmt: skip


def legacy_sink(stream: DataStream, sink: Any) -> Draft:
    """`add_sink`."""
    check_legacy(sink, SinkFunction, stream._environment._has_jars())
    return stream._environment._translation.operator(
        [stream._draft], "sink", stream._draft.record_type, behaviour=PythonFunction(target=sink),
        remarks=tuple(connector_remarks(sink)) or None, run=PythonRun(connector=sink),
    )  # fmt: skip
