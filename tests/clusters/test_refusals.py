"""Clusters that cannot be used: one message that says why, no stack trace, exit 3."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.other_spark import VERSION
from tests.clusters.plan_runs import SAMPLES, run_plan, start_plan
from tests.clusters.servers import HOSTS, free_port
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import worker_python
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

JOB = SAMPLES / "word_count" / "job.py"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_nobody_listens(scheme: str) -> None:
    address = f"{HOSTS[0]}:{free_port()}"
    run_plan(JOB, f"{scheme}://{address}").check_refusal(address, "connection refused")


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_no_such_host(scheme: str) -> None:
    run_plan(JOB, f"{scheme}://no-such-host.invalid:7077").check_refusal("no-such-host.invalid", "unknown host")


def test_something_listens_and_says_nothing(tmp_path: Path) -> None:
    with socket.create_server((HOSTS[0], 0)) as mute:
        address = f"{HOSTS[0]}:{mute.getsockname()[1]}"
        yarn = {"HADOOP_CONF_DIR": str(_configuration(tmp_path, address))}
        with (
            start_plan(JOB, f"spark://{address}") as on_standalone,
            start_plan(JOB, f"sc://{address}") as on_connect,
            start_plan(JOB, "yarn", environment=yarn) as on_yarn,
        ):
            on_standalone.end().check_refusal(address, "says nothing", "no Spark master")
            on_connect.end().check_refusal(address, "no Spark Connect server answers")
            on_yarn.end().check_refusal(address, "says nothing", "no resource manager")


def test_the_page_of_a_master_is_no_master(standalone: StandaloneCluster) -> None:
    page = f"{HOSTS[0]}:{standalone.leader.web_port}"
    run_plan(JOB, f"spark://{page}").check_refusal(page, "web server")


def test_yarn_without_its_configuration() -> None:
    run_plan(JOB, "yarn").check_refusal("HADOOP_CONF_DIR")


@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_yarn_whose_resource_manager_is_gone(mode: str, tmp_path: Path) -> None:
    address = f"{HOSTS[0]}:{free_port()}"
    environment = {"HADOOP_CONF_DIR": str(_configuration(tmp_path, address))}
    run = run_plan(JOB, "yarn", "--deploy-mode", mode, environment=environment)
    run.check_refusal(address, "resource manager")


def test_a_queue_that_is_not_there(yarn: YarnCluster) -> None:
    settings = yarn.settings | {"spark.yarn.queue": "nowhere"}
    run_plan(JOB, "yarn", settings=settings, environment=yarn.environment).check_refusal("queue", "nowhere")


def test_workers_without_that_python(standalone: StandaloneCluster) -> None:
    run = run_plan(JOB, standalone.url, environment={"PYSPARK_PYTHON": "python-of-elsewhere"})
    run.check_refusal("cannot start their Python", "python-of-elsewhere", "PYSPARK_PYTHON")


def test_workers_with_another_python(standalone: StandaloneCluster, tmp_path: Path) -> None:
    environment = {"PYSPARK_PYTHON": str(_other_python(tmp_path))}
    run = run_plan(JOB, standalone.url, environment=environment)
    run.check_refusal("Python 3.7", PYTHON)


def test_a_driver_on_the_cluster_without_that_python(yarn: YarnCluster) -> None:
    environment = yarn.environment | {"PYSPARK_PYTHON": "python-of-elsewhere"}
    run = run_plan(JOB, "yarn", "--deploy-mode", "cluster", settings=yarn.settings, environment=environment)
    run.check_refusal("cannot start their Python", "python-of-elsewhere")


def test_a_driver_on_the_cluster_with_another_python(yarn: YarnCluster, tmp_path: Path) -> None:
    environment = yarn.environment | {"PYSPARK_PYTHON": str(_other_python(tmp_path))}
    run = run_plan(JOB, "yarn", "--deploy-mode", "cluster", settings=yarn.settings, environment=environment)
    run.check_refusal("Python 3.7", PYTHON)


def test_a_master_of_another_version(another_spark: Path) -> None:
    with StandaloneCluster(workers=1, home=another_spark) as cluster:
        run_plan(JOB, cluster.url).check_refusal(cluster.url, VERSION, pyspark.__version__)


def test_a_connect_server_of_another_version(another_spark: Path) -> None:
    with ConnectServer(home=another_spark) as server:
        run_plan(JOB, server.url).check_refusal(server.url, VERSION, pyspark.__version__)


@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_another_version_on_yarn(mode: str, yarn: YarnCluster, another_spark: Path) -> None:
    """The containers' Spark is what `spark.yarn.jars` names; only a driver among them can say which version that is."""
    settings = yarn.settings | {"spark.yarn.jars": f"local:{another_spark}/jars/*"}
    run = run_plan(JOB, "yarn", "--deploy-mode", mode, settings=settings, environment=yarn.environment)
    run.check_refusal(pyspark.__version__, *((VERSION,) if mode == "cluster" else ("another version of Spark",)))


def _configuration(folder: Path, address: str) -> Path:
    """Hadoop's configuration of a cluster whose resource manager is at this address."""
    site = f"<property><name>yarn.resourcemanager.address</name><value>{address}</value></property>"
    (folder / "yarn-site.xml").write_text(f"<configuration>{site}</configuration>", encoding="utf-8")
    return folder


def _other_python(folder: Path) -> Path:
    """A Python with the workers' packages that says it is 3.7: a second one is not to be had on every machine."""
    home = folder / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    packages = next(home.glob("lib/python*/site-packages"))
    theirs = next(worker_python().parents[1].glob("lib/python*/site-packages"))
    (packages / "theirs.pth").write_text(f"{theirs}\n", encoding="utf-8")
    # Told when the worker starts its work, because the standard library itself asks for the version on its way there.
    (packages / "sitecustomize.py").write_text(
        "import sys\n"
        "class Version(tuple):\n"
        "    def __getitem__(self, at):\n"
        "        return (3, 7) if at == slice(None, 2, None) else tuple.__getitem__(self, at)\n"
        "    major, minor = 3, 7\n"
        "sys.version_info = Version(sys.version_info)\n",
        encoding="utf-8",
    )
    return home / "bin" / "python"
