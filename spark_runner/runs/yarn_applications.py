"""Applications on YARN that have no driver yet, or none that answers."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from pathlib import Path

from planner.machine.java import find_java
from spark_runner.clusters.gateway import spark_home

__all__ = ["kill_on_yarn", "submitted_application"]

_LONGEST_KILL = 20.0  # seconds


def submitted_application(log: Path) -> str | None:
    """The application's id as the submission's log has it, before the driver itself has told it."""
    found = re.search(r"Submitting application (application_\w+)", log.read_text(errors="replace"))
    return found[1] if found else None


def kill_on_yarn(application: str, log: Path) -> None:
    """What `yarn application -kill` does, with the classes and the configuration that the submission had."""
    configuration = os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR") or ""
    command = [str(find_java().executable), "-Xmx256m", "-XX:TieredStopAtLevel=1"]
    command += ["-cp", f"{configuration}{os.pathsep}{spark_home()}/jars/*"]
    command += ["org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-kill", application]
    with log.open("ab") as output, contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=_LONGEST_KILL, check=False
        )
