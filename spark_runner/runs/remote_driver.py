"""`--deploy-mode cluster`: the driver runs on the cluster and calls back to this process, which follows it.

spark-submit takes a small main file, a zip of this package, the planner and the job's modules, the compiled program,
and a file that says where to call. Events, records and figures come back over that line, so that a run looks the same
as with a driver here. The driver ends when the line does; YARN is also told to end the application, since one that
still waits in a queue has no driver yet.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError, PlanError
from planner.job import Location
from planner.machine.java import find_java
from spark_runner.clusters.gateway import spark_home
from spark_runner.clusters.master import check_reachable, own_address, parse_master
from spark_runner.clusters.master_version import check_master, check_same_version
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import settings, worker_python
from spark_runner.clusters.start_failures import LogWatch
from spark_runner.figures.results import Events, RunResult, StageFigures
from spark_runner.figures.tracking import StageCounts
from spark_runner.figures.wire import event_of, value_of
from spark_runner.frames.shipping import pickled_function, write_shipment
from spark_runner.program.program import SparkProgram
from spark_runner.runs.call import Call
from spark_runner.runs.line import Line
from spark_runner.runs.yarn_applications import kill_on_yarn, submitted_application

__all__ = ["RemoteDriver"]

_CALL, _PROGRAM = "plan-call.json", "plan-program.pickle"
_LONGEST_END = 15.0  # seconds
# Older Pythons must get through this file: only their own version tells what is wrong with them.
_MAIN = f"""\
import json, sys
from spark_runner.runs.line import call

with open("{_CALL}") as file:
    told = json.load(file)
line = call(told["host"], told["port"], bytes.fromhex(told["key"]))
line.send("%d.%d" % sys.version_info[:2])
if line.receive() == "welcome":
    from spark_runner.runs.driver_on_cluster import main

    main(line, "{_PROGRAM}")
"""


class RemoteDriver:
    """A driver on the cluster, from its submission on, and the line to it."""

    endless = False

    def __init__(self, request: RunRequest, program: SparkProgram, *, folder: Path, log: Path) -> None:
        self.master = parse_master(request.master)
        self.application: str | None = None
        self._lost: ExecutionError | None = None
        self._stages: tuple[StageCounts, ...] = ()
        self._figures: dict[int, StageFigures] = {}
        self._canceled = False
        self._request, self._program, self._folder, self._log = request, program, folder, log
        self._watch = LogWatch(request.master, log)
        self._submission: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None

    def start(self) -> None:
        """Submit the driver, and return once it has called and has its session."""
        check_reachable(self.master)
        check_master(self.master, dict(self._request.conf))
        key = secrets.token_bytes(32)
        with Call(own_address(self.master), key) as call:
            self._submission = self._submit({"host": call.host, "port": call.port, "key": key.hex()})
            if self._canceled:  # while it was being made
                self._submission.kill()
            self._line = call.answered(self._submission, self.master, self._log)
        self._check_python(self._hear())
        self._line.send("welcome")
        check_same_version(f"the driver on {self.master.url}", self._answer())
        self._line.send("start")
        self.application = self._answer()

    def execute(self, events: Events) -> RunResult:
        """Run the program once, and follow it to its end."""
        assert self._line is not None
        self._line.send("run")
        while True:
            kind, content = self._hear()
            if kind == "event":
                events(event_of(content))
            elif kind == "stages":
                self._stages = value_of(tuple[StageCounts, ...], content)
            elif kind == "error":
                raise _error(content)
            else:
                self._figures = value_of(dict[int, StageFigures], content["figures"])
                return value_of(RunResult, content["result"])

    def refusal_while_starting(self, waited: float) -> PlanError | None:
        """A submission may wait in a queue for as long as it takes."""
        return None

    def refusal_while_running(self, waited: float) -> PlanError | None:
        """What Spark's log says while the program runs."""
        return self._watch.while_running(waited)

    def stages(self) -> Iterable[StageCounts]:
        """As the driver last told them."""
        return self._stages

    def result_so_far(self) -> RunResult | None:
        """A batch that was ended has written nothing."""
        return None

    def with_stages(self, result: RunResult) -> RunResult:
        """The driver has added them."""
        return result

    def figures(self, stages: Iterable[int]) -> dict[int, StageFigures]:
        """As the driver told them with its result."""
        return self._figures

    def close(self, *, finished: bool) -> None:
        """Let the driver end, and wait until the cluster has noticed."""
        if self._line is None or self._submission is None:
            return
        with contextlib.suppress(OSError):
            self._line.send("finish" if finished else "fail")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._submission.wait(_LONGEST_END)
        self._hang_up()

    def cancel(self) -> str | None:
        """End the application at once, wherever it is on its way."""
        self._canceled = True
        if self._submission is None or self._submission.poll() is not None:
            return None
        self._submission.kill()  # it only watches, and must not submit any more
        self._submission.wait()
        application = self.application or submitted_application(self._log)
        if application and self.master.kind == "yarn":
            kill_on_yarn(application, self._log)
        self._hang_up()
        return None

    def waits_for(self) -> str | None:
        """Its cluster does not tell."""
        return None

    def why_lost(self, failure: PlanError) -> PlanError | None:
        """The line broke: the driver that could try again is gone."""
        return self._lost

    def _hang_up(self) -> None:
        if self._submission is not None and self._submission.poll() is None:
            self._submission.kill()
        if self._line is not None:
            self._line.close()
            self._line = None

    def _hear(self) -> Any:
        try:
            assert self._line is not None
            return self._line.receive()
        except (EOFError, OSError, AssertionError, ValueError):
            who = self.application or "the application"
            self._lost = ExecutionError(
                f"the driver of {who} was lost on {self.master.url}", hint=f"Spark's log: {self._log}"
            )
            raise self._lost from None

    def _answer(self) -> str:
        """What the driver says of itself while it starts."""
        kind, content = self._hear()
        if kind == "error":
            raise _error(content)
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
        main, caller, program = (self._folder / name for name in ("plan_driver.py", _CALL, _PROGRAM))
        main.write_text(_MAIN)
        caller.touch(mode=0o600)  # before the key is in it
        caller.write_text(json.dumps(call))
        program.write_bytes(pickled_function(self._program, self._program.file))
        python = worker_python(self._request, self.master)
        chosen = self._settings(python, (caller, program))
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

    def _settings(self, python: str, files: Iterable[Path]) -> dict[str, str]:
        shipped = [str(write_shipment(self._program.file, driver=True)), *self._request.py_files]
        chosen = settings(self._request, self.master, name=self._program.name)
        chosen |= {"spark.submit.deployMode": "cluster", "spark.submit.pyFiles": ",".join(shipped)}
        # A second driver would find nobody to call; what happens after a failure is the restart strategy's to say.
        chosen["spark.yarn.maxAppAttempts"] = "1"
        chosen["spark.yarn.submit.waitAppCompletion"] = "true"  # the submission's end is the application's
        chosen.setdefault("spark.yarn.appMasterEnv.PYSPARK_PYTHON", python)
        chosen["spark.files"] = ",".join(filter(None, (chosen.get("spark.files"), *map(str, files))))
        return chosen


def _error(content: dict[str, Any]) -> ExecutionError:
    location = content["location"]
    return ExecutionError(
        content["message"],
        operator=content["operator"],
        location=None if location is None else Location(*location),
        hint=content["hint"],
    )
