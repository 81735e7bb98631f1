"""What scripts for Flink 1.x name and PyFlink 2.3 does not have, or has no Java class for, with what to do instead."""

from __future__ import annotations

from typing import Final

__all__ = ["NO_JAVA_CLASS", "NO_JAVA_METHOD", "REMOVED", "hint_for"]

_TIME = "event time needs no switch: assign_timestamps_and_watermarks() is enough"
_RESTART = 'set the option: config.set_string("restart-strategy.type", "fixed-delay")'
_BACKEND = 'set the option: config.set_string("state.backend.type", "rocksdb")'
_FILE = "use from_source(FileSource.for_record_stream_format(StreamFormat.text_line_format(), path).build(), ...)"

# Names of Flink 1.x that are gone.
REMOVED: Final = {
    "TimeCharacteristic": _TIME,
    "set_stream_time_characteristic": _TIME,
    "get_stream_time_characteristic": _TIME,
    "ExternalizedCheckpointCleanup": "it is called ExternalizedCheckpointRetention",
    "set_restart_strategy": _RESTART,
    "get_restart_strategy": _RESTART,
    "set_state_backend": _BACKEND,
    "get_state_backend": _BACKEND,
    "set_checkpoint_storage": 'set the option: config.set_string("execution.checkpointing.dir", "file:///...")',
    "set_externalized_checkpoint_cleanup": "it is called set_externalized_checkpoint_retention()",
    "MemoryStateBackend": "use HashMapStateBackend, or the option state.backend.type",
    "FsStateBackend": "use HashMapStateBackend and the option execution.checkpointing.dir",
    "RocksDBStateBackend": "use EmbeddedRocksDBStateBackend, or the option state.backend.type",
    "read_text_file": _FILE,
    "from_sequence": "use from_source(NumberSequenceSource(start, end), ...)",
    "generate_sequence": "use from_source(NumberSequenceSource(start, end), ...)",
    "socket_text_stream": "PyFlink 2.3 has no socket source: read from Kafka, files or a collection",
    "global_": "use rebalance() and set_parallelism(1) on the next operator",
    "from_elements": "use from_collection([...])",
    "add_default_kryo_serializer": "set the option pipeline.serialization-config",
    "enable_externalized_checkpoints": "it is called set_externalized_checkpoint_retention()",
    "set_fail_on_checkpointing_errors": "use set_tolerable_checkpoint_failure_number(0)",
    "FlinkKafkaConsumer011": "use KafkaSource.builder()",
    "FlinkKafkaProducer011": "use KafkaSink.builder()",
    "iterate": "Flink 2 has no iterations",
    "split": "use get_side_output()",
    "time_window": "use window(TumblingEventTimeWindows.of(...))",
}

# Classes that the Python module still has, while no connector for Flink 2 has their Java class.
NO_JAVA_CLASS: Final = {
    "FlinkKafkaConsumer": "use KafkaSource.builder() and from_source()",
    "FlinkKafkaProducer": "use KafkaSink.builder() and sink_to()",
    "FlinkKinesisConsumer": "use another source: Flink 2's Kinesis connector has none for Python",
    "StreamingFileSink": "use FileSink and sink_to()",
    "RMQSource": "RabbitMQ has no connector for Flink 2",
    "RMQSink": "RabbitMQ has no connector for Flink 2",
    "JdbcSink": "the JDBC connector for Flink 2 has no sink for add_sink()",
    "CassandraSink": "Cassandra has no connector for Flink 2",
}

# Methods that the Python class still has, while Flink 2's Java class has them no more.
NO_JAVA_METHOD: Final = {
    f"{call}_{what}"
    for call, what in (
        ("enable", "force_avro"), ("disable", "force_avro"), ("enable", "force_kryo"), ("disable", "force_kryo"),
        ("enable", "generic_types"), ("disable", "generic_types"), ("has", "generic_types_disabled"),
        ("is", "force_avro_enabled"), ("is", "force_kryo_enabled"), ("get", "registered_kryo_types"),
        ("get", "registered_pojo_types"), ("get", "default_kryo_serializer_classes"),
    )
}  # fmt: skip


def hint_for(name: str) -> str | None:
    """What to do about a name of Flink 1.x."""
    return f"PyFlink 1.x had it, 2.3 has not: {REMOVED[name]}" if name in REMOVED else None
