"""Event time of a Kafka source goes by partition: a subtask that reads several stands where its slowest does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from planner import (
    Duration,
    JobDefinition,
    KafkaSource,
    MapFunction,
    OutputTag,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    WatermarkStrategy,
)
from planner.frontends.loading import load_job
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.job import Reader
from planner.pipeline import plan
from spark_runner.executor.positions import split_of, subtask_of
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.times import Channels
from spark_runner.frames.kafka_offsets import known_splits
from spark_runner.frames.shipping import pickled_function
from spark_runner.lowering.lower import lower
from tests.support import killed_job
from tests.support.stream_engine import StreamEngine

SIZE = 5_000  # of a window, in milliseconds
APART = 20_000  # event times of two partitions
LATE = OutputTag("late", killed_job.RECORD)

Message = tuple[int, str]  # Kafka's time and the text
Batch = Mapping[tuple[str, int], list[Message]]  # by topic and partition


class Numbering(MapFunction):  # type: ignore[misc]
    """Remembers how many records it has seen, so that its chain runs in a layer of its own."""

    def __init__(self) -> None:
        self.seen = 0

    def map(self, value: Any) -> Any:
        self.seen += 1
        return value


async def answered(value: Any) -> Any:
    """An answer that comes at once."""
    return value


def job(
    topics: str = "t", *, idle: int | None = None, behind: str = "", assigned: bool = False, parallelism: int = 1
) -> JobDefinition:
    """Windows of five seconds, and their late records. `assigned`: the strategy is no part of the source."""
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    strategy = strategy.with_timestamp_assigner(lambda line: killed_job.taken_apart(line)[2])
    if idle is not None:
        strategy = strategy.with_idleness(Duration.of_millis(idle))
    env = StreamExecutionEnvironment()
    env.set_parallelism(parallelism)
    source = KafkaSource.builder().set_bootstrap_servers("b:9092").set_topics(*topics.split(",")).build()
    first = WatermarkStrategy.no_watermarks() if assigned else strategy
    lines = env.from_source(source, first, "lines", killed_job.LINE)
    if assigned:
        lines = lines.assign_timestamps_and_watermarks(strategy)
    if behind == "async":
        lines = lines.async_map(answered)
    if behind == "remembers":
        lines = lines.map(Numbering())
    keyed = lines.map(killed_job.taken_apart, output_type=killed_job.RECORD).key_by(lambda record: record[0])
    windows = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(SIZE))).side_output_late_data(LATE)
    sums = windows.reduce(killed_job.added)
    sums.print()
    sums.get_side_output(LATE).print()
    return env.build("splits")


def engine(made: JobDefinition, *splits: tuple[str, int]) -> StreamEngine:
    """`splits`: the partitions that are known before the first batch."""
    known = {0: tuple(split_of(*one) for one in splits)}
    return StreamEngine(made, {0: pa.schema([("value", pa.string())])}, known)


def as_read(found: list[Message], split: tuple[str, int], now: int) -> pa.RecordBatch:
    """Messages of one partition as Spark gives them to us."""
    rows = len(found)
    columns: dict[str, list[Any]] = {
        "value": [text for _, text in found],
        **{name: [0] * rows for name in ("__b0", "__b1", "__b2")},
        "__split": [split_of(*split)] * rows,
        "__at": [at for at, _ in found],
        "__now": [now] * rows,
    }
    return pa.RecordBatch.from_pydict(columns)


def read(running: StreamEngine, batch: Batch, now: int = 0, *, one_task: bool = False) -> None:
    """One batch; Spark has a task for every partition."""
    parts = [as_read(found, split, now) for split, found in batch.items() if found]
    running.read(0, [parts] if one_task else [[part] for part in parts])


def cut(random: Random, partitions: Batch) -> Iterator[Batch]:
    """Batches with any number of the next messages of every partition, none included."""
    left = {split: list(found) for split, found in partitions.items()}
    while any(left.values()):
        batch = {}
        for split, found in left.items():
            size = random.choice((0, 0, 1, 3, 8, 20))
            batch[split], left[split] = found[:size], found[size:]
        if any(batch.values()):
            yield batch


def expected(batches: list[Batch], partitions: Batch) -> tuple[Counter[Any], Counter[Any]]:
    """Closed windows and late records: the watermark is the least of the partitions' latest times."""
    latest = dict.fromkeys(partitions, NO_TIMESTAMP)
    watermark, closed, late = NO_TIMESTAMP, Counter[Any](), Counter[Any]()
    held: dict[tuple[str, int], list[int]] = {}
    for batch in batches:
        arrived = sorted((at, text, split) for split, found in batch.items() for at, text in found)
        for _, together in groupby(arrived, key=lambda one: one[0]):
            taken = [(killed_job.taken_apart(text), split) for _, text, split in together]
            for (key, number, time), _ in taken:
                start = time - time % SIZE
                if start + SIZE - 1 <= watermark:
                    late[key, number, time] += 1
                else:
                    held.setdefault((key, start), []).append(number)
            for (_, _, time), split in taken:
                latest[split] = max(latest[split], time - 1)
            watermark = max(watermark, min(latest.values()))
            for key, start in [one for one in held if one[1] + SIZE - 1 <= watermark]:
                closed[key, sum(held.pop((key, start)))] += 1
    for (key, _), numbers in held.items():  # the end of the input
        closed[key, sum(numbers)] += 1
    return closed, late


def partitions_of(random: Random, splits: list[tuple[str, int]], disorder: int) -> Batch:
    """Messages of partitions whose event times are twenty seconds apart while Kafka's times are not."""
    return {
        split: [
            (index * 100, f"{random.choice('ab')},{random.randint(1, 9)},{time}")
            for index in range(60)
            for time in (index * 700 + number * APART - random.choice((0, 0, disorder)),)
        ]
        for number, split in enumerate(splits)
    }


def results(running: StreamEngine) -> tuple[Counter[Any], Counter[Any]]:
    return Counter((key, total) for _, (key, total, _) in running.sinks[0]), Counter(one for _, one in running.sinks[1])


@pytest.mark.parametrize("behind", ["", "async", "remembers"])
@pytest.mark.parametrize("disorder", [0, 15_000])
@pytest.mark.parametrize("seed", range(4))
def test_partitions_that_are_apart_wait_for_each_other(seed: int, disorder: int, behind: str) -> None:
    random = Random(seed)
    splits = [("t", 0), ("t", 1)]
    found = partitions_of(random, splits, disorder)
    batches = list(cut(random, found))
    running = engine(job(behind=behind), *splits)
    for batch in batches:
        read(running, batch, one_task=behind == "async")
    running.batch(['{"end": true}'])
    wanted = expected(batches, found)
    assert results(running) == wanted
    assert bool(wanted[1]) == bool(disorder)  # nothing is late where every partition is in order


@pytest.mark.parametrize("parallelism", [1, 2])
def test_the_same_partition_of_two_topics_is_two(parallelism: int) -> None:
    random = Random(7)
    splits = [("t", 0), ("u", 0)]
    assert len({split_of(*one) for one in splits}) == 2
    assert {subtask_of(split_of("u", n), 3) for n in (1, 4, 7)} == {1}
    found = partitions_of(random, splits, 0)
    batches = list(cut(random, found))
    running = engine(job("t,u", idle=10**6, parallelism=parallelism), *splits)
    for batch in batches:
        read(running, batch)
    running.batch(['{"end": true}'])
    closed, late = results(running)
    assert not late
    if parallelism == 1:
        assert (closed, late) == expected(batches, found)


FAR = {("t", 1): [(1, "a,1,1000"), (2, "a,2,9000"), (3, "a,4,30000")]}


def test_a_partition_without_records_holds_event_time_back() -> None:
    running = engine(job(), ("t", 0), ("t", 1))
    read(running, FAR)
    assert not running.sinks[0]
    read(running, {("t", 0): [(4, "a,8,6000")]})
    assert results(running) == (Counter({("a", 1): 1}), Counter())


def test_partitions_that_were_not_found_count_from_their_first_batch_on() -> None:
    running = engine(job())
    read(running, {**FAR, ("t", 0): [(9, "a,8,6000")]})  # in the batch, behind all others
    assert results(running) == (Counter({("a", 1): 1}), Counter())
    running = engine(job())
    read(running, FAR)
    assert results(running)[0] == Counter({("a", 1): 1, ("a", 2): 1})


def test_idleness_is_counted_for_each_partition() -> None:
    running = engine(job(idle=100), ("t", 0), ("t", 1))
    read(running, {**FAR, ("t", 0): [(1, "a,8,2000")]}, now=1_000)
    read(running, {("t", 1): [(5, "a,16,31000")]}, now=1_050)
    assert not running.sinks[0]
    read(running, {("t", 1): [(6, "a,32,36000")]}, now=1_200)  # the other one is idle
    assert results(running) == (Counter({("a", 9): 1, ("a", 2): 1, ("a", 20): 1}), Counter())
    read(running, {("t", 0): [(7, "a,64,3000"), (8, "a,128,37000")], ("t", 1): [(9, "a,256,99000")]}, now=1_210)
    assert results(running)[1] == Counter({("a", 64, 3000): 1})  # awake again, and behind
    assert sum(results(running)[0].values()) == 3


def test_a_strategy_that_is_assigned_behind_the_source_sees_one_stream() -> None:
    """As Flink's operator for it does, which knows no partitions."""
    running = engine(job(assigned=True), ("t", 0), ("t", 1))
    read(running, FAR)
    read(running, {("t", 0): [(4, "a,8,6000")]})
    assert results(running) == (Counter({("a", 1): 1, ("a", 2): 1}), Counter({("a", 8, 6000): 1}))


def test_the_watermark_that_is_shown_is_the_slowest_partitions() -> None:
    running = engine(job(), ("t", 0), ("t", 1))
    read(running, {**FAR, ("t", 0): [(1, "a,8,2000")]})
    shown = {figures["watermark"] for figures in map(json.loads, running.figures) if figures["vertex"] == 1}
    assert shown == {1_999}


# --- where a reader's producers stand -------------------------------------------------------------------------------


def test_a_saved_state_without_partitions_is_continued() -> None:
    """As checkpoints of before have it: event time stays where it was until every partition is further."""
    channels = Channels({0: None}, {0: 500, -1: 500}, {}, 0, {0: (10, 11)})
    assert channels.hear({0}, {(0, 10), (0, 11)}) is None and channels.least == 500
    assert channels.rise(0, 700, 10) is None
    assert channels.rise(0, 400, 11) is None
    assert channels.rise(0, 600, 11) == 600


def test_partitions_are_saved_and_come_back() -> None:
    channels = Channels({0: 50}, {}, {}, 100, {0: (10,)})
    channels.hear({0}, {(0, 10), (0, 12)})  # one more, which only its records told of
    channels.rise(0, 700, 10)
    assert channels.rise(0, 300, 12) == 300
    again = Channels({0: 50}, channels.saved(), channels.heard, 120, {0: (10,)})
    assert (again.splits, again.least) == ({0: {10: 700, 12: 300}}, 300)
    assert again.hear({0}, {(0, 10)}) is None
    later = Channels({0: 50}, again.saved(), again.heard, 160, {0: (10,)})
    assert later.hear({0}, {(0, 10)}) == 700  # 12 is idle


def test_a_producer_never_goes_back_behind_an_idle_partition() -> None:
    """Another producer is slower, so the reader has not seen how far this one was."""
    known = {0: NO_TIMESTAMP, 1: 50, (0, 10): 100, (0, 11): 10}
    heard: dict[Any, int] = {0: 0, (0, 10): 90, (0, 11): 0}
    channels = Channels({0: 50, 1: None}, known, heard, 100, {0: (10, 11)})
    assert channels.hear({0, 1}, {(0, 10)}) == 50
    awake = Channels({0: 50, 1: None}, channels.saved(), channels.heard, 110, {0: (10, 11)})
    assert awake.hear({0, 1}, {(0, 11)}) is None
    assert awake.rise(0, 12, 11) is None
    assert awake.rise(1, 80) == 80
    assert awake.rise(0, END_OF_TIME) is None
    assert awake.rise(1, END_OF_TIME) == END_OF_TIME


# --- what is known of them before the start -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "bounded", "found"),
    [
        ({"assign": '{"t": [0, 2], "u": [0]}'}, False, {("t", 0), ("t", 2), ("u", 0)}),
        ({"assign": '{"t": [0]}'}, True, set()),
        ({"subscribe": "t"}, False, set()),  # no JVM to ask
    ],
)
def test_known_partitions(options: dict[str, str], bounded: bool, found: set[tuple[str, int]]) -> None:
    reader = Reader(format="kafka", path=None, options=tuple(options.items()))
    source = SimpleNamespace(operator=SimpleNamespace(behaviour=reader), bounded=bounded)
    assert set(known_splits(cast(Any, object()), cast(Any, source))) == {split_of(*one) for one in found}


# --- scripts --------------------------------------------------------------------------------------------------------

SCRIPT = """
from pyflink.common import Time, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
from pyflink.datastream.window import TumblingEventTimeWindows
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
builder = KafkaSource.builder().set_topics("t").set_bootstrap_servers("b:9092")
source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
stream = env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "topic")
windows = stream.key_by(lambda text: text[0]).window(TumblingEventTimeWindows.of(Time.seconds(5)))
windows.reduce(lambda one, other: one + other).print()
env.execute()
"""


def texts(found: list[tuple[int, str]], split: tuple[str, int]) -> list[pa.RecordBatch]:
    """Messages as a script's reader gives them: bytes, and Kafka's time in seconds, which is their event time."""
    part = as_read(found, split, 0)
    values, times = [text.encode() for _, text in found], [at / 1000 for at, _ in found]
    columns = [pa.array(values), pa.array(times), *part.columns[1:]]
    return [pa.RecordBatch.from_arrays(columns, ["value", "timestamp", *part.schema.names[1:]])]


def test_partitions_of_a_script_wait_for_each_other(tmp_path: Path) -> None:
    file = tmp_path / "job.py"
    file.write_text(SCRIPT)
    program = lower(plan(load_job(str(file))), "streaming")
    schema = pa.schema([("value", pa.binary()), ("timestamp", pa.float64())])
    pickled: Callable[[Any], bytes] = lambda value: pickled_function(value, program.file)  # noqa: E731
    with pyflink_stand_in():
        running = StreamEngine.of(program.chunks, pickled, {0: schema})
        running.read(0, [texts([(1_000, "a1"), (30_000, "a2")], ("t", 1)), texts([(2_000, "a3")], ("t", 0))])
        running.read(0, [texts([(3_000, "a4"), (6_000, "a5")], ("t", 0))])
    assert [value for _, value in running.sinks[0]] == ["a1a3a4"]
