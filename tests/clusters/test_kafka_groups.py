"""Flink 1.x's Kafka connector with a real broker: a consumer begins where its group stands, a producer writes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.kafka_broker import broker, run_with_kafka

SCRIPT = """
from pyflink.common import SimpleStringSchema, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors import FlinkKafkaConsumer, FlinkKafkaProducer
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
group = {{"bootstrap.servers": "{address}", "group.id": "readers", {reset}}}
words = env.add_source(FlinkKafkaConsumer("words", SimpleStringSchema(), group))
words.print()
louder = words.map(str.upper, Types.STRING())
louder.add_sink(FlinkKafkaProducer("louder", SimpleStringSchema(), {{"bootstrap.servers": "{address}"}}))
env.execute("a group")
"""

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker with words in two partitions; of the first the group has read two, of the second none."""
    kafka = pytest.importorskip("confluent_kafka")
    with broker(tmp_path_factory.mktemp("broker")) as running:
        running.create(words=2, louder=1)
        running.send("words", [(part, f"{'ab'[part]}{number}") for number in range(4) for part in range(2)])
        settings = {"bootstrap.servers": running.address, "group.id": "readers", "enable.auto.commit": False}
        member = kafka.Consumer(settings)
        _commit(kafka, member)
        member.close()
        yield running.address


def _commit(kafka: Any, member: Any) -> None:
    """A broker that has just started needs a moment until it keeps groups."""
    for attempt in range(60):
        try:
            member.commit(offsets=[kafka.TopicPartition("words", 0, 2)], asynchronous=False)
            return
        except kafka.KafkaException:
            if attempt == 59:
                raise
            time.sleep(1)


def run(folder: Path, address: str, reset: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT.format(address=address, reset=reset))
    return run_with_kafka(script)


def test_a_consumer_begins_where_its_group_stands(tmp_path: Path, address: str) -> None:
    """Partitions without committed offsets begin where `auto.offset.reset` says; all words are in the other topic."""
    done = run(tmp_path, address, '"auto.offset.reset": "earliest"')
    assert done.returncode == 0, done.stderr
    expected = ["a2", "a3", "b0", "b1", "b2", "b3"]
    assert sorted(line for line in done.stdout.splitlines() if line[:1] in "ab" and len(line) == 2) == expected
    kafka = pytest.importorskip("confluent_kafka")
    reader = kafka.Consumer({"bootstrap.servers": address, "group.id": "test", "auto.offset.reset": "earliest"})
    reader.subscribe(["louder"])
    found = [message.value().decode() for message in reader.consume(len(expected), timeout=60)]
    reader.close()
    assert sorted(found) == [word.upper() for word in expected]


def test_offsets_that_nobody_committed_fail_as_in_flink(tmp_path: Path, address: str) -> None:
    done = run(tmp_path, address, '"auto.offset.reset": "none"')
    assert done.returncode != 0
    assert "the group committed none for words-1" in done.stderr
