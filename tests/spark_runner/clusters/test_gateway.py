"""The JVM of a driver ends with the driver, whenever that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spark_runner.clusters.temporary_folders import remove_abandoned_folders

PATIENCE = 120  # seconds; only a JVM that never ends meets it
DRIVER = """
import sys, time
from pathlib import Path
from spark_runner.clusters import gateway
from planner.machine.java import find_java

def told() -> None:
    print(next(iter(gateway._starting)).pid, flush=True)
    time.sleep(1000)

arguments = ["--master", "local[1]", "pyspark-shell"]
gateway.start_gateway(arguments, java=find_java(), log=Path("spark.log"), local=True, meanwhile=told)
"""


def ended(process: int) -> bool:
    """Whether a process that is not our child is gone, or only its entry is left."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


@pytest.mark.spark
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_a_driver_that_is_killed_while_its_jvm_starts_leaves_none_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert driver.stdout is not None
    jvm = int(driver.stdout.readline())
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    remove_abandoned_folders()  # what the next run does
    until = time.monotonic() + PATIENCE
    while not ended(jvm) and time.monotonic() < until:
        time.sleep(0.2)
    if not ended(jvm):
        os.kill(jvm, signal.SIGKILL)
        pytest.fail((tmp_path / "spark.log").read_text()[-2000:])
