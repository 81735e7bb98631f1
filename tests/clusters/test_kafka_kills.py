"""Kafka to files and to Kafka, with a real broker, while the driver is killed, and while the broker is away."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.clusters.servers import wait_until
from tests.spark_runner.streaming.test_kills import KILLS, Killing, start, written
from tests.support import killed_kafka_job
from tests.support.kafka_broker import Broker, broker, connector_jars

LINES = 400 * max(6, KILLS * 2)

pytestmark = pytest.mark.cluster


def line(number: int) -> tuple[int, str]:
    """A line, and its partition."""
    return number % 2, f"w{number % 7} v{number % 3}"


def received(address: str) -> list[tuple[tuple[bytes, ...], str]]:
    """What came back: the headers and the text of every message."""
    kafka: Any = pytest.importorskip("confluent_kafka")
    consumer = kafka.Consumer({"bootstrap.servers": address, "group.id": "test", "auto.offset.reset": "earliest"})
    consumer.subscribe(["counts"])
    found = []
    while (message := consumer.poll(10.0)) is not None:
        if message.error() is None:
            headers = dict(message.headers())
            mark = tuple(headers[f"plan.{name}"] for name in ("batch", "subtask", "number"))
            found.append((mark, message.value().decode()))
    consumer.close()
    return found


def test_kafka_to_files_is_exact_and_to_kafka_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with broker(tmp_path) as running:
        monkeypatch.setenv("KILLED_JOB_KAFKA", running.address)
        running.create(lines=2, counts=1)
        running.send("lines", map(line, range(LINES)))
        options = ["--trigger", "available-now", "--conf", f"spark.jars={connector_jars()}"]
        random = Random(41)
        job = Path(killed_kafka_job.__file__)
        with Killing(tmp_path, random, job, options) as killing:
            for _ in range(KILLS):
                killing.kill()
            killing.finish()
        totals: Counter[str] = Counter()
        wanted: Counter[tuple[str, int]] = Counter()
        for number in range(LINES):
            for word in line(number)[1].split():
                totals[word] += 1
                wanted[word, totals[word]] += 1
        assert written(tmp_path / "counts") == wanted
        messages = received(running.address)
        assert {text for _, text in messages} == {f"{word} {count}" for word, count in wanted}
        assert len({mark for mark, _ in messages}) == sum(wanted.values())  # copies carry the same mark
        counts = f"{sum(wanted.values())} of {sum(wanted.values())} counts, {len(messages)} messages to Kafka"
        print(f"\nKafka to files: {killing}; as the reference: {counts}")


def counted(running: Broker, first: int, last: int) -> Counter[tuple[str, int]]:
    """Lines with these numbers are sent; the counts that all lines up to the last give."""
    running.send("lines", map(line, range(first, last)))
    words = [word for number in range(last) for word in line(number)[1].split()]
    return Counter((word, count) for word, total in Counter(words).items() for count in range(1, total + 1))


def test_a_broker_that_goes_away_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with broker(tmp_path) as running:
        running.create(lines=2, counts=1)
        wanted = counted(running, 0, 60)
        monkeypatch.setenv("KILLED_JOB_KAFKA", running.address)
        options = ["--conf", f"spark.jars={connector_jars()}", "--trigger", "processing-time=1s"]
        process = start(tmp_path, Path(killed_kafka_job.__file__), options)
        try:
            wait_until(lambda: written(tmp_path / "counts") == wanted, "the first counts", patience=900)
            running.kill()
            time.sleep(20)
            running.start()
            wanted = counted(running, 60, 120)
            wait_until(lambda: written(tmp_path / "counts") == wanted, "counts behind the gap", patience=900)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 3 and "CANCELED" in errors.decode(), errors.decode()
            print(f"\nthe broker was away for 20 s; then {sum(wanted.values())} of {sum(wanted.values())} counts")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
