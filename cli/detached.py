"""A run in a process of its own, for `plan run --detach`: reads the request from standard input, then runs it.

    python -m cli.detached FOLDER SUBMITTED

SUBMITTED is the time of the submission it was started for: a later one under the same id is not its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from cli.app import report_error
from cli.exit_codes import WRONG_INPUT
from cli.finish import exit_code
from cli.load_options import load_options
from cli.render.text.progress import Lines
from cli.run_report_files import write_report
from planner.durable import open_private
from planner.errors import ExecutionError
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.temporary_folders import remove_own_folders
from spark_runner.runs.preparation import check_machine, prepare
from spark_runner.runs.store import RunFolder, RunRecord
from spark_runner.runs.supervision import supervise

__all__ = ["detach"]

_OUTPUT = "output.txt"
_LONGEST = 120.0  # seconds until a new process has taken its run over


def detach(run: RunFolder, request: RunRequest) -> RunRecord:
    """Start a process for a submitted run, and return once it has accepted the run; raises why it did not."""
    submitted = repr(run.record().submitted)
    own = str(Path(__file__).parents[1])
    with open_private(run.path / _OUTPUT) as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "cli.detached", str(run.path.absolute()), submitted],
            stdin=subprocess.PIPE,  # the request: its secrets are in no file and no list of processes
            stdout=output,
            stderr=output,
            start_new_session=True,  # closing the terminal must not end it
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))},
        )
    assert child.stdin is not None
    with contextlib.suppress(BrokenPipeError), child.stdin as pipe:
        pipe.write(json.dumps(request.to_dict()).encode())
    deadline = time.monotonic() + _LONGEST
    while time.monotonic() < deadline:
        record = run.record()
        if record.state != "SUBMITTED":
            return record
        if child.poll() is not None:
            break
        time.sleep(0.05)
    child.kill()
    child.wait()
    said = (run.path / _OUTPUT).read_text(errors="replace").strip().splitlines()
    reason = next((line for line in said if "error: " in line), said[-1] if said else "no output")
    raise ExecutionError(f"the process of the run ended before the run was accepted: {reason}")


def main(folder: Path, submitted: float) -> int:
    """See one submitted run to its end."""
    run = RunFolder(folder)
    record = run.record()
    if record.state != "SUBMITTED" or record.submitted != submitted:
        print(f"error: run {run.id} is not the one this process was started for", file=sys.stderr)
        return WRONG_INPUT
    try:
        return _see_through(run, RunRequest.from_dict(json.load(sys.stdin)))
    except Exception as error:
        return report_error(error)


def _see_through(run: RunFolder, request: RunRequest) -> int:
    options = load_options(request.arguments, parallelism=request.parallelism, flink=request.flink)
    prepared = prepare(request, options)
    check_machine(request)
    run.move("CREATED")
    outcome = supervise(
        prepared.program, run, request, strategy=prepared.strategy, audience=Lines(sys.stdout, sys.stderr)
    )
    if request.report is not None:
        write_report(Path(request.folder, request.report), outcome.report.to_dict(), prepared.plan)
    return exit_code(outcome)


if __name__ == "__main__":
    code = main(Path(sys.argv[1]), float(sys.argv[2]))
    sys.stdout.flush()
    sys.stderr.flush()
    remove_own_folders()
    os._exit(code)  # a thread that still waits for a dead cluster must not hold the process
