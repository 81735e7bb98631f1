"""A real Kafka broker of one node, and Spark's connector: jars fetched by Maven into `.cache/` once."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.maven_jars import NoJars, maven_jars
from tests.support.session_runs import SMALL_DRIVER
from tests.support.sources import ROOT

__all__ = ["Broker", "broker", "connector_jars", "run_with_kafka"]

BROKER = (("org.apache.kafka", "kafka_2.13", "4.1.0"), ("org.slf4j", "slf4j-nop", "1.7.36"))
# No release of the connector fits this Spark in every mirror; these work together, and are for tests alone.
CONNECTOR = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.12.1"),
)


def connector_jars() -> str:
    """The jars of Spark's connector, as `spark.jars` takes them."""
    return ",".join(str(jar) for jar in sorted(maven_jars("kafka-connector", CONNECTOR, alone=True).glob("*.jar")))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Broker:
    """A broker that can be killed and started again with what it has kept."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._settings = folder, folder / "server.properties"
        self._port, controller = _free_port(), _free_port()
        self._settings.write_text(
            f"process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n"
            f"listeners=PLAINTEXT://127.0.0.1:{self._port},CONTROLLER://127.0.0.1:{controller}\n"
            "controller.listener.names=CONTROLLER\n"
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT\n"
            f"log.dirs={folder / 'kafka'}\noffsets.topic.replication.factor=1\n"
            "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n"
        )
        self._java = ["java", "-Xmx384m", "-cp", f"{maven_jars('kafka-broker', BROKER)}/*"]
        identity = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        formatting = ["kafka.tools.StorageTool", "format", "-t", identity, "-c", str(self._settings)]
        subprocess.run([*self._java, *formatting], check=True, capture_output=True)
        self.start()

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it, and wait until it listens."""
        with (self._folder / "broker.log").open("ab") as log:
            command = [*self._java, "kafka.Kafka", str(self._settings)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        _wait_for(self._port, self._process)

    def create(self, **partitions: int) -> None:
        """Make topics, each with so many partitions."""
        admin = pytest.importorskip("confluent_kafka.admin")
        client = admin.AdminClient({"bootstrap.servers": self.address})
        topics = [admin.NewTopic(name, count, 1) for name, count in partitions.items()]
        for made in client.create_topics(topics).values():
            made.result()

    def send(self, topic: str, texts: Iterable[tuple[int, str]]) -> None:
        """Write texts to partitions, and wait until they are there."""
        producer = pytest.importorskip("confluent_kafka").Producer({"bootstrap.servers": self.address})
        for partition, text in texts:
            producer.produce(topic, text, partition=partition)
        assert producer.flush(120) == 0

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait()


@contextmanager
def broker(folder: Path) -> Iterator[Broker]:
    """A broker for the block. Where its jars or those of Spark's connector cannot be had, the test is skipped."""
    try:
        connector_jars()
        running = Broker(folder)
    except NoJars as reason:
        pytest.skip(str(reason))
    try:
        yield running
    finally:
        running.kill()


def run_with_kafka(job: Path) -> subprocess.CompletedProcess[str]:
    """`plan run` of a job until it has read what its topics have now."""
    options = ["--trigger", "available-now", "--master", "local[2]", *SMALL_DRIVER]
    return subprocess.run(
        [sys.executable, "-m", "cli", "run", str(job), *options, "--conf", f"spark.jars={connector_jars()}"],
        cwd=job.parent, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            raise NoJars("the broker ended while it started")
        time.sleep(0.2)
    raise NoJars("the broker did not start within two minutes")
