"""`--deploy-mode cluster`: the driver runs on the cluster and calls back to this process, which follows it.

spark-submit takes a small main file, a zip of this package, the planner and the job's modules, and a file that says
where to call. The compiled program goes over that line, and events, records and figures come back over it, so that a
run looks the same as with a driver here. The driver ends when the line does; YARN is also told to end the application,
since one that still waits in a queue has no driver yet.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError
from spark_runner.clusters.gateway import spark_home
from spark_runner.clusters.java import find_java
from spark_runner.clusters.master import check_reachable, parse_master
from spark_runner.clusters.master_version import check_master, check_same_version
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import settings, worker_python
from spark_runner.clusters.start_failures import explain_start_failure
from spark_runner.figures.results import Events, RunResult, StageFigures
from spark_runner.figures.tracking import StageCounts
from spark_runner.frames.shipping import pickled_function, write_shipment
from spark_runner.program.program import SparkProgram

__all__ = ["RemoteDriver"]

_CALL = "plan-call.json"
_LONGEST_END, _LONGEST_KILL = 15.0, 20.0  # seconds
# Older Pythons must get through this file: only their own version tells what is wrong with them.
_MAIN = f"""\
import json, sys
from multiprocessing.connection import Client

with open("{_CALL}") as file:
    call = json.load(file)
line = Client((call["host"], call["port"]), authkey=bytes.fromhex(call["key"]))
line.send("%d.%d" % sys.version_info[:2])
if line.recv() == "welcome":
    from spark_runner.runs.driver_on_cluster import main

    main(line)
"""


class RemoteDriver:
    """A driver on the cluster, from its submission on, and the line to it."""

    def __init__(self, request: RunRequest, program: SparkProgram, *, folder: Path, log: Path) -> None:
        self.master = parse_master(request.master)
        self.application: str | None = None
        self.stages: tuple[StageCounts, ...] = ()
        self.figures: dict[int, StageFigures] = {}
        self.lost = False
        self._killed = False
        self._request, self._program, self._folder, self._log = request, program, folder, log
        self._submission: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None

    def start(self) -> None:
        """Submit the driver, and return once it has called, has its session, and has the program."""
        check_reachable(self.master)
        check_master(self.master, dict(self._request.conf))
        key = secrets.token_bytes(32)
        with Listener(("0.0.0.0", 0), backlog=1, authkey=key) as listener:
            call = {"host": _own_address(), "port": listener.address[1], "key": key.hex()}
            self._submission = self._submit(call)
            if self._killed:  # while it was being made
                self._submission.kill()
            self._line = self._answered(listener, self._submission)
        self._check_python(self._hear())
        self._line.send("welcome")
        check_same_version(f"the driver on {self.master.url}", self._answer())
        self._line.send(pickled_function(self._program, self._program.file))
        self.application = self._answer()

    def execute(self, events: Events) -> RunResult:
        """Run the program once, and follow it to its end."""
        assert self._line is not None
        self._line.send("run")
        while True:
            kind, content = self._hear()
            if kind == "event":
                events(content)
            elif kind == "stages":
                self.stages = content
            elif kind == "error":
                raise content
            else:
                result: RunResult
                result, self.figures = content
                return result

    def close(self, *, finished: bool) -> None:
        """Let the driver end, and wait until the cluster has noticed."""
        if self._line is None or self._submission is None:
            return
        with contextlib.suppress(OSError):
            self._line.send("finish" if finished else "fail")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._submission.wait(_LONGEST_END)
        self._hang_up()

    def kill(self) -> None:
        """End the application at once, wherever it is on its way."""
        self._killed = True
        if self._submission is None or self._submission.poll() is not None:
            return
        self._submission.kill()  # it only watches, and must not submit any more
        self._submission.wait()
        application = self.application or self._submitted()
        if application and self.master.kind == "yarn":
            _kill_on_yarn(application, self._log)
        self._hang_up()

    def _submitted(self) -> str | None:
        """The application's id as the submission's log has it, before the driver itself has told it."""
        found = re.search(r"Submitting application (application_\w+)", self._log.read_text(errors="replace"))
        return found[1] if found else None

    def _hang_up(self) -> None:
        if self._submission is not None and self._submission.poll() is None:
            self._submission.kill()
        if self._line is not None:
            self._line.close()
            self._line = None

    def _hear(self) -> Any:
        try:
            assert self._line is not None
            return self._line.recv()
        except (EOFError, OSError, AssertionError):
            self.lost = True
            who = self.application or "the application"
            raise ExecutionError(
                f"the driver of {who} was lost on {self.master.url}", hint=f"Spark's log: {self._log}"
            ) from None

    def _answer(self) -> str:
        """What the driver says of itself while it starts."""
        kind, content = self._hear()
        if kind == "error":
            raise content
        return str(content)

    def _check_python(self, version: str) -> None:
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        if version != here:
            raise ExecutionError(
                f"the driver on {self.master.url} has Python {version}, and here it is {here}: the same minor version "
                "is needed",
                hint=f"set PYSPARK_PYTHON, or --conf spark.pyspark.python=..., to a Python {here} there",
            )

    def _submit(self, call: dict[str, Any]) -> subprocess.Popen[bytes]:
        main, caller = self._folder / "plan_driver.py", self._folder / _CALL
        main.write_text(_MAIN)
        caller.touch(mode=0o600)  # before the key is in it
        caller.write_text(json.dumps(call))
        python = worker_python(self._request, self.master)
        chosen = self._settings(python, caller)
        words = [word for key, value in chosen.items() for word in ("--conf", f"{key}={value}")]
        with self._log.open("ab") as output:
            return subprocess.Popen(
                [str(spark_home() / "bin" / "spark-submit"), *words, str(main)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is ours to handle
                env={**os.environ, "JAVA_HOME": str(find_java().home), "PYSPARK_PYTHON": python},
            )

    def _settings(self, python: str, caller: Path) -> dict[str, str]:
        shipped = [str(write_shipment(self._program.file, driver=True)), *self._request.py_files]
        chosen = settings(self._request, self.master, name=self._program.name)
        chosen |= {"spark.submit.deployMode": "cluster", "spark.submit.pyFiles": ",".join(shipped)}
        # A second driver would find nobody to call; what happens after a failure is the restart strategy's to say.
        chosen["spark.yarn.maxAppAttempts"] = "1"
        chosen["spark.yarn.submit.waitAppCompletion"] = "true"  # the submission's end is the application's
        chosen.setdefault("spark.yarn.appMasterEnv.PYSPARK_PYTHON", python)
        chosen["spark.files"] = ",".join(filter(None, (chosen.get("spark.files"), str(caller))))
        return chosen

    def _answered(self, listener: Listener, submission: subprocess.Popen[bytes]) -> Connection:
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
                raise explain_start_failure(_SubmissionEnded("the submission ended"), self.master, self._log)
        if not answers:
            raise ExecutionError(f"a driver called that is not ours; Spark's log: {self._log}")
        return answers[0]


class _SubmissionEnded(Exception):
    """A submission that ended before its driver called: the log says why."""


def _kill_on_yarn(application: str, log: Path) -> None:
    """What `yarn application -kill` does, with the classes and the configuration that the submission had."""
    configuration = os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR") or ""
    command = [str(find_java().executable), "-Xmx256m", "-XX:TieredStopAtLevel=1"]
    command += ["-cp", f"{configuration}{os.pathsep}{spark_home()}/jars/*"]
    command += ["org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-kill", application]
    with log.open("ab") as output, contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=_LONGEST_KILL, check=False
        )


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
