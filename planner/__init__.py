"""Streaming jobs compiled through Flink's four graphs.

Door: the names in `__init__.pyi`, for users; `pipeline.plan`, for the other packages.

Names are imported when first used, so that `import planner` costs nothing and neither front end loads the other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.pipeline import Plan

# Every name also stands in `__init__.pyi`, which editors and type checkers read.
_HOMES = {
    "planner.frontends.python.environment": "StreamExecutionEnvironment",
    "planner.frontends.python.extensions": "ReaderSource WriterSink",
    "planner.frontends.python.results": "JobExecutionResult",
    "planner.frontends.python.streams": "DataStream DataStreamSink",
    "planner.frontends.python.keyed": "KeyedStream",
    "planner.frontends.python.windowed": "WindowedStream",
    "planner.frontends.python.connected": "BroadcastConnectedStream BroadcastStream ConnectedStreams",
    "planner.frontends.python.async_streams": "AsyncDataStream",
    "planner.frontends.python.declared.settings": "RestartStrategies RuntimeExecutionMode",
    "planner.frontends.python.declared.connectors": (
        "KafkaOffsetsInitializer KafkaSource NumberSequenceSource SimpleStringSchema"
    ),
    "planner.frontends.python.declared.files": "FileSource StreamFormat",
    "planner.frontends.python.values.configuration": "Configuration",
    "planner.frontends.python.values.times": "Duration Time",
    "planner.frontends.python.values.watermarks": "TimestampAssigner WatermarkStrategy",
    "planner.frontends.python.values.assigners": (
        "EventTimeSessionWindows GlobalWindows ProcessingTimeSessionWindows SessionWindowTimeGapExtractor "
        "SlidingEventTimeWindows SlidingProcessingTimeWindows TumblingEventTimeWindows TumblingProcessingTimeWindows"
    ),
    "planner.frontends.python.declared.functions": (
        "AggregateFunction AggregatingStateDescriptor AsyncFunction BroadcastProcessFunction CoFlatMapFunction "
        "CoMapFunction CoProcessFunction FilterFunction FlatMapFunction Function KeySelector "
        "KeyedBroadcastProcessFunction KeyedCoProcessFunction KeyedProcessFunction "
        "ListStateDescriptor MapFunction MapStateDescriptor Partitioner ProcessFunction "
        "ProcessWindowFunction ReduceFunction ReducingStateDescriptor RuntimeContext SinkFunction SourceFunction "
        "StateDescriptor StateTtlConfig ValueStateDescriptor"
    ),
    "planner.frontends.python.values.triggers": (
        "ContinuousEventTimeTrigger ContinuousProcessingTimeTrigger CountTrigger EventTimeTrigger NeverTrigger "
        "ProcessingTimeTrigger PurgingTrigger Trigger TriggerResult"
    ),
    "planner.frontends.python.values.types": "OutputTag TypeInformation Types",
    "planner.frontends.python.values.rows": "Row",
    "planner.errors": (
        "ExecutionError InternalError JobDefinitionError OptionError PlanError PlanningError UnsupportedOnSpark"
    ),
    "planner.job": "JobDefinition",
    "planner.frontends.loading": "load_job load_jobs",
    "planner.pipeline": "Plan plan",
    "planner.frontends.yaml.schema": "job_schema",
    "planner.testing": "assert_chained assert_not_chained",
    "planner.frontends.yaml.loader": "load_job_data",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["load_plan", *_HOME_OF]


def load_plan(path: Any, flink: str | None = None) -> Plan:
    """Load the job of a file (`job.yaml`, `job.py` or `job.py:NAME`) and compile it through all stages.

    `flink` is the version of Flink to plan for, such as `"1.20"`; None is the newest.
    """
    loading, pipeline = import_module("planner.frontends.loading"), import_module("planner.pipeline")
    compiled: Plan = pipeline.plan(loading.load_job(path, loading.LoadOptions(flink=flink)), flink=flink)
    return compiled


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'planner' has no attribute {name!r}", name=name, obj=None)
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
