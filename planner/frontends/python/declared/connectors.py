"""Sources and sinks of Kafka and of numbers, and the schemas of records.

PyFlink's classes with their methods and arguments, and no code: `recorded` keeps the calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Self

from planner.frontends.python.answers import check_properties, check_type, produced_by_schema
from planner.frontends.python.declared.functions import SinkFunction, SourceFunction
from planner.frontends.python.recorded import Recorded
from planner.frontends.python.values.types import TypeInformation

__all__ = [
    "BulkWriterFactory",
    "ByteArraySchema",
    "DeliveryGuarantee",
    "DeserializationSchema",
    "Encoder",
    "FlinkKafkaConsumer",
    "FlinkKafkaConsumerBase",
    "FlinkKafkaProducer",
    "FlinkKafkaProducerBase",
    "KafkaOffsetResetStrategy",
    "KafkaOffsetsInitializer",
    "KafkaRecordSerializationSchema",
    "KafkaRecordSerializationSchemaBuilder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "KafkaSource",
    "KafkaSourceBuilder",
    "KafkaTopicPartition",
    "KafkaTopicSelector",
    "NumberSequenceSource",
    "RowDataBulkWriterFactory",
    "RowFieldExtractorSchema",
    "Semantic",
    "SerializationSchema",
    "SimpleStringSchema",
    "Sink",
    "Source",
    "StreamTransformer",
    "SupportsPreprocessing",
]


# --- pyflink.common.serialization ---


class SerializationSchema(Recorded):
    def __init__(self) -> None: ...


class DeserializationSchema(Recorded):
    def __init__(self) -> None: ...


class SimpleStringSchema(SerializationSchema, DeserializationSchema):
    def __init__(self, charset: Any = "UTF-8") -> None: ...


class ByteArraySchema(SerializationSchema, DeserializationSchema):
    def __init__(self) -> None: ...


class Encoder(Recorded):
    def __init__(self) -> None: ...
    @staticmethod
    def simple_string_encoder(charset_name: Any = "UTF-8") -> Encoder: ...


class BulkWriterFactory(Recorded):
    def __init__(self) -> None: ...


class RowDataBulkWriterFactory(BulkWriterFactory):
    def __init__(self, row_type: Any) -> None: ...
    def get_row_type(self) -> Any: ...


class RowFieldExtractorSchema(SerializationSchema):
    def __init__(self, field_index: Any) -> None: ...


# --- pyflink.datastream.connectors.base ---


class Source(Recorded):
    def __init__(self, source: Any) -> None: ...


class Sink(Recorded):
    def __init__(self, sink: Any) -> None: ...


class DeliveryGuarantee(Enum):
    EXACTLY_ONCE = (0,)
    AT_LEAST_ONCE = (1,)
    NONE = 2


class StreamTransformer(ABC):
    @abstractmethod
    def apply(self, ds: Any) -> Any: ...


class SupportsPreprocessing(ABC):
    @abstractmethod
    def get_transformer(self) -> Any: ...


# --- pyflink.datastream.connectors.number_seq ---


class NumberSequenceSource(Source):
    def __init__(self, start: Any, end: Any) -> None: ...


# --- pyflink.datastream.connectors.kafka ---


class FlinkKafkaConsumerBase(SourceFunction):
    def __init__(self) -> None: ...
    def set_commit_offsets_on_checkpoints(self, commit_on_checkpoints: Any) -> Self:
        check_type("setCommitOffsetsOnCheckpoints", commit_on_checkpoints, bool)
        return self

    def set_start_from_earliest(self) -> Self: ...
    def set_start_from_latest(self) -> Self: ...
    def set_start_from_timestamp(self, startup_offsets_timestamp: Any) -> Self:
        check_type("setStartFromTimestamp", startup_offsets_timestamp, int)
        if startup_offsets_timestamp < 0:
            raise ValueError("The provided value for the startup offsets timestamp is invalid.")
        return self

    def set_start_from_group_offsets(self) -> Self: ...
    def disable_filter_restored_partitions_with_subscribed_topics(self) -> Self: ...
    def get_produced_type(self) -> TypeInformation:
        return produced_by_schema(self)


class FlinkKafkaConsumer(FlinkKafkaConsumerBase):
    def __init__(self, topics: Any, deserialization_schema: Any, properties: Any) -> None:
        check_properties(properties)
        if topics == []:
            raise ValueError("If subscribing to a fixed topics list, the supplied list cannot be empty.")


class Semantic(Enum):
    EXACTLY_ONCE = (0,)
    AT_LEAST_ONCE = (1,)
    NONE = 2


class FlinkKafkaProducerBase(SinkFunction):
    def __init__(self) -> None: ...
    def set_log_failures_only(self, log_failures_only: Any) -> Self: ...
    def set_flush_on_checkpoint(self, flush_on_checkpoint: Any) -> Self:
        raise AttributeError("Method setFlushOnCheckpoint([class java.lang.Boolean]) does not exist")

    def set_write_timestamp_to_kafka(self, write_timestamp_to_kafka: Any) -> Self: ...


class FlinkKafkaProducer(FlinkKafkaProducerBase):
    def __init__(
        self,
        topic: Any,
        serialization_schema: Any,
        producer_config: Any,
        kafka_producer_pool_size: Any = 5,
        semantic: Any = None,
    ) -> None:
        from planner.frontends.python.connector_checks import refuse_bare

        check_properties(producer_config)
        check_type("FlinkKafkaProducer", topic, str)
        refuse_bare(serialization_schema)
        if not isinstance(semantic, Semantic | None):
            raise AttributeError(f"{type(semantic).__name__!r} object has no attribute '_to_j_semantic'")
        if kafka_producer_pool_size < 1:
            raise ValueError("kafkaProducersPoolSize must be non empty")
        if "bootstrap.servers" not in producer_config:
            raise ValueError("bootstrap.servers must be supplied in the producer config properties.")

    def ignore_failures_after_transaction_timeout(self) -> Self: ...


class KafkaSource(Source):
    def __init__(self) -> None: ...
    @staticmethod
    def builder() -> KafkaSourceBuilder: ...


class KafkaSourceBuilder(Recorded):
    def __init__(self) -> None: ...
    def build(self) -> KafkaSource: ...
    def set_bootstrap_servers(self, bootstrap_servers: Any) -> Self: ...
    def set_group_id(self, group_id: Any) -> Self: ...
    def set_topics(self, *topics: Any) -> Self: ...
    def set_topic_pattern(self, topic_pattern: Any) -> Self: ...
    def set_partitions(self, partitions: Any) -> Self: ...
    def set_starting_offsets(self, starting_offsets_initializer: Any) -> Self: ...
    def set_unbounded(self, stopping_offsets_initializer: Any) -> Self: ...
    def set_bounded(self, stopping_offsets_initializer: Any) -> Self: ...
    def set_value_only_deserializer(self, deserialization_schema: Any) -> Self: ...
    def set_client_id_prefix(self, prefix: Any) -> Self: ...
    def set_property(self, key: Any, value: Any) -> Self: ...
    def set_properties(self, props: Any) -> Self: ...


class KafkaTopicPartition(Recorded):
    def __init__(self, topic: Any, partition: Any) -> None: ...


class KafkaOffsetResetStrategy(Enum):
    LATEST = 0
    EARLIEST = 1
    NONE = 2


class KafkaOffsetsInitializer(Recorded):
    def __init__(self) -> None: ...
    @staticmethod
    def committed_offsets(offset_reset_strategy: Any = None) -> KafkaOffsetsInitializer: ...
    @staticmethod
    def timestamp(timestamp: Any) -> KafkaOffsetsInitializer: ...
    @staticmethod
    def earliest() -> KafkaOffsetsInitializer: ...
    @staticmethod
    def latest() -> KafkaOffsetsInitializer: ...
    @staticmethod
    def offsets(offsets: Any, offset_reset_strategy: Any = None) -> KafkaOffsetsInitializer: ...


class KafkaSink(Sink, SupportsPreprocessing):
    def __init__(self, transformer: Any = None) -> None: ...
    @staticmethod
    def builder() -> KafkaSinkBuilder: ...
    def get_transformer(self) -> Any: ...


class KafkaSinkBuilder(Recorded):
    def __init__(self) -> None: ...
    def build(self) -> KafkaSink: ...
    def set_bootstrap_servers(self, bootstrap_servers: Any) -> Self: ...
    def set_delivery_guarantee(self, delivery_guarantee: Any) -> Self: ...
    def set_transactional_id_prefix(self, transactional_id_prefix: Any) -> Self: ...
    def set_record_serializer(self, record_serializer: Any) -> Self: ...
    def set_property(self, key: Any, value: Any) -> Self: ...


class KafkaRecordSerializationSchema(SerializationSchema):
    def __init__(self, topic_selector: Any = None) -> None: ...
    @staticmethod
    def builder() -> KafkaRecordSerializationSchemaBuilder: ...


class KafkaRecordSerializationSchemaBuilder(Recorded):
    def __init__(self) -> None: ...
    def build(self) -> KafkaRecordSerializationSchema: ...
    def set_topic(self, topic: Any) -> Self: ...
    def set_topic_selector(self, topic_selector: Any) -> KafkaRecordSerializationSchemaBuilder: ...
    def set_key_serialization_schema(self, key_serialization_schema: Any) -> Self: ...
    def set_value_serialization_schema(self, value_serialization_schema: Any) -> Self: ...


class KafkaTopicSelector(ABC):
    @abstractmethod
    def apply(self, data: Any) -> str: ...
