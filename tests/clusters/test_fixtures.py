"""The clusters themselves: they run jobs with plain PySpark, their workers have nothing of ours, and none is left."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.servers import bare_environment, processes_in, wait_until
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.worker_python import ROOT, worker_python
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


INTERRUPTED = """
import time
from pathlib import Path
from tests.clusters.conftest import clean_end
from tests.clusters.standalone import StandaloneCluster

def test_that_is_interrupted():
    with StandaloneCluster(workers=1) as cluster:
        Path("started").write_text(str(cluster.folder))
        time.sleep(300)
"""


def _obey_ctrl_c() -> None:
    """Shells start what runs in the background with Ctrl-C ignored, and so would be what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_nothing_is_left_behind(number: signal.Signals, tmp_path: Path) -> None:
    """Tests that are ended take their servers with them, also when they have no time to clean up."""
    (tmp_path / "test_interrupted.py").write_text(INTERRUPTED, encoding="utf-8")
    started = tmp_path / "started"
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--rootdir={tmp_path}",
            "test_interrupted.py",
        ],
        cwd=tmp_path,
        env={**bare_environment(), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=_obey_ctrl_c,
    ) as tests:
        try:
            wait_until(lambda: started.is_file() and bool(started.read_text()), "the cluster of the tests")
            folder = Path(started.read_text())
            assert processes_in(folder)
            tests.send_signal(number)
            tests.wait(60)
        finally:
            tests.kill()
    wait_until(lambda: not processes_in(folder), "the servers to be gone", patience=20)
    if number == signal.SIGKILL:
        shutil.rmtree(folder)
    assert not folder.exists()
