"""In which versions PyFlink has a name, where not all versions have it, and what to use instead.

Found by introspection of PyFlink 1.18.1, 1.19.3, 1.20.5 and 2.3.0. Everything that is not named here is in all of them.
The differences of plans stand with those of Flink itself, in `planner/flink/differences`.
"""

from __future__ import annotations

from linecache import getlines
from typing import Any, Final, TypeVar

from planner.errors import JobDefinitionError
from planner.flink.availability import Span
from planner.flink.versions import NEWEST, RELEASES
from planner.frontends.python.differences import as_pyflink
from planner.frontends.python_files.handover import current_session
from planner.frontends.python_files.places import caller_line, shown, user_location
from planner.job import Location

__all__ = [
    "LATEST_1X",
    "MEMBERS",
    "MODULES",
    "NAMES",
    "OnlyIn",
    "OtherVersion",
    "by_version",
    "has",
    "hint_for",
    "missing",
    "module_hint",
    "note_import",
    "note_use",
    "refuse_without_java",
    "refuse_without_method",
    "release",
    "replacement",
    "version",
]

_Class = TypeVar("_Class")
LATEST_1X: Final = "1.20"

_TIME = "event time needs no switch: assign_timestamps_and_watermarks() is enough"
_RESTART = 'set the option: config.set_string("restart-strategy.type", "fixed-delay")'
_BACKEND = 'set the option: config.set_string("state.backend.type", "rocksdb")'
_STORAGE = 'set the option: config.set_string("execution.checkpointing.dir", "file:///...")'
_RETENTION = "use set_externalized_checkpoint_retention(ExternalizedCheckpointRetention...)"
_KRYO = "set the option pipeline.serialization-config"
_FILE = "use from_source(FileSource.for_record_stream_format(StreamFormat.text_line_format(), path).build(), ...)"


def _old(instead: str | None = None) -> Span:
    return Span(until=LATEST_1X, instead=instead)


_NEW: Final = Span(since="2.0")
_NEW_SCHEMA: Final = Span(since="2.0", instead="use SimpleStringSchema(), or a row schema")

MODULES: Final = {
    "common.execution_mode": _old(),
    "datastream.time_characteristic": _old(_TIME),
    "datastream.async_data_stream": _NEW,
    "datastream.async_retry_predicates": _NEW,
    "datastream.async_retry_strategies": _NEW,
    "datastream.connectors.dynamic_kafka": _NEW,
    "datastream.externalized_checkpoint_retention": Span(since="1.20"),
    "util.api_stability_decorators": _NEW,
}
NAMES: Final = {
    "ExecutionMode": _old("leave it out: RuntimeExecutionMode says whether a job is a batch"),
    "ExternalizedCheckpointCleanup": _old("it is called ExternalizedCheckpointRetention"),
    "FsStateBackend": _old("use HashMapStateBackend and the option execution.checkpointing.dir"),
    "MemoryStateBackend": _old("use HashMapStateBackend, or the option state.backend.type"),
    "RocksDBStateBackend": _old("use EmbeddedRocksDBStateBackend, or the option state.backend.type"),
    "TimeCharacteristic": _old(_TIME),
    "AsyncDataStream": _NEW,
    "AsyncFunction": _NEW,
    "AsyncFunctionDescriptor": _NEW,
    "AsyncRetryPredicate": _NEW,
    "AsyncRetryStrategy": _NEW,
    "ByteArraySchema": _NEW_SCHEMA,
    "RowFieldExtractorSchema": _NEW_SCHEMA,
    "ExternalizedCheckpointRetention": Span(since="1.20", instead="it is called ExternalizedCheckpointCleanup"),
}
# By class. Some names of the environment are not in its class but in what it hands out.
MEMBERS: Final = {
    "StreamExecutionEnvironment": {
        "set_stream_time_characteristic": _old(_TIME),
        "get_stream_time_characteristic": _old(_TIME),
        "read_text_file": _old(_FILE),
        "set_state_backend": _old(_BACKEND),
        "get_state_backend": _old(_BACKEND),
        "set_restart_strategy": _old(_RESTART),
        "get_restart_strategy": _old(_RESTART),
        "add_default_kryo_serializer": _old(_KRYO),
        "register_type_with_kryo_serializer": _old(_KRYO),
        "register_type": _old(_KRYO),
        "get_checkpointing_consistency_mode": Span(since="1.20", instead="use get_checkpointing_mode()"),
    },
    "CheckpointConfig": {
        "DEFAULT_MODE": _old(),
        "DEFAULT_TIMEOUT": _old(),
        "DEFAULT_MIN_PAUSE_BETWEEN_CHECKPOINTS": _old(),
        "DEFAULT_MAX_CONCURRENT_CHECKPOINTS": _old(),
        "enable_externalized_checkpoints": _old(_RETENTION),
        "set_externalized_checkpoint_cleanup": _old(_RETENTION),
        "get_externalized_checkpoint_cleanup": _old("use get_externalized_checkpoint_retention()"),
        "set_checkpoint_storage": _old(_STORAGE),
        "set_checkpoint_storage_dir": _old(_STORAGE),
        "get_checkpoint_storage": _old(_STORAGE),
        "set_externalized_checkpoint_retention": Span(
            since="1.20", instead="use set_externalized_checkpoint_cleanup()"
        ),
        "get_externalized_checkpoint_retention": Span(
            since="1.20", instead="use get_externalized_checkpoint_cleanup()"
        ),
        "set_aligned_checkpoint_timeout": Span(since="2.0", instead="use set_alignment_timeout()"),
        "get_aligned_checkpoint_timeout": Span(since="2.0", instead="use get_alignment_timeout()"),
    },
    "ExecutionConfig": {
        "set_execution_mode": _old("leave it out: set_runtime_mode() says whether a job is a batch"),
        "get_execution_mode": _old(),
        "set_restart_strategy": _old(_RESTART),
        "get_restart_strategy": _old(_RESTART),
        "set_default_input_dependency_constraint": _old(),
        "get_default_input_dependency_constraint": _old(),
        "add_default_kryo_serializer": _old(_KRYO),
        "register_type_with_kryo_serializer": _old(_KRYO),
        "register_kryo_type": _old(_KRYO),
        "register_pojo_type": _old(_KRYO),
        "disable_auto_type_registration": _old(),
        "is_auto_type_registration_disabled": _old(),
        "get_registered_types_with_kryo_serializer_classes": _old(_KRYO),
    },
    "Configuration": {
        "from_dict": Span(since="2.0", instead="call set_string(KEY, VALUE) for each option"),
        "parse_list_value": Span(since="1.19"),
    },
}
# Classes whose Python side is in all versions, while only connectors for Flink 1.x have their Java class.
NO_JAVA_CLASS: Final = {
    "FlinkKafkaConsumer": "use KafkaSource.builder() and from_source()",
    "FlinkKafkaProducer": "use KafkaSink.builder() and sink_to()",
    "FlinkKinesisConsumer": "use another source: Flink 2's Kinesis connector has none for Python",
    "RMQSource": "RabbitMQ has no connector for Flink 2",
    "RMQSink": "RabbitMQ has no connector for Flink 2",
    "JdbcSink": "the JDBC connector for Flink 2 has no sink for add_sink()",
    "CassandraSink": "Cassandra has no connector for Flink 2",
}
# What else changes with the replacement.
_ALSO: Final = {
    "FlinkKafkaConsumer": (
        "(it begins at the group's committed offsets, KafkaSource at the earliest record: call "
        "set_starting_offsets(KafkaOffsetsInitializer.committed_offsets(...)) to keep that; it is another operator, so "
        "its id changes and the offsets in a savepoint are not found again: let the group commit them before)"
    ),
    "FlinkKafkaProducer": (
        "(the sink becomes a Writer and a Committer with ids of their own: open transactions in a savepoint are not "
        "found again, so stop with a savepoint and --drain first)"
    ),
    "read_text_file": (
        "(one source instead of two operators: ids downstream of it change; FileSource also reads the folders inside)"
    ),
}
# Methods that Flink 2's Java class has no more; the value is the class.
NO_JAVA_METHOD: Final = {
    f"{call}_{what}": "ExecutionConfig"
    for call, what in (
        ("enable", "force_avro"), ("disable", "force_avro"), ("enable", "force_kryo"), ("disable", "force_kryo"),
        ("enable", "generic_types"), ("disable", "generic_types"), ("has", "generic_types_disabled"),
        ("is", "force_avro_enabled"), ("is", "force_kryo_enabled"), ("get", "registered_kryo_types"),
        ("get", "registered_pojo_types"), ("get", "default_kryo_serializer_classes"),
    )
}  # fmt: skip
# Names of Java's API or of PyFlink before 1.18.
_NEVER: Final = {
    "from_sequence": "use from_source(NumberSequenceSource(start, end), ...)",
    "generate_sequence": "use from_source(NumberSequenceSource(start, end), ...)",
    "socket_text_stream": "PyFlink has no socket source: read from Kafka, files or a collection",
    "global_": "use rebalance() and set_parallelism(1) on the next operator",
    "from_elements": "use from_collection([...])",
    "FlinkKafkaConsumer011": "use KafkaSource.builder()",
    "FlinkKafkaProducer011": "use KafkaSink.builder()",
    "SimpleStringEncoder": "use Encoder.simple_string_encoder()",
    "iterate": "PyFlink has no iterations",
    "split": "use get_side_output()",
    "time_window": "use window(TumblingEventTimeWindows.of(...))",
}


class OtherVersion(JobDefinitionError):
    """A script uses what the version it is loaded for does not have; `flink` is the newest version that has it."""

    def __init__(self, message: str, *, location: Any, hint: str | None, flink: str) -> None:
        super().__init__(message, location=location, hint=hint)
        self.flink = flink


def version() -> str:
    """The version of Flink whose PyFlink the script meets that is being loaded."""
    session = current_session()
    return session.flink if session is not None else NEWEST


def release() -> str:
    """The full number of the release."""
    return RELEASES[version()]


def has(span: Span | None) -> bool:
    """Whether the version in use has something."""
    return span is None or span.holds(version())


def note_use(name: str) -> None:
    """Remember that the script uses a name which not all versions have: an upgrade may have to replace it."""
    session = current_session() if as_pyflink() else None
    if session is not None and name not in session.uses:
        session.uses[name] = user_location()


def note_import(name: str) -> None:
    """Remember the import of a name that not all versions have; of `import *` only what the file goes on to use."""
    file, line = caller_line()
    lines = getlines(file)
    if line > len(lines) or "*" not in lines[line - 1]:
        note_use(name)
        return
    session = current_session() if as_pyflink() else None
    if session is None or name in session.uses:
        return
    import ast  # for such files only

    loads = (node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.Name) and node.id == name)
    used = min((node.lineno for node in loads), default=None)
    if used is not None:
        session.uses[name] = Location(shown(file), used)


class OnlyIn:
    """A member of a class that only some versions have: in the others it is not there."""

    def __init__(self, name: str, member: Any, span: Span) -> None:
        self._name, self._member, self._span = name, member, span

    def __get__(self, instance: Any, owner: type) -> Any:
        if not has(self._span) and as_pyflink():
            where = f"{owner.__name__!r} object" if instance is not None else f"type object {owner.__name__!r}"
            raise AttributeError(
                f"{where} has no attribute {self._name!r}", name=self._name, obj=instance if instance else owner
            )
        if instance is not None:
            note_use(self._name)
        bind = getattr(self._member, "__get__", None)
        return bind(instance, owner) if bind is not None else self._member


def by_version(cls: type[_Class]) -> type[_Class]:
    """Hide members from the versions that lack them."""
    for name, span in MEMBERS.get(cls.__name__, {}).items():
        if name in vars(cls) and not isinstance(vars(cls)[name], OnlyIn):
            setattr(cls, name, OnlyIn(name, vars(cls)[name], span))
    return cls


def _span_of(name: str) -> Span | None:
    """The versions of a name that not all have: a class, or a member of any class."""
    if name in NAMES:
        return NAMES[name]
    return next((members[name] for members in MEMBERS.values() if name in members), None)


def missing(name: str) -> str | None:
    """The newest version that has a name or a module which the version in use has not; None for every other."""
    span = MODULES.get(name.removeprefix("pyflink.")) if name.startswith("pyflink.") else _span_of(name)
    if span is None or has(span):
        return None
    return span.until


def hint_for(name: str) -> str | None:
    """What to do about a name that the version in use does not have."""
    if name in _NEVER:
        return f"no PyFlink from 1.18 on has it: {_NEVER[name]}"
    span = _span_of(name)
    if span is None or has(span):
        return None
    known = f"up to {span.until}" if span.until != NEWEST else f"since {span.since}"
    told = f"PyFlink has it {known}, {version()} has not"
    return (
        f"{told}: {span.instead}; or plan for a version that has it: --flink {span.until}"
        if span.instead
        else (f"{told}; plan for a version that has it: --flink {span.until}")
    )


def module_hint(module: str) -> str:
    """What to do about a module that the version in use does not have."""
    span = MODULES.get(module.removeprefix("pyflink."))
    if span is None:
        return f"PyFlink {version()} has no module {module}"
    return f"PyFlink {version()} has no module {module}: plan for a version that has it: --flink {span.until}"


def replacement(name: str, new: str) -> str | None:
    """What stands in the place of a name in a version that does not have it; None where the version has it."""
    span = _old(NO_JAVA_CLASS[name]) if name in NO_JAVA_CLASS else _span_of(name)
    if span is None or span.holds(new):
        return None
    return " ".join(filter(None, [span.instead or "leave it out", _ALSO.get(name)]))


def refuse_without_java(name: str) -> None:
    """Refuse a class that only connectors for Flink 1.x have in Java."""
    if name not in NO_JAVA_CLASS or not as_pyflink():
        return
    note_use(name)
    if not has(_old()):
        raise OtherVersion(
            f"{name} has no Java class in any connector for Flink 2: PyFlink {version()} refuses it",
            location=user_location(),
            hint=f"{NO_JAVA_CLASS[name]}; or plan for Flink 1.x: --flink {LATEST_1X}",
            flink=LATEST_1X,
        )


def refuse_without_method(owner: str, name: str) -> None:
    """Refuse a method that calls what Flink 2's Java class does not have."""
    if NO_JAVA_METHOD.get(name) == owner and as_pyflink() and not has(_old()):
        raise OtherVersion(
            f"{name}() calls a method that Flink 2 does not have: PyFlink {version()} fails with Py4JError",
            location=user_location(),
            hint="leave it out, or set options of the form pipeline.* in a Configuration; "
            f"or plan for Flink 1.x: --flink {LATEST_1X}",
            flink=LATEST_1X,
        )
