"""`--deploy-mode cluster`: the driver runs on the cluster and calls back to this process, which follows it.

spark-submit takes a small main file, a zip of this package, the planner and the job's modules, and a file that says
where to call. The compiled program goes over that line, and events, records and figures come back over it, so that a
run looks the same as with a driver here. The driver ends when the line does: cancelling is hanging up.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError
from spark_runner.cluster_driver import CALL
from spark_runner.gateway import spark_home
from spark_runner.java import find_java
from spark_runner.master import Master, parse_master
from spark_runner.program import SparkProgram
from spark_runner.request import RunRequest
from spark_runner.results import Events, RunResult
from spark_runner.session import settings, worker_python
from spark_runner.shipping import pickled_function, write_shipment
from spark_runner.start_failures import explain_start_failure

__all__ = ["RemoteDriver", "submit_driver"]

_MAIN = "from spark_runner.cluster_driver import main\n\nmain()\n"


@dataclass(slots=True, kw_only=True)
class RemoteDriver:
    """A driver on the cluster, and the line to it."""

    master: Master
    submission: subprocess.Popen[bytes]
    line: Connection
    application: str

    def execute(self, events: Events) -> RunResult:
        """Follow the program to its end."""
        while True:
            try:
                kind, content = self.line.recv()
            except (EOFError, OSError):
                raise ExecutionError(f"the driver of {self.application} was lost on {self.master.url}") from None
            if kind == "event":
                events(content)
            elif kind == "error":
                raise content
            else:
                result: RunResult = content
                return result

    def close(self, *, wait: float = 15.0) -> None:
        """Hang up, which ends the driver, and wait until the cluster has noticed."""
        with contextlib.suppress(OSError):
            self.line.close()
        try:
            self.submission.wait(wait)
        except subprocess.TimeoutExpired:
            self.submission.kill()


def submit_driver(request: RunRequest, program: SparkProgram, *, folder: Path, log: Path) -> RemoteDriver:
    """Start a driver on the cluster, and return once it has called and has its session."""
    master = parse_master(request.master)
    key = secrets.token_bytes(32)
    with Listener(("0.0.0.0", 0), backlog=1, authkey=key) as listener:
        call = {"host": _own_address(), "port": listener.address[1], "key": key.hex()}
        submission = _submit(request, master, program, call, folder, log)
        line = _answered(listener, submission, master, log)
    payload = pickled_function(program, program.file)
    line.send((dict(request.conf), payload))
    try:
        kind, content = line.recv()
    except (EOFError, OSError) as error:
        raise explain_start_failure(error, master, log) from error
    if kind == "error":
        raise content
    return RemoteDriver(master=master, submission=submission, line=line, application=content)


def _submit(
    request: RunRequest, master: Master, program: SparkProgram, call: dict[str, Any], folder: Path, log: Path
) -> subprocess.Popen[bytes]:
    main, caller = folder / "plan_driver.py", folder / CALL
    main.write_text(_MAIN)
    caller.touch(mode=0o600)  # before the key is in it
    caller.write_text(json.dumps(call))
    shipped = [str(write_shipment(program.file)), *request.py_files]
    chosen = settings(request, master, name=program.name)
    chosen |= {"spark.submit.deployMode": "cluster", "spark.submit.pyFiles": ",".join(shipped)}
    # A second driver would find nobody to call; what happens after a failure is the restart strategy's to say.
    chosen["spark.yarn.maxAppAttempts"] = "1"
    python = worker_python(request, master)
    chosen.setdefault("spark.yarn.appMasterEnv.PYSPARK_PYTHON", python)
    chosen["spark.files"] = ",".join(filter(None, (chosen.get("spark.files"), str(caller))))
    words = [word for key, value in chosen.items() for word in ("--conf", f"{key}={value}")]
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(spark_home() / "bin" / "spark-submit"), *words, str(main)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C is ours to handle
            env={**os.environ, "JAVA_HOME": str(find_java().home), "PYSPARK_PYTHON": python},
        )


def _answered(listener: Listener, submission: subprocess.Popen[bytes], master: Master, log: Path) -> Connection:
    """The driver's call; a submission that ends without one has failed."""
    answers: list[Connection] = []

    def accept() -> None:
        with contextlib.suppress(Exception):
            answers.append(listener.accept())

    waiter = threading.Thread(target=accept, daemon=True)
    waiter.start()
    while waiter.is_alive():
        waiter.join(0.2)
        if submission.poll() is not None and not answers:
            raise explain_start_failure(ExecutionFailed("the submission ended"), master, log)
    if not answers:
        raise ExecutionError(f"a driver called that is not ours; Spark's log: {log}")
    return answers[0]


class ExecutionFailed(Exception):
    """A submission that ended before its driver called: the log says why."""


def _own_address() -> str:
    """The address of this machine that others reach: a datagram socket looks up its route, and asks nobody."""
    given = os.environ.get("SPARK_LOCAL_IP")
    if given:
        return given
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of the documentation's range; nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
