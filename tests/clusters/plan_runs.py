"""`plan run` as a user starts it, on a cluster: its output, its exit code, and the report it keeps."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.session import Session
from spark_runner.runs import local_driver
from tests.clusters.servers import HOSTS, die_with_parent
from tests.clusters.worker_python import ROOT, worker_python
from tests.support.session_runs import SMALL_JVM, open_session, small_spark_jvm

JOBS = Path(__file__).parent / "jobs"
SAMPLES = ROOT / "samples"
# Executors of this size fit into the tests' clusters; drivers without a web interface start sooner, and JVMs that
# live for seconds are better off without the second compiler.
SMALL = {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.ui.enabled": "false",
    "spark.executor.defaultJavaOptions": small_spark_jvm(),
    "spark.driver.defaultJavaOptions": SMALL_JVM,
    "spark.yarn.am.extraJavaOptions": SMALL_JVM,
}
PATIENCE = 300.0


@dataclass(frozen=True)
class Finished:
    """A run that is over."""

    code: int
    output: str
    errors: str
    report: dict[str, Any]
    seconds: float
    written: Mapping[str, list[str]]
    """The records that each sink left in its folder, in no particular order."""

    @cached_property
    def printed(self) -> list[str]:
        """What `print` gave, without the subtask in front, in no particular order."""
        return sorted(re.sub(r"^\d+> ", "", record) for record in self.report["printed"])

    @cached_property
    def counts(self) -> dict[str, tuple[int | None, int | None]]:
        """The records that went into and out of each operator."""
        return {
            operator["key"]: (operator["records_in"], operator["records_out"])
            for vertex in self.report["vertices"]
            for operator in vertex["operators"]
        }

    def check_like(self, other: Finished) -> None:
        """Assert a good end, with the records and the figures of another run."""
        assert self.code == 0, self.errors
        assert self.printed == other.printed
        assert self.written == other.written
        assert self.counts == other.counts
        assert all(None not in pair for pair in self.counts.values())

    def check_refusal(self, *words: str, code: int = 3) -> None:
        """Assert an end with one message that holds these words, and nothing of a stack."""
        assert self.code == code, self.errors
        assert self.errors.count("error: ") == 1, self.errors
        for stack in ("Traceback", "\tat ", "java.lang", "py4j"):
            assert stack not in self.errors + self.output
        for word in words:
            assert word in self.errors, self.errors


class Started:
    """A run that goes on; a test may do harm meanwhile."""

    def __init__(self, job: Path, master: str, options: Sequence[str], environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="plan-run-")
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cli", "run", str(job), "--master", master, "--format", "json", *options],
            cwd=self._folder.name,
            env=driver_environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
        self._folder.cleanup()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def folder(self) -> Path:
        return Path(self._folder.name)

    def send(self, number: signal.Signals) -> None:
        """A signal to `plan` alone."""
        self._process.send_signal(number)

    def kill_jvm(self, *, first: signal.Signals | None = None) -> None:
        """kill -9 of the driver's JVM; after a signal to `plan`, where one is given."""
        found = [int(pid) for pid in _children(self._process.pid)]
        assert found, "the driver has a JVM"
        for number, pid in ((first, self._process.pid), *((signal.SIGKILL, pid) for pid in found)):
            if number is not None:
                os.kill(pid, number)

    def end(self, *, patience: float = PATIENCE) -> Finished:
        """Wait for its end."""
        output, errors = self._process.communicate(timeout=patience)
        report = json.loads(output) if output else {}
        return Finished(
            code=self._process.returncode,
            output=output,
            errors=errors,
            report=report,
            seconds=time.monotonic() - self._began,
            written=_written(report),
        )


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or [
        child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


def _written(report: dict[str, Any]) -> dict[str, list[str]]:
    """Read at once: the next run of the job writes to the same place."""
    from pyarrow import json as as_json
    from pyarrow import parquet

    read = {"json": as_json.read_json, "parquet": parquet.read_table}
    return {
        sink["operator"]: sorted(
            repr(record)
            for file in Path(sink["path"]).glob(f"*.{sink['format']}")
            if file.stat().st_size
            for record in read[sink["format"]](file).to_pylist()
        )
        for sink in report.get("sinks", ())
        if sink["format"] in read and sink["path"] is not None  # a run that never began has no places yet
    }


def start_plan(
    job: Path,
    master: str,
    *options: str,
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Started:
    """Start `plan run JOB --master MASTER`, with small executors on clusters."""
    wanted = {} if master.startswith("sc://") else {**SMALL, **(settings or {})}
    words = [word for name, value in wanted.items() for word in ("--conf", f"{name}={value}")]
    return Started(job, master, [*words, *options], environment or {})


def run_plan(job: Path, master: str, *options: str, **more: Any) -> Finished:
    """`plan run JOB --master MASTER` from start to end."""
    with start_plan(job, master, *options, **more) as run:
        return run.end()


@cache
def run_locally(job: Path) -> Finished:
    """The job's run on this machine alone, which others are compared with; once for all tests.

    `plan run` in this process, on the session that its other tests use: what comes out does not depend on a JVM's age.
    """
    session = Session(spark=open_session(), master=parse_master("local[2]"))
    output, began = io.StringIO(), time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="plan-run-") as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(output),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(local_driver, "open_session", lambda *_, **__: session)
        code = main(["run", str(job), "--master", "local[2]", "--format", "json"])
        report = json.loads(output.getvalue() or "{}")
        run = Finished(
            code=code,
            output=output.getvalue(),
            errors="",
            report=report,
            seconds=time.monotonic() - began,
            written=_written(report),
        )
    assert run.code == 0
    assert run.printed
    return run


def driver_environment(**more: str) -> dict[str, str]:
    """The tests' own environment, with nothing in it that would let workers see this repository."""
    hidden = ("PYTHONPATH", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return kept | {"PYSPARK_PYTHON": str(worker_python()), "SPARK_LOCAL_IP": HOSTS[0], "NO_COLOR": "1", **more}
