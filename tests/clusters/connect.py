"""A Spark Connect server, from the pip package, on loopback."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.clusters.servers import (
    HOSTS,
    SPARK_HOME,
    Server,
    bare_environment,
    free_port,
    kill_all_in,
    listens,
)
from tests.clusters.worker_python import worker_python
from tests.support.session_runs import small_spark_jvm

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


class ConnectServer:
    """A server that runs its jobs in two threads of its own; a context manager that leaves nothing running."""

    def __init__(self, *, master: str = "local[2]", home: Path = SPARK_HOME) -> None:
        self._master, self._home = master, home

    def __enter__(self) -> ConnectServer:
        self.folder = Path(tempfile.mkdtemp(prefix="plan-connect-"))
        self.port = free_port()
        settings = {
            "spark.connect.grpc.binding.address": HOSTS[0],
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.driver.defaultJavaOptions": small_spark_jvm(),
            "spark.driver.bindAddress": HOSTS[0],
            "spark.executor.memory": "512m",
            "spark.ui.enabled": "false",
            "spark.task.maxFailures": "4",
        }
        command = [str(self._home / "bin" / "spark-submit"), "--master", self._master, "--class", SERVER]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        # Spark's launcher sizes this server as a daemon, whatever spark.driver.memory says.
        environment = bare_environment(home=self._home, PYSPARK_PYTHON=str(worker_python()), SPARK_DAEMON_MEMORY="1g")
        self.server = Server("connect", [*command, "spark-internal"], folder=self.folder, environment=environment)
        try:
            self.server.wait_for(lambda: listens(self.port), "listening")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.server.kill()
        kill_all_in(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self) -> str:
        return f"sc://{HOSTS[0]}:{self.port}"
