"""A standalone Spark cluster: a master and workers of one core each, from the pip package, on loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from tests.clusters.servers import (
    HOSTS,
    SPARK_HOME,
    Server,
    bare_environment,
    free_port,
    kill_all_in,
    processes_in,
    spark_class,
    wait_until,
)
from tests.clusters.worker_python import worker_python
from tests.support.session_runs import small_spark_jvm

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
EXECUTOR = "CoarseGrainedExecutorBackend"
WORKERS = 2


class Master(Server):
    """A master process, its address, and what it says of itself."""

    def __init__(self, name: str, *, folder: Path, options: str = "", home: Path = SPARK_HOME) -> None:
        self.port, self.web_port = free_port(), free_port()
        arguments = ("--host", HOSTS[0], "--port", str(self.port), "--webui-port", str(self.web_port))
        environment = bare_environment(home=home, SPARK_DAEMON_JAVA_OPTS=f"{small_spark_jvm()} {options}")
        super().__init__(name, spark_class(MASTER, *arguments, home=home), folder=folder, environment=environment)

    @property
    def address(self) -> str:
        return f"{HOSTS[0]}:{self.port}"

    def state(self) -> dict[str, Any]:
        """What the master's page says as JSON; empty while nobody answers."""
        try:
            with urllib.request.urlopen(f"http://{HOSTS[0]}:{self.web_port}/json/", timeout=2) as answer:
                found: dict[str, Any] = json.load(answer)
        except (OSError, ValueError):
            return {}
        return found

    @property
    def leads(self) -> bool:
        return self.alive and self.state().get("status") == "ALIVE"


class StandaloneCluster:
    """Masters and workers in one temporary folder; a context manager that leaves nothing running."""

    def __init__(self, *, workers: int = WORKERS, cores: int = 1, home: Path = SPARK_HOME) -> None:
        self._wanted, self._cores, self._home = workers, cores, home

    def __enter__(self) -> StandaloneCluster:
        self.folder = Path(tempfile.mkdtemp(prefix="plan-standalone-"))
        self.workers: list[Server] = []
        try:
            self.masters = self._start_masters()
            for _ in range(self._wanted):
                self.start_worker()
            self.wait_for_workers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for server in (*self.workers, *getattr(self, "masters", ())):
            server.kill()
        kill_all_in(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_masters(self) -> list[Master]:
        master = Master("master", folder=self.folder, home=self._home)
        master.wait_for(lambda: master.leads, "leading")
        return [master]

    @property
    def url(self) -> str:
        return "spark://" + ",".join(master.address for master in self.masters)

    @property
    def leader(self) -> Master:
        return next(master for master in self.masters if master.leads)

    def start_worker(self) -> Server:
        """Another worker, on the next loopback address where there are several."""
        number = len(self.workers)
        host, folder = HOSTS[1 + number % (len(HOSTS) - 1)], self.folder / f"worker{number}"
        environment = bare_environment(
            home=self._home,
            SPARK_LOCAL_IP=host,
            SPARK_DAEMON_JAVA_OPTS=small_spark_jvm(),
            PYSPARK_PYTHON=str(worker_python()),
        )
        arguments = ("--host", host, "--cores", str(self._cores), "--memory", "1g", "--webui-port", "0")
        command = spark_class(WORKER, *arguments, "--work-dir", str(folder / "work"), self.url, home=self._home)
        worker = Server(f"worker{number}", command, folder=folder, environment=environment)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self) -> None:
        """Wait until the leader counts as many workers as live here, and no application holds them any more."""
        for worker in self.workers:
            if worker.alive:
                worker.wait_for(lambda worker=worker: worker.says("Successfully registered with master"), "registered")
        wait_until(lambda: self._alive_at_leader() == self.living, "the leader to count its workers")

    @property
    def living(self) -> int:
        return sum(worker.alive for worker in self.workers)

    def _alive_at_leader(self) -> int:
        leading = [master for master in self.masters if master.leads]
        return int(leading[0].state().get("aliveworkers", 0)) if leading else -1

    def executors(self, worker: int) -> list[int]:
        """The executor JVMs a worker has started."""
        return processes_in(self.folder / f"worker{worker}", named=EXECUTOR)

    def kill_executor(self, worker: int) -> None:
        """kill -9 of a worker's executors, not of the worker."""
        for pid in self.executors(worker):
            os.kill(pid, signal.SIGKILL)

    def kill_worker(self, worker: int) -> None:
        """kill -9 of a worker with its executors and their Python, as when its machine goes."""
        self.workers[worker].kill()
        kill_all_in(self.folder / f"worker{worker}")
