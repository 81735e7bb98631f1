"""PyFlink scripts as streams: the results that PyFlink gave, however the input is cut into batches."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner.errors import OptionError, UnsupportedOnSpark
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest
from spark_runner.figures.results import CollectedRecord, PrintedRecord
from spark_runner.pyflink.lower import lower_pyflink
from spark_runner.runs.preparation import prepare_job
from spark_runner.streaming.scripts import script_program
from tests.support.pyflink_engine import EngineRun
from tests.support.pyflink_runs import FOLDER, SCRIPTS, recorded, without_subtask

TRUTH = recorded()
# what they show is another thing in a stream (batch mode, watermarks, the clock), or lies in files
OTHERWISE = {
    "broadcast_both_kinds",  # timers of processing time
    "batch_min_by", "batch_parallel", "batch_timers", "changed_objects", "event_time_timers", "files",
    "processing_time_timers", "state_with_ttl", "timers_set_by_timers", "word_count_batch",
}  # fmt: skip
AS_STREAMS = [name for name in SCRIPTS if name not in OTHERWISE]
KAFKA = """
from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import *
env = StreamExecutionEnvironment.get_execution_environment()
builder = (KafkaSource.builder().set_topics("t", "u").set_bootstrap_servers("b:9092").set_group_id("g")
           .set_property("security.protocol", "SSL").set_value_only_deserializer(SimpleStringSchema()))
"""
READ = """
env.from_source(builder.build(), WatermarkStrategy.for_monotonous_timestamps(), "topic").print()
env.execute()
"""


def run(name: str, folder: Path, **how: Any) -> list[str]:
    script = folder / f"{name}.py"
    shutil.copy(FOLDER / "scripts" / f"{name}.py", script)
    return EngineRun(**how).run(script)


@pytest.mark.parametrize("name", AS_STREAMS)
def test_a_stream_gives_the_records_of_pyflink(name: str, tmp_path: Path) -> None:
    """Watermarks are held back until the end, as they are in a run of Flink that is shorter than their interval."""
    lines = run(name, tmp_path, cuts=range(100), late=True)
    assert Counter(map(without_subtask, lines)) == Counter(map(without_subtask, TRUTH[name]))


@pytest.mark.parametrize("name", [name for name in AS_STREAMS if "window" in name or "timer" in name])
def test_cuts_do_not_change_what_event_time_gives(name: str, tmp_path: Path) -> None:
    if "processing" in name:
        return
    whole = run(name, tmp_path, cuts=())
    assert run(name, tmp_path, cuts=range(100)) == whole
    chosen = random.Random(name)
    assert run(name, tmp_path, cuts=[at for at in range(100) if chosen.random() < 0.4]) == whole


# --- on Spark ---------------------------------------------------------------------------------------------------------

SCRIPT = """
from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]

class Count(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.INT()))
    def process_element(self, value, context):
        self.count.update((self.count.value() or 0) + 1)
        yield f"{value[0]} {self.count.value()}"

class Window(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, len(list(elements))

env = StreamExecutionEnvironment.get_execution_environment()
PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
pairs = env.from_collection([("a", 1), ("b", 2), ("a", 12), ("b", 3), ("a", 30)], PAIR)
timed = pairs.assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Stamp()))
keyed = timed.key_by(lambda pair: pair[0], Types.STRING())
keyed.process(Count(), Types.STRING()).print("seen")
keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(10))).process(Window()).print()
env.execute()
"""


def test_a_script_runs_as_a_stream_on_spark(spark: Any, tmp_path: Path) -> None:
    from spark_runner.streaming.checkpoint import Checkpoint
    from spark_runner.streaming.execute import StreamOptions, StreamRun

    script = tmp_path / "job.py"
    script.write_text(SCRIPT)
    program = script_program(plan(load_job(str(script))))
    events: list[Any] = []
    run = StreamRun(
        program, spark, Checkpoint(tmp_path / "checkpoint"), StreamOptions(slice_size=2), events=events.append
    )
    result = run.run()
    printed = [str(event) for event in events if isinstance(event, PrintedRecord)]
    assert sorted(line for line in printed if line.startswith("seen")) == [
        "seen> a 1", "seen> a 2", "seen> a 3", "seen> b 1", "seen> b 2",
    ]  # fmt: skip
    assert sorted(line for line in printed if not line.startswith("seen")) == [
        "('a', 0, 1)", "('a', 10, 1)", "('a', 30, 1)", "('b', 0, 2)",
    ]  # fmt: skip
    assert not [event for event in events if isinstance(event, CollectedRecord)]
    counts = {one.name: (one.records_in, one.records_out) for v in result.vertices for one in v.operators}
    assert counts["Source: Collection Source"] == (0, 5)
    assert counts["KEYED PROCESS"] == (5, 5)
    assert counts["TumblingEventTimeWindows, Map"] == (5, 4)


# --- Kafka ------------------------------------------------------------------------------------------------------------


def lowered(tmp_path: Path, body: str, *, streaming: bool) -> Any:
    script = tmp_path / "job.py"
    script.write_text(KAFKA + body)
    compiled = plan(load_job(str(script)))
    return script_program(compiled).stream if streaming else lower_pyflink(compiled).bounded


def test_a_kafka_source_is_a_stream_of_sparks_connector(tmp_path: Path) -> None:
    (source,) = lowered(tmp_path, READ, streaming=True).sources
    assert dict(source.operator.behaviour.options) == {
        "kafka.bootstrap.servers": "b:9092", "kafka.security.protocol": "SSL", "startingOffsets": "earliest",
        "subscribe": "t,u",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("end", "options"),
    [
        ("latest()", {"endingOffsets": "latest"}),
        ("timestamp(99)", {"endingTimestamp": "99"}),
        ("offsets({KafkaTopicPartition('t', 1): 5})", {"endingOffsets": '{"t": {"1": 5}}'}),
    ],
)
def test_a_bounded_kafka_source_is_a_batch(tmp_path: Path, end: str, options: dict[str, str]) -> None:
    body = f"builder.set_bounded(KafkaOffsetsInitializer.{end})" + READ
    (source,) = lowered(tmp_path, body, streaming=False).sources
    assert source.bounded
    assert options.items() <= dict(source.reader.options).items()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("builder.set_starting_offsets(KafkaOffsetsInitializer.committed_offsets())", "a consumer group committed"),
        ("builder.set_bounded(KafkaOffsetsInitializer.timestamp(5))", "ends at offsets of its own"),
    ],
)
def test_offsets_that_spark_cannot_follow_are_refused(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(UnsupportedOnSpark, match=message) as refused:
        lowered(tmp_path, body + READ, streaming=True)
    assert refused.value.location is not None
    assert refused.value.hint


def test_an_endless_script_is_no_batch(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedOnSpark, match="never ends"):
        lowered(tmp_path, READ, streaming=False)


def test_a_connector_that_nobody_brings_is_missed_before_a_session_starts(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(KAFKA + READ)
    request = RunRequest(job=str(script), folder=str(tmp_path), master="local[2]")
    with pytest.raises(OptionError, match="needs Spark's Kafka connector"):
        prepare_job(load_job(str(script)), request)
