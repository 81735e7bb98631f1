"""Which names PyFlink's DataStream API has: the modules, what each defines, and what it hands on from others.

Module names are written without `pyflink.`. `stand_in` finds a name by these tables, and hints are made of them.
"""

from __future__ import annotations

from typing import Final

__all__ = ["BY_HAND", "DECLARED", "HANDED_ON", "STARS", "TABLE_STARS", "handed_on", "modules_with"]

# Modules with code of their own, by the modules of ours that have their names.
BY_HAND: Final = {
    "common.typeinfo": ("values.types",),
    "common.types": ("values.rows",),
    "common.time": ("values.times",),
    "common.watermark_strategy": ("values.watermarks",),
    "common.configuration": ("values.configuration",),
    "common.serializer": ("values.serializers",),
    "common.job_execution_result": ("results",),
    "common.constants": ("values.windows",),
    "datastream.data_stream": ("streams", "keyed", "windowed", "connected", "results"),
    "datastream.stream_execution_environment": ("environment",),
    "datastream.async_data_stream": ("async_streams",),
    "datastream.async_retry_strategies": ("values.retries",),
    "datastream.async_retry_predicates": ("values.retries",),
    "datastream.output_tag": ("values.types",),
    "datastream.utils": ("values.types",),
    "datastream.window": ("values.windows", "values.triggers", "values.assigners"),
    # its retry strategies are made by classes that extend it
    "datastream.functions": ("values.retries", "declared.functions"),
}
# All others: the module under `declared` that has their classes, and which of them are theirs.
DECLARED: Final = {
    "common.completable_future": ("settings", "CompletableFuture"),
    "common.config_options": ("settings", "ConfigOption ConfigOptions T"),
    "common.execution_config": ("settings", "ExecutionConfig"),
    "common.execution_mode": ("settings", "ExecutionMode"),
    "common.input_dependency_constraint": ("settings", "InputDependencyConstraint"),
    "common.io": ("settings", "InputFormat"),
    "common.job_client": ("settings", "JobClient"),
    "common.job_id": ("settings", "JobID"),
    "common.job_status": ("settings", "JobStatus"),
    "common.restart_strategy": ("settings", "RestartStrategies RestartStrategyConfiguration"),
    "common.serialization": (
        "connectors",
        "BulkWriterFactory ByteArraySchema DeserializationSchema Encoder RowDataBulkWriterFactory "
        "RowFieldExtractorSchema SerializationSchema SimpleStringSchema",
    ),
    "datastream.checkpoint_config": ("settings", "CheckpointConfig ExternalizedCheckpointCleanup"),
    "datastream.checkpoint_storage": (
        "settings",
        "CheckpointStorage CustomCheckpointStorage FileSystemCheckpointStorage JobManagerCheckpointStorage",
    ),
    "datastream.checkpointing_mode": ("settings", "CheckpointingMode"),
    "datastream.connectors.base": (
        "connectors",
        "DeliveryGuarantee Sink Source StreamTransformer SupportsPreprocessing",
    ),
    "datastream.connectors.cassandra": (
        "other_connectors",
        "CassandraCommitter CassandraFailureHandler CassandraSink ClusterBuilder ConsistencyLevel MapperOptions",
    ),
    "datastream.connectors.dynamic_kafka": (
        "other_connectors",
        "DynamicKafkaSource DynamicKafkaSourceBuilder KafkaMetadataService KafkaRecordDeserializationSchema "
        "KafkaStreamSetSubscriber KafkaStreamSubscriber SingleClusterTopicMetadataService StreamPatternSubscriber",
    ),
    "datastream.connectors.elasticsearch": (
        "other_connectors",
        "Elasticsearch6SinkBuilder Elasticsearch7SinkBuilder ElasticsearchEmitter ElasticsearchSink "
        "ElasticsearchSinkBuilderBase FlushBackoffType",
    ),
    "datastream.connectors.file_system": (
        "files",
        "BucketAssigner BulkFormat DefaultRollingPolicy FileCompactStrategy FileCompactor FileEnumeratorProvider "
        "FileSink FileSource FileSourceBuilder FileSplitAssignerProvider OnCheckpointRollingPolicy OutputFileConfig "
        "RollingPolicy StreamFormat StreamingFileSink",
    ),
    "datastream.connectors.hybrid_source": ("other_connectors", "HybridSource HybridSourceBuilder"),
    "datastream.connectors.jdbc": ("other_connectors", "JdbcConnectionOptions JdbcExecutionOptions JdbcSink"),
    "datastream.connectors.kafka": (
        "connectors",
        "FlinkKafkaConsumer FlinkKafkaConsumerBase FlinkKafkaProducer FlinkKafkaProducerBase "
        "KafkaOffsetResetStrategy KafkaOffsetsInitializer KafkaRecordSerializationSchema "
        "KafkaRecordSerializationSchemaBuilder KafkaSink KafkaSinkBuilder KafkaSource KafkaSourceBuilder "
        "KafkaTopicPartition KafkaTopicSelector Semantic",
    ),
    "datastream.connectors.kinesis": (
        "other_connectors",
        "FlinkKinesisConsumer KinesisDeserializationSchema KinesisFirehoseSink KinesisFirehoseSinkBuilder "
        "KinesisShardAssigner KinesisStreamsSink KinesisStreamsSinkBuilder PartitionKeyGenerator WatermarkTracker",
    ),
    "datastream.connectors.number_seq": ("connectors", "NumberSequenceSource"),
    "datastream.connectors.pulsar": (
        "other_connectors",
        "MessageDelayer PulsarSink PulsarSinkBuilder PulsarSource PulsarSourceBuilder RangeGenerator StartCursor "
        "StopCursor TopicRoutingMode",
    ),
    "datastream.connectors.rabbitmq": ("other_connectors", "RMQConnectionConfig RMQSink RMQSource"),
    "datastream.execution_mode": ("settings", "RuntimeExecutionMode"),
    "datastream.externalized_checkpoint_retention": ("settings", "ExternalizedCheckpointRetention"),
    "datastream.formats.avro": (
        "files",
        "AvroBulkWriters AvroInputFormat AvroRowDeserializationSchema AvroRowSerializationSchema AvroSchema "
        "GenericRecordAvroTypeInfo",
    ),
    "datastream.formats.csv": (
        "files",
        "CsvBulkWriters CsvReaderFormat CsvRowDeserializationSchema CsvRowSerializationSchema CsvSchema "
        "CsvSchemaBuilder",
    ),
    "datastream.formats.json": ("files", "JsonRowDeserializationSchema JsonRowSerializationSchema"),
    "datastream.formats.orc": ("files", "OrcBulkWriters"),
    "datastream.formats.parquet": (
        "files",
        "AvroParquetReaders AvroParquetWriters ParquetBulkWriters ParquetColumnarRowInputFormat",
    ),
    "datastream.functions": (
        "functions",
        "AggregateFunction AllWindowFunction AsyncFunction AsyncFunctionDescriptor AsyncRetryPredicate "
        "AsyncRetryStrategy BaseBroadcastProcessFunction BroadcastProcessFunction CoFlatMapFunction CoMapFunction "
        "CoProcessFunction FilterFunction FlatMapFunction Function IN IN1 IN2 KEY KeySelector "
        "KeyedBroadcastProcessFunction KeyedCoProcessFunction KeyedProcessFunction KeyedStateStore MapFunction "
        "NullByteKeySelector OUT Partitioner ProcessAllWindowFunction ProcessFunction ProcessWindowFunction "
        "ReduceFunction RuntimeContext SinkFunction SourceFunction W W2 WindowFunction",
    ),
    "datastream.slot_sharing_group": ("settings", "MemorySize SlotSharingGroup"),
    "datastream.state": (
        "functions",
        "AggregatingState AggregatingStateDescriptor AppendingState BroadcastState IN K ListState "
        "ListStateDescriptor MapState MapStateDescriptor MergingState OUT OperatorStateStore ReadOnlyBroadcastState "
        "ReducingState ReducingStateDescriptor State StateDescriptor StateTtlConfig T V ValueState "
        "ValueStateDescriptor",
    ),
    "datastream.state_backend": (
        "settings",
        "CustomStateBackend EmbeddedRocksDBStateBackend FsStateBackend HashMapStateBackend MemoryStateBackend "
        "PredefinedOptions RocksDBStateBackend StateBackend",
    ),
    "datastream.time_characteristic": ("settings", "TimeCharacteristic"),
    "datastream.time_domain": ("functions", "TimeDomain"),
    "datastream.timerservice": ("functions", "TimerService"),
    "metrics.metricbase": ("functions", "Counter Distribution Meter Metric MetricGroup"),
}
# Names that a module has from another one.
HANDED_ON: Final = {
    "common": {
        "common.completable_future": "CompletableFuture",
        "common.config_options": "ConfigOption ConfigOptions",
        "common.configuration": "Configuration",
        "common.execution_config": "ExecutionConfig",
        "common.execution_mode": "ExecutionMode",
        "common.input_dependency_constraint": "InputDependencyConstraint",
        "common.job_client": "JobClient",
        "common.job_execution_result": "JobExecutionResult",
        "common.job_id": "JobID",
        "common.job_status": "JobStatus",
        "common.restart_strategy": "RestartStrategies RestartStrategyConfiguration",
        "common.serialization": "ByteArraySchema DeserializationSchema Encoder SerializationSchema SimpleStringSchema",
        "common.serializer": "TypeSerializer",
        "common.time": "Duration Instant Time",
        "common.typeinfo": "TypeInformation Types",
        "common.types": "Row RowKind",
        "common.watermark_strategy": "AssignerWithPeriodicWatermarksWrapper WatermarkStrategy",
        "datastream.formats.avro": "AvroRowDeserializationSchema AvroRowSerializationSchema",
        "datastream.formats.csv": "CsvRowDeserializationSchema CsvRowSerializationSchema",
        "datastream.formats.json": "JsonRowDeserializationSchema JsonRowSerializationSchema",
    },
    "common.io": {
        "common.utils": "JavaObjectWrapper",
    },
    "common.job_client": {
        "common.completable_future": "CompletableFuture",
        "common.job_execution_result": "JobExecutionResult",
        "common.job_id": "JobID",
        "common.job_status": "JobStatus",
    },
    "common.job_execution_result": {
        "common.job_id": "JobID",
    },
    "common.serialization": {
        "common.utils": "JavaObjectWrapper",
    },
    "common.typeinfo": {
        "common.time": "Instant",
        "common.types": "Row RowKind",
    },
    "common.watermark_strategy": {
        "common.time": "Duration",
    },
    "datastream": {
        "datastream.async_data_stream": "AsyncDataStream",
        "datastream.checkpoint_config": "CheckpointConfig ExternalizedCheckpointCleanup",
        "datastream.checkpoint_storage": (
            "CheckpointStorage CustomCheckpointStorage FileSystemCheckpointStorage JobManagerCheckpointStorage"
        ),
        "datastream.checkpointing_mode": "CheckpointingMode",
        "datastream.data_stream": (
            "BroadcastConnectedStream BroadcastStream ConnectedStreams DataStream DataStreamSink KeyedStream "
            "WindowedStream"
        ),
        "datastream.execution_mode": "RuntimeExecutionMode",
        "datastream.externalized_checkpoint_retention": "ExternalizedCheckpointRetention",
        "datastream.functions": (
            "AggregateFunction AsyncFunction AsyncRetryPredicate AsyncRetryStrategy BroadcastProcessFunction "
            "CoFlatMapFunction CoMapFunction CoProcessFunction FilterFunction FlatMapFunction KeySelector "
            "KeyedBroadcastProcessFunction KeyedCoProcessFunction KeyedProcessFunction MapFunction Partitioner "
            "ProcessFunction ProcessWindowFunction ReduceFunction RuntimeContext SinkFunction SourceFunction "
            "WindowFunction"
        ),
        "datastream.output_tag": "OutputTag",
        "datastream.slot_sharing_group": "MemorySize SlotSharingGroup",
        "datastream.state_backend": (
            "FsStateBackend MemoryStateBackend RocksDBStateBackend "
            "CustomStateBackend EmbeddedRocksDBStateBackend HashMapStateBackend PredefinedOptions StateBackend"
        ),
        "datastream.stream_execution_environment": "StreamExecutionEnvironment",
        "datastream.time_characteristic": "TimeCharacteristic",
        "datastream.time_domain": "TimeDomain",
        "datastream.timerservice": "TimerService",
        "datastream.window": (
            "CountWindow GlobalWindow MergingWindowAssigner TimeWindow Trigger TriggerResult Window WindowAssigner"
        ),
    },
    "datastream.async_data_stream": {
        "common.time": "Time",
        "common.typeinfo": "TypeInformation",
        "datastream.data_stream": "DataStream",
        "datastream.functions": "AsyncFunction AsyncFunctionDescriptor AsyncRetryStrategy",
    },
    "datastream.async_retry_strategies": {
        "datastream.functions": "AsyncRetryPredicate AsyncRetryStrategy",
    },
    "datastream.checkpoint_config": {
        "common.time": "Duration",
        "datastream.checkpointing_mode": "CheckpointingMode",
        "datastream.externalized_checkpoint_retention": "ExternalizedCheckpointRetention",
    },
    "datastream.connectors": {
        "datastream.connectors.base": "DeliveryGuarantee Sink Source",
        "datastream.connectors.dynamic_kafka": (
            "DynamicKafkaSource DynamicKafkaSourceBuilder KafkaMetadataService KafkaRecordDeserializationSchema "
            "KafkaStreamSetSubscriber KafkaStreamSubscriber SingleClusterTopicMetadataService "
            "StreamPatternSubscriber"
        ),
        "datastream.connectors.file_system": (
            "BucketAssigner FileEnumeratorProvider FileSink FileSource FileSourceBuilder FileSplitAssignerProvider "
            "OutputFileConfig RollingPolicy StreamFormat StreamingFileSink"
        ),
        "datastream.connectors.jdbc": "JdbcConnectionOptions JdbcExecutionOptions JdbcSink",
        "datastream.connectors.kafka": "FlinkKafkaConsumer FlinkKafkaProducer KafkaSource Semantic",
        "datastream.connectors.number_seq": "NumberSequenceSource",
        "datastream.connectors.pulsar": "PulsarSource PulsarSourceBuilder StartCursor StopCursor",
        "datastream.connectors.rabbitmq": "RMQConnectionConfig RMQSink RMQSource",
    },
    "datastream.connectors.cassandra": {
        "common.time": "Duration",
    },
    "datastream.connectors.dynamic_kafka": {
        "common.serialization": "DeserializationSchema",
        "datastream.connectors.base": "Source",
        "datastream.connectors.kafka": "KafkaOffsetsInitializer",
    },
    "datastream.connectors.elasticsearch": {
        "datastream.connectors.base": "DeliveryGuarantee Sink",
    },
    "datastream.connectors.file_system": {
        "common.serialization": "BulkWriterFactory Encoder RowDataBulkWriterFactory",
        "common.time": "Duration",
        "common.utils": "JavaObjectWrapper",
        "datastream.connectors.base": "Sink Source StreamTransformer SupportsPreprocessing",
        "datastream.data_stream": "DataStream",
        "datastream.functions": "SinkFunction",
    },
    "datastream.connectors.hybrid_source": {
        "datastream.connectors.base": "Source",
    },
    "datastream.connectors.jdbc": {
        "common.typeinfo": "RowTypeInfo",
        "datastream.functions": "SinkFunction",
    },
    "datastream.connectors.kafka": {
        "common.serialization": "DeserializationSchema SerializationSchema",
        "common.typeinfo": "TypeInformation Types",
        "common.types": "Row",
        "datastream.connectors.base": "DeliveryGuarantee Sink Source StreamTransformer SupportsPreprocessing",
        "datastream.functions": "SinkFunction SourceFunction",
    },
    "datastream.connectors.kinesis": {
        "common.serialization": "DeserializationSchema SerializationSchema",
        "common.watermark_strategy": "AssignerWithPeriodicWatermarksWrapper",
        "datastream.connectors.base": "Sink",
        "datastream.functions": "SourceFunction",
    },
    "datastream.connectors.number_seq": {
        "datastream.connectors.base": "Source",
    },
    "datastream.connectors.pulsar": {
        "common.config_options": "ConfigOption ConfigOptions",
        "common.serialization": "DeserializationSchema SerializationSchema",
        "common.time": "Duration",
        "datastream.connectors.base": "DeliveryGuarantee Sink Source",
    },
    "datastream.connectors.rabbitmq": {
        "common.serialization": "DeserializationSchema SerializationSchema",
        "datastream.functions": "SinkFunction SourceFunction",
    },
    "datastream.data_stream": {
        "common.execution_config": "ExecutionConfig",
        "common.typeinfo": "RowTypeInfo TypeInformation Types",
        "common.types": "Row",
        "common.watermark_strategy": "TimestampAssigner WatermarkStrategy",
        "datastream.connectors.base": "Sink SupportsPreprocessing",
        "datastream.functions": (
            "AggregateFunction AllWindowFunction AsyncFunctionDescriptor BroadcastProcessFunction CoFlatMapFunction "
            "CoMapFunction CoProcessFunction FilterFunction FlatMapFunction Function KeySelector "
            "KeyedBroadcastProcessFunction KeyedCoProcessFunction KeyedProcessFunction MapFunction "
            "NullByteKeySelector Partitioner ProcessAllWindowFunction ProcessFunction ProcessWindowFunction "
            "ReduceFunction RuntimeContext SinkFunction WindowFunction"
        ),
        "datastream.output_tag": "OutputTag",
        "datastream.slot_sharing_group": "SlotSharingGroup",
        "datastream.state": (
            "AggregatingStateDescriptor ListStateDescriptor MapStateDescriptor ReducingState "
            "ReducingStateDescriptor StateDescriptor"
        ),
        "datastream.stream_execution_environment": "StreamExecutionEnvironment",
        "datastream.window": (
            "CountSlidingWindowAssigner CountTumblingWindowAssigner CountWindowSerializer GlobalWindowSerializer "
            "MergingWindowAssigner TimeWindowSerializer Trigger WindowAssigner WindowOperationDescriptor"
        ),
    },
    "datastream.formats.avro": {
        "common.io": "InputFormat",
        "common.serialization": "BulkWriterFactory DeserializationSchema SerializationSchema",
        "common.typeinfo": "TypeInformation",
        "datastream.utils": "ResultTypeQueryable",
    },
    "datastream.formats.csv": {
        "common.serialization": "BulkWriterFactory DeserializationSchema RowDataBulkWriterFactory SerializationSchema",
        "common.typeinfo": "TypeInformation",
        "datastream.connectors.file_system": "StreamFormat",
    },
    "datastream.formats.json": {
        "common.serialization": "DeserializationSchema SerializationSchema",
        "common.typeinfo": "TypeInformation",
    },
    "datastream.formats.orc": {
        "common.configuration": "Configuration",
        "common.serialization": "BulkWriterFactory RowDataBulkWriterFactory",
    },
    "datastream.formats.parquet": {
        "common.configuration": "Configuration",
        "common.serialization": "BulkWriterFactory RowDataBulkWriterFactory",
        "datastream.connectors.file_system": "BulkFormat StreamFormat",
        "datastream.formats.avro": "AvroSchema",
    },
    "datastream.functions": {
        "datastream.async_retry_strategies": "ExponentialBackoffDelayRetryStrategy FixedDelayRetryStrategy",
        "datastream.state": (
            "AggregatingState AggregatingStateDescriptor BroadcastState ListState ListStateDescriptor MapState "
            "MapStateDescriptor ReadOnlyBroadcastState ReducingState ReducingStateDescriptor ValueState "
            "ValueStateDescriptor"
        ),
        "datastream.time_domain": "TimeDomain",
        "datastream.timerservice": "TimerService",
        "metrics.metricbase": "MetricGroup",
    },
    "datastream.output_tag": {
        "common.typeinfo": "RowTypeInfo TypeInformation Types",
    },
    "datastream.state": {
        "common.time": "Duration Time",
        "common.typeinfo": "TypeInformation Types",
        "datastream.functions": "AggregateFunction ReduceFunction",
        "datastream.state": "StateDescriptor",
    },
    "datastream.stream_execution_environment": {
        "common.configuration": "Configuration",
        "common.execution_config": "ExecutionConfig",
        "common.io": "InputFormat",
        "common.job_client": "JobClient",
        "common.job_execution_result": "JobExecutionResult",
        "common.typeinfo": "TypeInformation Types",
        "common.watermark_strategy": "WatermarkStrategy",
        "datastream.checkpoint_config": "CheckpointConfig",
        "datastream.checkpointing_mode": "CheckpointingMode",
        "datastream.connectors.base": "Source",
        "datastream.data_stream": "DataStream",
        "datastream.execution_mode": "RuntimeExecutionMode",
        "datastream.functions": "SourceFunction",
        "datastream.slot_sharing_group": "SlotSharingGroup",
        "datastream.utils": "ResultTypeQueryable",
    },
    "datastream.utils": {
        "common.configuration": "Configuration",
        "common.typeinfo": (
            "BasicArrayTypeInfo ExternalTypeInfo ListTypeInfo MapTypeInfo ObjectArrayTypeInfo "
            "PrimitiveArrayTypeInfo RowTypeInfo TupleTypeInfo TypeInformation Types"
        ),
        "common.types": "Row RowKind",
    },
    "datastream.window": {
        "common.serializer": "TypeSerializer",
        "common.time": "Time",
        "common.typeinfo": "Types",
        "datastream.functions": "ReduceFunction RuntimeContext",
        "datastream.output_tag": "OutputTag",
        "datastream.state": "ReducingState ReducingStateDescriptor State StateDescriptor ValueStateDescriptor",
        "metrics.metricbase": "MetricGroup",
    },
    "metrics": {
        "metrics.metricbase": "Counter Distribution Meter Metric MetricGroup",
    },
}

# What `from MODULE import *` takes, where that is not all that the module has.
STARS: Final = {
    "common": (
        "AssignerWithPeriodicWatermarksWrapper ByteArraySchema CompletableFuture ConfigOption ConfigOptions "
        "Configuration DeserializationSchema Duration Encoder ExecutionConfig ExecutionMode "
        "InputDependencyConstraint Instant JobClient JobExecutionResult JobID JobStatus RestartStrategies "
        "RestartStrategyConfiguration Row RowKind SerializationSchema SimpleStringSchema Time TypeInformation "
        "TypeSerializer Types WatermarkStrategy"
    ),
    "common.config_options": "ConfigOption ConfigOptions",
    "common.constants": "MAX_LONG_VALUE MIN_LONG_VALUE",
    "common.job_execution_result": "JobExecutionResult",
    "common.serialization": (
        "BulkWriterFactory ByteArraySchema DeserializationSchema Encoder RowFieldExtractorSchema "
        "SerializationSchema SimpleStringSchema"
    ),
    "common.typeinfo": "TypeInformation Types",
    "common.watermark_strategy": ("AssignerWithPeriodicWatermarksWrapper Duration TimestampAssigner WatermarkStrategy"),
    "datastream.async_data_stream": (
        "AsyncDataStream AsyncFunction AsyncFunctionDescriptor AsyncRetryStrategy DataStream Time TypeInformation"
    ),
    "datastream.async_retry_predicates": ("empty_result_predicate exception_type_predicate has_exception_predicate"),
    "datastream.async_retry_strategies": (
        "ExponentialBackoffDelayRetryStrategy FixedDelayRetryStrategy NoRetryStrategy RetryPredicate"
    ),
    "datastream.connectors": "DeliveryGuarantee Sink Source",
    "datastream.connectors.elasticsearch": (
        "Elasticsearch6SinkBuilder Elasticsearch7SinkBuilder ElasticsearchEmitter ElasticsearchSink FlushBackoffType"
    ),
    "datastream.connectors.file_system": (
        "BucketAssigner BulkFormat FileCompactStrategy FileCompactor FileEnumeratorProvider FileSink FileSource "
        "FileSourceBuilder FileSplitAssignerProvider OutputFileConfig RollingPolicy StreamFormat StreamingFileSink"
    ),
    "datastream.connectors.kafka": (
        "FlinkKafkaConsumer FlinkKafkaProducer KafkaOffsetResetStrategy KafkaOffsetsInitializer "
        "KafkaRecordSerializationSchema KafkaRecordSerializationSchemaBuilder KafkaSink KafkaSinkBuilder "
        "KafkaSource KafkaSourceBuilder KafkaTopicPartition KafkaTopicSelector Semantic"
    ),
    "datastream.data_stream": (
        "BroadcastConnectedStream BroadcastStream CloseableIterator ConnectedStreams DataStream DataStreamSink "
        "KeyedStream WindowedStream"
    ),
    "datastream.functions": (
        "AggregateFunction AllWindowFunction AsyncFunction AsyncFunctionDescriptor AsyncRetryPredicate "
        "AsyncRetryStrategy BaseBroadcastProcessFunction BroadcastProcessFunction CoFlatMapFunction CoMapFunction "
        "CoProcessFunction FilterFunction FlatMapFunction KeySelector KeyedBroadcastProcessFunction "
        "KeyedCoProcessFunction KeyedProcessFunction MapFunction Partitioner ProcessAllWindowFunction "
        "ProcessFunction ProcessWindowFunction ReduceFunction RuntimeContext SinkFunction SourceFunction "
        "TimerService WindowFunction"
    ),
    "datastream.output_tag": "OutputTag RowTypeInfo TypeInformation Types",
    "datastream.state": (
        "AggregatingState AggregatingStateDescriptor BroadcastState ListState ListStateDescriptor MapState "
        "MapStateDescriptor OperatorStateStore ReadOnlyBroadcastState ReducingState ReducingStateDescriptor "
        "StateTtlConfig ValueState ValueStateDescriptor"
    ),
    "datastream.utils": (
        "BasicArrayTypeInfo Configuration ExternalTypeInfo ListTypeInfo MapTypeInfo ObjectArrayTypeInfo "
        "PrimitiveArrayTypeInfo ResultTypeQueryable Row RowKind RowTypeInfo TupleTypeInfo TypeInformation Types"
    ),
    "datastream.window": (
        "ContinuousEventTimeTrigger ContinuousProcessingTimeTrigger CountSlidingWindowAssigner CountTrigger "
        "CountTumblingWindowAssigner CountWindow CountWindowSerializer DynamicEventTimeSessionWindows "
        "DynamicProcessingTimeSessionWindows EventTimeSessionWindows EventTimeTrigger GlobalWindow "
        "GlobalWindowSerializer GlobalWindows MergingWindowAssigner NeverTrigger ProcessingTimeSessionWindows "
        "ProcessingTimeTrigger PurgingTrigger SessionWindowTimeGapExtractor SlidingEventTimeWindows "
        "SlidingProcessingTimeWindows TimeWindow TimeWindowSerializer Trigger TriggerResult "
        "TumblingEventTimeWindows TumblingProcessingTimeWindows Window WindowAssigner"
    ),
}

# The same of the Table API, whose names can be imported and are refused where they are used.
TABLE_STARS: Final = {
    "table": (
        "AggregateFunction AsyncScalarFunction ChangelogMode CompiledPlan CsvTableSink CsvTableSource "
        "DataTypes DataView EnvironmentSettings ExplainDetail Expression FormatDescriptor FunctionContext "
        "GroupWindowedTable GroupedTable ListView MapView Module ModuleEntry OverWindowedTable PlanReference "
        "ResultKind Row RowKind ScalarFunction Schema SqlDialect StatementSet StreamTableEnvironment Table "
        "TableAggregateFunction TableConfig TableDescriptor TableEnvironment TableFunction TablePipeline "
        "TableResult TableSchema TableSink TableSource UserDefinedType WindowGroupedTable WriteMode"
    ),
    "table.catalog": (
        "Catalog CatalogBaseTable CatalogColumnStatistics CatalogDatabase CatalogDescriptor CatalogFunction "
        "CatalogPartition CatalogPartitionSpec CatalogTableStatistics Column ComputedColumn Constraint "
        "HiveCatalog MetadataColumn ObjectIdentifier ObjectPath PhysicalColumn Procedure ResolvedSchema "
        "UniqueConstraint WatermarkSpec"
    ),
    "table.descriptors": "Rowtime Schema",
    "table.expressions": (
        "CURRENT_RANGE CURRENT_ROW UNBOUNDED_RANGE UNBOUNDED_ROW and_ array atan2 call call_sql col concat "
        "concat_ws convert_tz current_database current_date current_time current_timestamp current_watermark "
        "date_format descriptor e from_unixtime if_then_else json json_array json_array_agg json_object "
        "json_object_agg json_string lit local_time local_timestamp log map_ negative not_ null_of or_ pi "
        "rand rand_integer range_ row row_interval source_watermark temporal_overlaps timestamp_diff to_date "
        "to_timestamp to_timestamp_ltz unix_timestamp uuid with_columns without_columns"
    ),
    "table.types": "DataTypes Row RowKind UserDefinedType",
    "table.udf": (
        "AggregateFunction AsyncScalarFunction FunctionContext ScalarFunction TableAggregateFunction "
        "TableFunction udaf udf udtaf udtf"
    ),
    "table.window": "GroupWindow Over OverWindow Session Slide Tumble",
}


def handed_on(module: str) -> dict[str, str]:
    """The names that a module has from others, each with the module that defines it."""
    return {name: origin for origin, names in HANDED_ON.get(module, {}).items() for name in names.split()}


def modules_with(name: str) -> list[str]:
    """The modules that have a name: where it is defined first."""
    defined = [module for module, (_, names) in DECLARED.items() if name in names.split()]
    return defined + [module for module in HANDED_ON if name in handed_on(module)]
