"""A real Kafka broker of one node, and Spark's connector: jars fetched by Maven into `.cache/` once."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.support.sources import ROOT

__all__ = ["Broker", "NoKafka", "broker", "connector_jars"]

BROKER = (("org.apache.kafka", "kafka_2.13", "4.1.0"), ("org.slf4j", "slf4j-nop", "1.7.36"))
# No release of the connector fits this Spark in every mirror; these work together, and are for tests alone.
CONNECTOR = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.12.1"),
)
_PATIENCE = 300.0


class NoKafka(Exception):
    """Why there is no broker here."""


@cache
def _jars(name: str, artifacts: tuple[tuple[str, str, str], ...], *, alone: bool) -> Path:
    home = ROOT / ".cache" / name
    maven = shutil.which("mvn")
    if home.is_dir():
        return home
    if maven is None:
        raise NoKafka("Kafka's jars come through Maven, and there is no mvn on PATH")
    home.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(_project(artifacts, alone), encoding="utf-8")
        command = [maven, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        if done.returncode:
            raise NoKafka(f"mvn could not fetch {name}: {(done.stdout + done.stderr)[:300]}")
        (Path(scratch) / "jars").rename(home)
    return home


def _project(artifacts: tuple[tuple[str, str, str], ...], alone: bool) -> str:
    without = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>"
        f"{without if alone else ''}</dependency>"
        for group, name, version in artifacts
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>plan.tests</groupId><artifactId>kafka</artifactId><version>1</version>"
        f"<dependencies>{wanted}</dependencies></project>\n"
    )


def connector_jars() -> str:
    """The jars of Spark's connector, as `spark.jars` takes them."""
    return ",".join(str(jar) for jar in sorted(_jars("kafka-connector", CONNECTOR, alone=True).glob("*.jar")))


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
        self._java = ["java", "-Xmx384m", "-cp", f"{_jars('kafka-broker', BROKER, alone=False)}/*"]
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

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait()


@contextmanager
def broker(folder: Path) -> Iterator[Broker]:
    """A broker that lives as long as the block."""
    running = Broker(folder)
    try:
        yield running
    finally:
        running.kill()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            raise NoKafka("the broker ended while it started")
        time.sleep(0.2)
    raise NoKafka("the broker did not start within two minutes")
