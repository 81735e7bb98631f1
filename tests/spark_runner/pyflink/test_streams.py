"""PyFlink scripts as streams: the results that PyFlink gave, however the input is cut into batches."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner.errors import JobDefinitionError, OptionError, UnsupportedOnSpark
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest
from spark_runner.lowering.lower import lower
from spark_runner.runs.preparation import prepare_job
from tests.support.pyflink_engine import EngineRun
from tests.support.pyflink_runs import FOLDER, SCRIPTS, recorded, without_subtask

TRUTH = recorded()
# what they show is another thing in a stream (batch mode, watermarks, the clock), or lies in files
OTHERWISE = {
    "broadcast_both_kinds",  # timers of processing time
    "batch_in_a_row", "batch_min_by", "batch_parallel", "batch_timers", "changed_objects", "event_time_timers", "files",
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
from pyflink.common import Duration, Encoder, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, OutputTag, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, OutputFileConfig, StreamFormat
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
LATE = OutputTag("late", PAIR)

class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]

class Count(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.INT()))
        self.times = context.get_map_state(MapStateDescriptor("times", Types.LONG(), Types.INT()))
    def process_element(self, value, context):
        self.count.update((self.count.value() or 0) + 1)
        self.times.put(value[1], self.count.value())
        context.timer_service().register_event_time_timer(value[1] + 20)
        yield f"{value[0]} {self.count.value()}"
    def on_timer(self, timestamp, context):
        yield f"timer {context.get_current_key()} {timestamp} {sorted(self.times.items())}"

class Window(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"window {key} {context.window().start} {sorted(one[1] for one in elements)}"

def parse(line):
    key, time = line.split(",")
    return key, int(time)

env = StreamExecutionEnvironment.get_execution_environment()
lines = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "in").monitor_continuously(
    Duration.of_seconds(1)).build()
pairs = env.from_source(lines, WatermarkStrategy.no_watermarks(), "lines").map(parse, PAIR)
timed = pairs.assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Stamp()))
keyed = timed.key_by(lambda pair: pair[0], Types.STRING())
counts = keyed.process(Count(), Types.STRING()).uid("count")
windows = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(SIZE))).side_output_late_data(LATE).process(
    Window(), Types.STRING()).uid("windows")
late = windows.get_side_output(LATE).map(lambda pair: f"late {pair[0]} {pair[1]}", Types.STRING())
counts.union(windows, late).sink_to(FileSink.for_row_format("out", Encoder.simple_string_encoder())
    .with_output_file_config(OutputFileConfig("words", ".ext")).build())
env.execute()
"""


INPUT = ("a,1 b,2 a,12", "a,3 b,30 b,4")  # what there is before each start
WRITTEN = [
    "a 1", "a 2", "a 3", "b 1", "b 2", "b 3", "late b 4",
    "timer a 21 [(1, 1), (3, 3), (12, 2)]", "timer a 23 [(1, 1), (3, 3), (12, 2)]",
    "timer b 22 [(2, 1), (30, 2)]", "window a 0 [1, 3]", "window a 10 [12]", "window b 0 [2]",
]  # fmt: skip


def feed(folder: Path, number: int) -> None:
    (folder / "in" / f"{number}.txt").write_text(INPUT[number].replace(" ", "\n"))


def written_by(folder: Path) -> list[str]:
    files = (folder / "out").glob("20*--*/batch=*/words-*.ext")
    return sorted(line for file in files for line in file.read_text().splitlines())


def script_in(folder: Path, *, size: int = 10, uid: str = "count") -> Path:
    (folder / "in").mkdir(exist_ok=True)
    script = folder / "job.py"
    text = SCRIPT.replace("SIZE", str(size)).replace('uid("count")', f'uid("{uid}")')
    script.write_text(text)
    return script


def test_a_script_continues_on_its_checkpoint(spark: Any, tmp_path: Path) -> None:
    """Values, windows, timers and the watermark are those of one run; nothing is lost, nothing is there twice."""
    from spark_runner.streaming.checkpoint import Checkpoint
    from spark_runner.streaming.execute import StreamOptions, StreamRun

    program = lower(plan(load_job(str(script_in(tmp_path)))), "streaming")
    counts = {}
    for number in range(len(INPUT)):
        feed(tmp_path, number)
        checkpoint = Checkpoint(tmp_path / "checkpoint")
        assert program.chunks is not None
        checkpoint.check(program.chunks)
        result = StreamRun(program, spark, checkpoint, StreamOptions(), events=lambda event: None).run()
        counts = {one.name: (one.records_in, one.records_out) for v in result.vertices for one in v.operators}
    assert written_by(tmp_path) == WRITTEN
    assert counts["Source: lines"] == (0, 3)
    assert counts["TumblingEventTimeWindows"] == (3, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"uid": "counted"}, "the checkpoint holds state of operator 'count' (KEYED PROCESS), which this job does not"),
        ({"size": 20}, "operator 'windows' was TumblingEventTimeWindows(10, 0) (process), is "),
    ],
)
def test_a_changed_script_is_refused_by_operator(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    from spark_runner.streaming.checkpoint import Checkpoint

    checkpoint = Checkpoint(tmp_path / "checkpoint")
    checkpoint.begin(lower(plan(load_job(str(script_in(tmp_path)))), "streaming").chunks)
    changed = lower(plan(load_job(str(script_in(tmp_path, **change)))), "streaming").chunks
    with pytest.raises(OptionError, match=re.escape(message)) as refused:
        Checkpoint(tmp_path / "checkpoint").check(changed)
    assert "--allow-lost-state" in str(refused.value.hint)


# --- Kafka ------------------------------------------------------------------------------------------------------------


def lowered(tmp_path: Path, body: str, *, streaming: bool) -> Any:
    script = tmp_path / "job.py"
    script.write_text(KAFKA + body)
    compiled = plan(load_job(str(script)))
    return lower(compiled, "streaming" if streaming else "batch").chunks


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
    assert options.items() <= dict(source.operator.behaviour.options).items()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("builder.set_bounded(KafkaOffsetsInitializer.timestamp(5))", "ends at offsets of its own"),
    ],
)
def test_offsets_that_spark_cannot_follow_are_refused(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(UnsupportedOnSpark, match=message) as refused:
        lowered(tmp_path, body + READ, streaming=True)
    assert refused.value.location is not None
    assert refused.value.hint


def test_an_endless_script_is_no_batch(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedOnSpark, match="is an unbounded source"):
        lowered(tmp_path, READ, streaming=False)


def test_a_connector_that_nobody_brings_is_missed_before_a_session_starts(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(KAFKA + READ)
    request = RunRequest(job=str(script), folder=str(tmp_path), master="local[2]")
    with pytest.raises(JobDefinitionError, match="needs Spark's Kafka connector"):
        prepare_job(load_job(str(script)), request)
