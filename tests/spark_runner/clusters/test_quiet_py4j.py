"""What Py4J logs about a JVM that has gone stays off the terminal."""

from __future__ import annotations

import subprocess
import sys

from tests.support.sources import ROOT

SCRIPT = """
import logging
from spark_runner.clusters.session import keep_py4j_quiet

{quiet}
try:
    raise ConnectionError("the JVM has gone")
except ConnectionError:
    logging.getLogger("py4j.clientserver").exception("There was an exception while executing the Python Proxy")
logging.getLogger("my.job").warning("a word of the job's own")
"""


def said(quiet: str) -> str:
    script = SCRIPT.format(quiet=quiet)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stderr


def test_py4j_is_quiet_and_the_job_is_not() -> None:
    assert "the JVM has gone" in said("")
    assert said("keep_py4j_quiet()") == "a word of the job's own\n"
