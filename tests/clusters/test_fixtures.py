"""The clusters themselves, with plain PySpark: they run jobs, and their workers have nothing of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.servers import bare_environment
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import worker_python
from tests.clusters.yarn import YarnCluster

pytestmark = pytest.mark.cluster

SMALL = {"spark.executor.memory": "512m", "spark.ui.enabled": "false", "spark.cores.max": "2"}


def check(master: str, settings: Mapping[str, str], environment: Mapping[str, str], tmp_path: Path) -> None:
    script = Path(__file__).with_name("plain_job.py")
    words = [f"{name}={value}" for name, value in settings.items()]
    done = subprocess.run(
        [sys.executable, str(script), master, *words],
        env=bare_environment(**environment),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    partitions = json.loads(done.stdout.splitlines()[-1])
    assert sum(partition["rows"] for partition in partitions) == 100
    assert {partition["found"] for partition in partitions} == {""}
    assert {partition["python"] for partition in partitions} == {str(worker_python())}


def test_standalone(standalone: StandaloneCluster, tmp_path: Path) -> None:
    check(standalone.url, SMALL, {"PYSPARK_PYTHON": str(worker_python())}, tmp_path)


def test_connect(connect: ConnectServer, tmp_path: Path) -> None:
    check(connect.url, {}, {}, tmp_path)


def test_yarn(yarn: YarnCluster, tmp_path: Path) -> None:
    check("yarn", SMALL | yarn.settings | {"spark.app.name": "plain_job.py"}, yarn.environment, tmp_path)
    assert [one["finalStatus"] for one in yarn.applications() if one["name"] == "plain_job.py"] == ["SUCCEEDED"]
