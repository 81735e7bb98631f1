"""What Flink's connectors refuse when they are built, so that a script is refused here for the same reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NoReturn

from planner.errors import JobDefinitionError
from planner.frontends.python.recorded import Recorded as Known
from planner.frontends.python.values.watermarks import WatermarkStrategy
from planner.frontends.python_files.absent_modules import Placeholder
from planner.frontends.python_files.places import user_location

if TYPE_CHECKING:
    from planner.frontends.python.recorded import Call, Recorded

__all__ = ["check_arguments", "check_built", "check_jar", "check_strategy", "refuse_bare"]

_PATHS: Final = ("base_path", "paths")  # parameters that name files
# Parameters that take an object of Java's: the class that has it, and what to give.
_JAVA_OBJECTS: Final = {
    "deserialization_schema": ("DeserializationSchema", "SimpleStringSchema() or a row schema, and read in a map()"),
    "serialization_schema": ("SerializationSchema", "SimpleStringSchema() or a row schema, and write in a map()"),
    "encoder": ("Encoder", "Encoder.simple_string_encoder()"),
}
_SUBSCRIPTIONS: Final = ("set_topics", "set_topic_pattern", "set_partitions")


def check_built(builder: Recorded) -> None:
    """Refuse a builder that Flink would refuse to build from."""
    check = _CHECKS.get(type(builder).__qualname__)
    if check is not None:
        check(builder)


def check_arguments(call: Call) -> None:
    """Refuse a path of None, most often an option that the script was not given, and schemas that Java cannot see."""
    for name, value in call.arguments:
        if name in _PATHS and (value is None or (isinstance(value, tuple) and None in value)):
            _refuse(
                f"{call.name}(): a path is None, and Flink refuses it",
                "give the script its arguments after `--`, for example: -- --input data.txt --output results",
            )
        kind = next((ending for ending in _JAVA_OBJECTS if name.endswith(ending)), None)
        if kind is not None:
            _check_java_object(value, kind)


def _check_java_object(given: object, kind: str) -> None:
    """Refuse what has no object of Java's; a class of the script that does not call its base's __init__ has none."""
    (base, instead), attribute = _JAVA_OBJECTS[kind], f"_j_{kind}"
    declared = isinstance(given, Known) and given._calls and any(one.__name__ == base for one in type(given).__mro__)
    if not declared and not isinstance(given, Placeholder) and not hasattr(given, attribute):
        what = f"type object {given.__name__!r}" if isinstance(given, type) else f"{type(given).__name__!r} object"
        _refuse(f"AttributeError: {what} has no attribute {attribute!r}: a {base} is wanted", f"give it {instead}")


def check_strategy(strategy: object, call: str) -> None:
    """Refuse what is no watermark strategy."""
    if not isinstance(strategy, (WatermarkStrategy, Placeholder)):
        shown = "None" if strategy is None else f"a {type(strategy).__name__}"
        _refuse(
            f"{call}(): the watermark strategy is {shown}, and PyFlink fails",
            "without event time, give it WatermarkStrategy.no_watermarks()",
        )


def check_jar(path: object) -> None:
    """Refuse a jar that is no URL."""
    if not isinstance(path, str) or ":" not in path:
        raise JobDefinitionError(
            f"a jar is named by a URL, and {path!r} has no protocol: PyFlink fails with MalformedURLException",
            location=user_location(),
            hint=f"write file://{path}" if str(path).startswith("/") else "write file:///path/to/the.jar",
        )


def _refuse(message: str, hint: str) -> NoReturn:
    raise JobDefinitionError(message, location=user_location(), hint=hint)


def _kafka_source(builder: Recorded) -> None:
    subscribed = [call for call in builder._calls if call.name in _SUBSCRIPTIONS]
    if not subscribed:
        _refuse("No subscribe mode is specified for the KafkaSource", "call set_topics('TOPIC') on its builder")
    if len(subscribed) > 1:
        _refuse(
            f"the KafkaSource is subscribed twice: {subscribed[0].name}() and {subscribed[1].name}()",
            "call one of them once: set_topics('A', 'B') takes several topics",
        )
    for topic in (topic for call in builder.calls("set_topics") for _, given in call.arguments for topic in given):
        if not isinstance(topic, str):
            _refuse(
                f"set_topics() takes the topics one by one, not a {type(topic).__name__}", "write set_topics(*topics)"
            )
    if not _has(builder, "set_bootstrap_servers", "bootstrap.servers"):
        _refuse("Property bootstrap.servers is required for a KafkaSource", "call set_bootstrap_servers('HOST:9092')")
    schema = builder.last("set_value_only_deserializer")
    if schema is None:
        _refuse(
            "Deserialization schema is required for a KafkaSource",
            "call set_value_only_deserializer(SimpleStringSchema())",
        )
    refuse_bare(schema.first())
    start = builder.last("set_starting_offsets")
    committed = start is not None and "committed_offsets" in repr(start.first())
    if committed and not _has(builder, "set_group_id", "group.id"):
        _refuse("Property group.id is required when a KafkaSource starts from committed offsets", "call set_group_id()")


def refuse_bare(schema: object) -> None:
    """Refuse a schema that is written in Python: Java reads and writes the records, and knows only PyFlink's own."""
    if not isinstance(schema, Known) or not schema._calls or schema._calls[0].first() is not None:
        return
    declared = next(kind for kind in type(schema).__mro__ if ".python.declared." in kind.__module__)
    if declared.__name__ in ("DeserializationSchema", "SerializationSchema"):
        _refuse(
            f"{type(schema).__name__} is a schema written in Python, and Java reads and writes records: PyFlink fails",
            "use SimpleStringSchema(), or a row schema, and do the rest in a map()",
        )


def _has(builder: Recorded, call: str, property: str) -> bool:
    given = [found.first() for found in builder.calls("set_property")]
    given += [key for found in builder.calls("set_properties") for key in (found.first() or {})]
    called = builder.last(call)
    return (called is not None and called.first() is not None) or property in given


def _kafka_sink(builder: Recorded) -> None:
    guarantee = builder.last("set_delivery_guarantee")
    if guarantee is not None and not hasattr(guarantee.first(), "name"):
        raise AttributeError(f"{type(guarantee.first()).__name__!r} object has no attribute '_to_j_delivery_guarantee'")
    exactly_once = guarantee is not None and guarantee.first().name == "EXACTLY_ONCE"
    if exactly_once and builder.last("set_transactional_id_prefix") is None:
        _refuse(
            "EXACTLY_ONCE delivery guarantee requires a transactional id prefix",
            "call set_transactional_id_prefix('NAME') on the builder of the KafkaSink",
        )
    if builder.last("set_record_serializer") is None:
        _refuse("the KafkaSink has no serializer of records", "call set_record_serializer() on its builder")
    if not _has(builder, "set_bootstrap_servers", "bootstrap.servers"):
        _refuse("Property bootstrap.servers is required for a KafkaSink", "call set_bootstrap_servers('HOST:9092')")


def _kafka_serializer(builder: Recorded) -> None:
    for setter in ("set_value_serialization_schema", "set_key_serialization_schema"):
        for call in builder.calls(setter)[-1:]:
            refuse_bare(call.first())
    if builder.last("set_value_serialization_schema") is None:
        _refuse("No value serializer is configured for Kafka records", "call set_value_serialization_schema()")
    if builder.last("set_topic") is None and builder.last("set_topic_selector") is None:
        _refuse("No topic selector is configured for Kafka records", "call set_topic('TOPIC')")


def _json_reader(builder: Recorded) -> None:
    if builder.last("fail_on_missing_field") is not None and builder.last("ignore_parse_errors") is not None:
        _refuse(
            "JSON format doesn't support fail_on_missing_field and ignore_parse_errors together", "keep one of them"
        )
    if builder.last("type_info") is None and builder.last("json_schema") is None:
        raise TypeError("Typeinfo should be set.")


def _bulk_sink(builder: Recorded) -> None:
    policy = builder.last("with_rolling_policy")
    if policy is not None and "on_checkpoint_rolling_policy" not in repr(policy.first()):
        raise ValueError("rolling_policy must be OnCheckpointRollingPolicy for bulk format")


def _compaction(builder: Recorded) -> None:
    for setter, what in (
        ("enable_compaction_on_checkpoint", "Number of checkpoints before compaction"),
        ("set_num_compact_threads", "Compact threads"),
    ):
        if any(isinstance(given := call.first(), int) and given <= 0 for call in builder.calls(setter)):
            _refuse(f"{what} should be more than 0.", f"give {setter}() a number of at least 1")
    if builder.last("enable_compaction_on_checkpoint") is None and builder.last("set_size_threshold") is None:
        _refuse(
            "At least one trigger condition must be configured.",
            "call enable_compaction_on_checkpoint(N) or set_size_threshold(BYTES) on the strategy's builder",
        )


_CHECKS: Final[dict[str, Callable[[Recorded], None]]] = {
    "KafkaSourceBuilder": _kafka_source,
    "KafkaSinkBuilder": _kafka_sink,
    "KafkaRecordSerializationSchemaBuilder": _kafka_serializer,
    "JsonRowDeserializationSchema.Builder": _json_reader,
    "FileSink.BulkFormatBuilder": _bulk_sink,
    "FileCompactStrategy.Builder": _compaction,
}
