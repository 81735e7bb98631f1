"""A YARN cluster: Hadoop's own resource manager and node managers, each a process of its own, on loopback."""

from __future__ import annotations

import json
import shutil
import tempfile
import urllib.request
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from tests.clusters.hadoop_jars import hadoop_jars
from tests.clusters.servers import (
    HOSTS,
    SPARK_HOME,
    Server,
    bare_environment,
    free_port,
    kill_all_in,
    wait_until,
)
from tests.clusters.worker_python import worker_python
from tests.support.session_runs import SMALL_JVM

RESOURCE_MANAGER = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
NODE_MANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
NODES = 2

LOGGING = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{HH:mm:ss} %p %c{1}: %m%n
"""
QUEUES = {
    "yarn.scheduler.capacity.root.queues": "default,small",
    "yarn.scheduler.capacity.root.default.capacity": "75",
    "yarn.scheduler.capacity.root.small.capacity": "25",
    "yarn.scheduler.capacity.root.small.maximum-capacity": "100",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
}


class YarnCluster:
    """A resource manager and two node managers in one temporary folder; leaves nothing running."""

    def __enter__(self) -> YarnCluster:
        self._jars = hadoop_jars()
        self.folder = Path(tempfile.mkdtemp(prefix="plan-yarn-"))
        self._web_port = free_port()
        self._addresses = {role: f"{HOSTS[0]}:{free_port()}" for role in _ROLES}
        self.nodes: list[Server] = []
        self.configuration = _write_configuration(self.folder / "client", self._shared())
        try:
            self._start_resource_manager()
            for number in range(NODES):
                self.nodes.append(self._start_node(number))
            self.wait_for_nodes()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for server in (*self.nodes, getattr(self, "resource_manager", None)):
            if server is not None:
                server.kill()
        kill_all_in(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        """What a driver needs to find the cluster."""
        return {"HADOOP_CONF_DIR": str(self.configuration), "PYSPARK_PYTHON": str(worker_python())}

    @property
    def settings(self) -> dict[str, str]:
        """Spark settings for small containers that take Spark from where it stands, instead of an upload of 400 MB."""
        return {
            "spark.yarn.jars": f"local:{SPARK_HOME}/jars/*",
            "spark.yarn.stagingDir": f"file:{self.folder / 'staging'}",
            "spark.yarn.am.memory": "512m",
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.executor.instances": "2",
        }

    def wait_for_nodes(self) -> None:
        living = sum(node.alive for node in self.nodes)
        wait_until(
            lambda: self.metrics().get("activeNodes") == living, f"{living} node managers at the resource manager"
        )

    def metrics(self) -> dict[str, Any]:
        """What the resource manager counts; empty while nobody answers."""
        return dict(self._ask("metrics").get("clusterMetrics") or {})

    def applications(self) -> list[dict[str, Any]]:
        """Every application there was."""
        found = (self._ask("apps").get("apps") or {}).get("app") or []
        return list(found)

    def kill_node(self, number: int) -> None:
        """kill -9 of a node manager and of the containers on it, as when its machine goes."""
        self.nodes[number].kill()
        kill_all_in(self.folder / f"node{number}")

    def revive_node(self, number: int) -> None:
        """A node manager in the place of a dead one."""
        self.nodes[number] = self._start_node(number)
        self.wait_for_nodes()

    def _ask(self, what: str) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(
                f"http://{HOSTS[0]}:{self._web_port}/ws/v1/cluster/{what}", timeout=5
            ) as answer:
                found: dict[str, Any] = json.load(answer)
        except (OSError, ValueError):
            return {}
        return found

    def _start_resource_manager(self) -> None:
        self.resource_manager = self._start("resource-manager", RESOURCE_MANAGER, self._shared())
        self.resource_manager.wait_for(lambda: bool(self.metrics()), "answering")

    def _start_node(self, number: int) -> Server:
        host, folder = HOSTS[1 + number % (len(HOSTS) - 1)], self.folder / f"node{number}"
        own = {
            f"yarn.nodemanager.{name}address": f"{host}:{free_port(host)}"
            for name in ("", "localizer.", "webapp.", "collector-service.")
        }
        own |= {
            "yarn.nodemanager.local-dirs": str(folder / "local"),
            "yarn.nodemanager.log-dirs": str(folder / "logs"),
            "yarn.nodemanager.resource.memory-mb": "2048",
            "yarn.nodemanager.resource.cpu-vcores": "4",
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
        }
        return self._start(f"node{number}", NODE_MANAGER, self._shared() | own)

    def _start(self, name: str, main: str, properties: dict[str, str]) -> Server:
        folder = self.folder / name
        configuration = _write_configuration(folder / "conf", properties)
        environment = bare_environment()
        command = [f"{environment['JAVA_HOME']}/bin/java", "-Xmx256m", *SMALL_JVM.split()]
        command += ["-cp", f"{configuration}:{self._jars}/*", main]
        return Server(name, command, folder=folder, environment=environment)

    def _shared(self) -> dict[str, str]:
        addresses = {f"yarn.resourcemanager.{role}address": address for role, address in self._addresses.items()}
        return addresses | {
            "yarn.resourcemanager.webapp.address": f"{HOSTS[0]}:{self._web_port}",
            "yarn.scheduler.minimum-allocation-mb": "128",
            # A machine that goes is noticed after seconds here, after ten minutes on a cluster nobody set up.
            "yarn.nm.liveness-monitor.expiry-interval-ms": "4000",
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "250",
        }


_ROLES = ("", "scheduler.", "resource-tracker.", "admin.")


def _write_configuration(folder: Path, properties: dict[str, str]) -> Path:
    for empty in ("cluster", "node"):  # the pages of the web interfaces: not in the jars, yet asked for at the start
        (folder / "webapps" / empty).mkdir(parents=True, exist_ok=True)
    (folder / "yarn-site.xml").write_text(_xml(properties), encoding="utf-8")
    (folder / "capacity-scheduler.xml").write_text(_xml(QUEUES), encoding="utf-8")
    (folder / "core-site.xml").write_text(_xml({"fs.defaultFS": "file:///"}), encoding="utf-8")
    (folder / "log4j.properties").write_text(LOGGING, encoding="utf-8")
    return folder


def _xml(properties: dict[str, str]) -> str:
    entries = "".join(
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in properties.items()
    )
    return f"<configuration>\n{entries}</configuration>\n"
