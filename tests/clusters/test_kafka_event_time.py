"""Event time of a Kafka source goes by partition, with a real broker: one subtask reads partitions that are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kafka_broker import broker, run_with_kafka

SECONDS, SIZE, APART = 60, 5, 20

JOB = """
from planner import *

late = OutputTag("late")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
reading = {{"kafka.bootstrap.servers": "{address}", {topics}, "startingOffsets": "earliest"}}
source = ReaderSource("kafka", options={{**reading, "maxOffsetsPerTrigger": 40}})
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda text: int(text) * 1000)
texts = env.from_source(source, strategy, "seconds", Types.ROW_NAMED(["value"], [Types.STRING()]))
keyed = texts.map(lambda text: (int(text) // {size} * {size}, 1)).key_by(lambda pair: pair[0])
windows = keyed.window(TumblingEventTimeWindows.of(Time.seconds({size}))).side_output_late_data(late)
counts = windows.reduce(lambda one, other: (one[0], one[1] + other[1]))
counts.map(lambda pair: f"from {{pair[0]}}: {{pair[1]}}").print()
counts.get_side_output(late).map(lambda pair: f"late: {{pair[0]}}").print()
env.execute("event time of Kafka")
"""

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker with two topics of the same records; one has a partition without any."""
    with broker(tmp_path_factory.mktemp("broker")) as running:
        running.create(apart=2, waiting=3)
        records = [(part, str(second + part * APART)) for second in range(SECONDS) for part in range(2)]
        for topic in ("apart", "waiting"):
            running.send(topic, records)
        yield running.address


def printed(folder: Path, address: str, topics: str) -> list[str]:
    """What the job prints of all that the topics have now."""
    job = folder / "job.py"
    job.write_text(JOB.format(address=address, topics=topics, size=SIZE))
    done = run_with_kafka(job)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_nothing_is_late_where_every_partition_is_in_order(tmp_path: Path, address: str) -> None:
    lines = printed(tmp_path, address, '"subscribe": "apart"')
    seconds = Counter(second // SIZE * SIZE for at in (0, APART) for second in range(at, at + SECONDS))
    closed = {start: count for start, count in seconds.items() if start + SIZE < SECONDS}  # the first is the slower
    found = [line for line in lines if "from " in line or "late: " in line]
    assert sorted(found) == sorted(f"from {start}: {count}" for start, count in closed.items())


def test_a_partition_without_records_holds_event_time_back(tmp_path: Path, address: str) -> None:
    lines = printed(tmp_path, address, '"subscribePattern": "wait.*"')
    assert not [line for line in lines if "from " in line or "late: " in line]
