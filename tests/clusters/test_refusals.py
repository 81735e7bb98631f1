"""Clusters that cannot be used: one message that says why, no stack trace, exit 3."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clusters.plan_runs import SAMPLES, run_plan
from tests.clusters.servers import HOSTS, free_port
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import worker_python
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

JOB = SAMPLES / "word_count" / "job.py"


@pytest.fixture
def mute() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.create_server((HOSTS[0], 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_nobody_listens(scheme: str) -> None:
    address = f"{HOSTS[0]}:{free_port()}"
    run_plan(JOB, f"{scheme}://{address}").check_refusal(address, "connection refused")


def test_no_such_host() -> None:
    run_plan(JOB, "spark://no-such-host.invalid:7077").check_refusal("no-such-host.invalid", "unknown host")


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_something_else_listens(scheme: str, mute: int) -> None:
    run_plan(JOB, f"{scheme}://{HOSTS[0]}:{mute}").check_refusal(f"{scheme}://{HOSTS[0]}:{mute}")


def test_yarn_without_its_configuration() -> None:
    run_plan(JOB, "yarn").check_refusal("HADOOP_CONF_DIR")


def test_yarn_whose_resource_manager_is_gone(tmp_path: Path) -> None:
    address = f"{HOSTS[0]}:{free_port()}"
    site = f"<property><name>yarn.resourcemanager.address</name><value>{address}</value></property>"
    (tmp_path / "yarn-site.xml").write_text(f"<configuration>{site}</configuration>", encoding="utf-8")
    run_plan(JOB, "yarn", environment={"HADOOP_CONF_DIR": str(tmp_path)}).check_refusal(address, "resource manager")


def test_a_queue_that_is_not_there(yarn: YarnCluster) -> None:
    settings = yarn.settings | {"spark.yarn.queue": "nowhere"}
    run_plan(JOB, "yarn", settings=settings, environment=yarn.environment).check_refusal("queue")


def test_workers_without_that_python(standalone: StandaloneCluster) -> None:
    run = run_plan(JOB, standalone.url, environment={"PYSPARK_PYTHON": "python-of-elsewhere"})
    run.check_refusal("python-of-elsewhere")


def test_workers_with_another_python(standalone: StandaloneCluster, tmp_path: Path) -> None:
    run = run_plan(JOB, standalone.url, environment={"PYSPARK_PYTHON": str(_other_python(tmp_path))})
    run.check_refusal("3.7", f"{sys.version_info.major}.{sys.version_info.minor}")


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
