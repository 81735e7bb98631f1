"""A standalone cluster with two masters over a ZooKeeper server, whose classes are among PySpark's own jars."""

from __future__ import annotations

from tests.clusters.servers import HOSTS, SPARK_HOME, Server, bare_environment, free_port, listens
from tests.clusters.standalone import Master, StandaloneCluster
from tests.support.session_runs import SMALL_JVM

ZOOKEEPER = "org.apache.zookeeper.server.ZooKeeperServerMain"
# Spark asks ZooKeeper for sessions of a minute and gets at most twenty ticks: a dead leader is noticed after that time.
TICK_MILLISECONDS = 200


class HighAvailabilityCluster(StandaloneCluster):
    """Two masters, one of them leading, and workers that follow whoever leads."""

    def _start_masters(self) -> list[Master]:
        port = self._start_zookeeper()
        options = (
            "-Dspark.deploy.recoveryMode=ZOOKEEPER"
            f" -Dspark.deploy.zookeeper.url={HOSTS[0]}:{port} -Dspark.deploy.zookeeper.dir=/plan"
        )
        masters = [Master(f"master{number}", folder=self.folder, options=options) for number in range(2)]
        for master in masters:
            master.wait_for(lambda master=master: bool(master.state()), "answering")
        masters[0].wait_for(lambda: any(master.leads for master in masters), "one of two, one of which leads")
        return masters

    def _start_zookeeper(self) -> int:
        port, folder = free_port(), self.folder / "zookeeper"
        folder.mkdir()
        settings = folder / "zoo.cfg"
        settings.write_text(
            f"tickTime={TICK_MILLISECONDS}\ndataDir={folder}\nclientPort={port}\nclientPortAddress={HOSTS[0]}\n"
            "admin.enableServer=false\n",
            encoding="utf-8",
        )
        environment = bare_environment()
        command = [f"{environment['JAVA_HOME']}/bin/java", "-Xmx128m", *SMALL_JVM.split()]
        command += ["-cp", f"{SPARK_HOME}/jars/*", ZOOKEEPER, str(settings)]
        self.zookeeper = Server("zookeeper", command, folder=folder, environment=environment)
        self.zookeeper.wait_for(lambda: listens(port), "listening")
        return port

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "zookeeper"):
            self.zookeeper.kill()
        super().__exit__()

    def kill_leader(self) -> None:
        """kill -9 of the master that leads."""
        self.leader.kill()
