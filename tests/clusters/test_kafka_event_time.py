"""Event time of a Kafka source goes by partition, with a real broker: one subtask reads partitions that are apart."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark_runner.streaming.test_kills import SMALL
from tests.support.kafka_broker import NoJars, broker, connector_jars
from tests.support.sources import ROOT

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
    kafka = pytest.importorskip("confluent_kafka")
    admin = pytest.importorskip("confluent_kafka.admin")
    try:
        running = broker(tmp_path_factory.mktemp("broker"))
        found = running.__enter__().address
    except NoJars as reason:
        pytest.skip(str(reason))
    try:
        client = admin.AdminClient({"bootstrap.servers": found})
        for made in client.create_topics([admin.NewTopic("apart", 2, 1), admin.NewTopic("waiting", 3, 1)]).values():
            made.result()
        producer = kafka.Producer({"bootstrap.servers": found})
        for second in range(SECONDS):
            for topic in ("apart", "waiting"):
                for partition in range(2):
                    producer.produce(topic, str(second + partition * APART), partition=partition)
        assert producer.flush(60) == 0
        yield found
    finally:
        running.__exit__(None, None, None)


def printed(folder: Path, address: str, topics: str) -> list[str]:
    """What the job prints of all that the topics have now."""
    job = folder / "job.py"
    job.write_text(JOB.format(address=address, topics=topics, size=SIZE))
    try:
        jars = connector_jars()
    except NoJars as reason:
        pytest.skip(str(reason))
    options = ["--trigger", "available-now", "--master", "local[2]", "--conf", f"spark.jars={jars}", *SMALL]
    done = subprocess.run(
        [sys.executable, "-m", "cli", "run", str(job), *options],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
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
