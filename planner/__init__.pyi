"""The public names of `planner`, for editors and type checkers; `__init__.py` imports each when it is first used."""

import os

from planner.errors import (
    ExecutionError as ExecutionError,
)
from planner.errors import (
    InternalError as InternalError,
)
from planner.errors import (
    JobDefinitionError as JobDefinitionError,
)
from planner.errors import (
    OptionError as OptionError,
)
from planner.errors import (
    PlanError as PlanError,
)
from planner.errors import (
    PlanningError as PlanningError,
)
from planner.errors import (
    UnsupportedOnSpark as UnsupportedOnSpark,
)
from planner.frontends.dsl.connectors import (
    FileSource as FileSource,
)
from planner.frontends.dsl.connectors import (
    KafkaOffsetsInitializer as KafkaOffsetsInitializer,
)
from planner.frontends.dsl.connectors import (
    KafkaSource as KafkaSource,
)
from planner.frontends.dsl.connectors import (
    SimpleStringSchema as SimpleStringSchema,
)
from planner.frontends.dsl.connectors import (
    StreamFormat as StreamFormat,
)
from planner.frontends.dsl.environment import (
    Configuration as Configuration,
)
from planner.frontends.dsl.environment import (
    JobExecutionResult as JobExecutionResult,
)
from planner.frontends.dsl.environment import (
    NumberSequenceSource as NumberSequenceSource,
)
from planner.frontends.dsl.environment import (
    ReaderSource as ReaderSource,
)
from planner.frontends.dsl.environment import (
    RestartStrategies as RestartStrategies,
)
from planner.frontends.dsl.environment import (
    RuntimeExecutionMode as RuntimeExecutionMode,
)
from planner.frontends.dsl.environment import (
    StreamExecutionEnvironment as StreamExecutionEnvironment,
)
from planner.frontends.dsl.event_time import (
    Duration as Duration,
)
from planner.frontends.dsl.event_time import (
    EventTimeSessionWindows as EventTimeSessionWindows,
)
from planner.frontends.dsl.event_time import (
    GlobalWindows as GlobalWindows,
)
from planner.frontends.dsl.event_time import (
    ProcessingTimeSessionWindows as ProcessingTimeSessionWindows,
)
from planner.frontends.dsl.event_time import (
    SessionWindowTimeGapExtractor as SessionWindowTimeGapExtractor,
)
from planner.frontends.dsl.event_time import (
    SlidingEventTimeWindows as SlidingEventTimeWindows,
)
from planner.frontends.dsl.event_time import (
    SlidingProcessingTimeWindows as SlidingProcessingTimeWindows,
)
from planner.frontends.dsl.event_time import (
    Time as Time,
)
from planner.frontends.dsl.event_time import (
    TimestampAssigner as TimestampAssigner,
)
from planner.frontends.dsl.event_time import (
    TumblingEventTimeWindows as TumblingEventTimeWindows,
)
from planner.frontends.dsl.event_time import (
    TumblingProcessingTimeWindows as TumblingProcessingTimeWindows,
)
from planner.frontends.dsl.event_time import (
    WatermarkStrategy as WatermarkStrategy,
)
from planner.frontends.dsl.functions import (
    AggregateFunction as AggregateFunction,
)
from planner.frontends.dsl.functions import (
    AggregatingStateDescriptor as AggregatingStateDescriptor,
)
from planner.frontends.dsl.functions import (
    AsyncFunction as AsyncFunction,
)
from planner.frontends.dsl.functions import (
    BroadcastProcessFunction as BroadcastProcessFunction,
)
from planner.frontends.dsl.functions import (
    CoFlatMapFunction as CoFlatMapFunction,
)
from planner.frontends.dsl.functions import (
    CoMapFunction as CoMapFunction,
)
from planner.frontends.dsl.functions import (
    CoProcessFunction as CoProcessFunction,
)
from planner.frontends.dsl.functions import (
    FilterFunction as FilterFunction,
)
from planner.frontends.dsl.functions import (
    FlatMapFunction as FlatMapFunction,
)
from planner.frontends.dsl.functions import (
    Function as Function,
)
from planner.frontends.dsl.functions import (
    KeyedBroadcastProcessFunction as KeyedBroadcastProcessFunction,
)
from planner.frontends.dsl.functions import (
    KeyedCoProcessFunction as KeyedCoProcessFunction,
)
from planner.frontends.dsl.functions import (
    KeyedProcessFunction as KeyedProcessFunction,
)
from planner.frontends.dsl.functions import (
    KeySelector as KeySelector,
)
from planner.frontends.dsl.functions import (
    ListStateDescriptor as ListStateDescriptor,
)
from planner.frontends.dsl.functions import (
    MapFunction as MapFunction,
)
from planner.frontends.dsl.functions import (
    MapStateDescriptor as MapStateDescriptor,
)
from planner.frontends.dsl.functions import (
    OutputTag as OutputTag,
)
from planner.frontends.dsl.functions import (
    Partitioner as Partitioner,
)
from planner.frontends.dsl.functions import (
    ProcessFunction as ProcessFunction,
)
from planner.frontends.dsl.functions import (
    ProcessWindowFunction as ProcessWindowFunction,
)
from planner.frontends.dsl.functions import (
    ReduceFunction as ReduceFunction,
)
from planner.frontends.dsl.functions import (
    ReducingStateDescriptor as ReducingStateDescriptor,
)
from planner.frontends.dsl.functions import (
    RuntimeContext as RuntimeContext,
)
from planner.frontends.dsl.functions import (
    SinkFunction as SinkFunction,
)
from planner.frontends.dsl.functions import (
    SourceFunction as SourceFunction,
)
from planner.frontends.dsl.functions import (
    StateDescriptor as StateDescriptor,
)
from planner.frontends.dsl.functions import (
    StateTtlConfig as StateTtlConfig,
)
from planner.frontends.dsl.functions import (
    ValueStateDescriptor as ValueStateDescriptor,
)
from planner.frontends.dsl.streams import (
    AsyncDataStream as AsyncDataStream,
)
from planner.frontends.dsl.streams import (
    BroadcastConnectedStream as BroadcastConnectedStream,
)
from planner.frontends.dsl.streams import (
    BroadcastStream as BroadcastStream,
)
from planner.frontends.dsl.streams import (
    ConnectedStreams as ConnectedStreams,
)
from planner.frontends.dsl.streams import (
    DataStream as DataStream,
)
from planner.frontends.dsl.streams import (
    DataStreamSink as DataStreamSink,
)
from planner.frontends.dsl.streams import (
    KeyedStream as KeyedStream,
)
from planner.frontends.dsl.streams import (
    WindowedStream as WindowedStream,
)
from planner.frontends.dsl.streams import (
    WriterSink as WriterSink,
)
from planner.frontends.dsl.triggers import (
    ContinuousEventTimeTrigger as ContinuousEventTimeTrigger,
)
from planner.frontends.dsl.triggers import (
    ContinuousProcessingTimeTrigger as ContinuousProcessingTimeTrigger,
)
from planner.frontends.dsl.triggers import (
    CountTrigger as CountTrigger,
)
from planner.frontends.dsl.triggers import (
    EventTimeTrigger as EventTimeTrigger,
)
from planner.frontends.dsl.triggers import (
    NeverTrigger as NeverTrigger,
)
from planner.frontends.dsl.triggers import (
    ProcessingTimeTrigger as ProcessingTimeTrigger,
)
from planner.frontends.dsl.triggers import (
    PurgingTrigger as PurgingTrigger,
)
from planner.frontends.dsl.triggers import (
    Trigger as Trigger,
)
from planner.frontends.dsl.triggers import (
    TriggerResult as TriggerResult,
)
from planner.frontends.dsl.types import (
    Row as Row,
)
from planner.frontends.dsl.types import (
    TypeInformation as TypeInformation,
)
from planner.frontends.dsl.types import (
    Types as Types,
)
from planner.frontends.loading import (
    load_job as load_job,
)
from planner.frontends.loading import (
    load_jobs as load_jobs,
)
from planner.frontends.yaml.loader import (
    load_job_data as load_job_data,
)
from planner.frontends.yaml.schema import (
    job_schema as job_schema,
)
from planner.job import (
    JobDefinition as JobDefinition,
)
from planner.pipeline import (
    Plan as Plan,
)
from planner.pipeline import (
    plan as plan,
)
from planner.testing import (
    assert_chained as assert_chained,
)
from planner.testing import (
    assert_not_chained as assert_not_chained,
)

__all__: list[str]

def load_plan(path: str | os.PathLike[str], flink: str | None = None) -> Plan:
    """Load the job of a file and compile it through all stages."""
