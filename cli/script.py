"""What `python job.py` does: the job runs on a local Spark session, prints its results and its figures."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from cli.render.text.progress import Lines
from cli.render.text.run_report import report_lines
from planner.errors import ExecutionError, InternalError, PlanError
from planner.job import JobDefinition
from spark_runner.clusters.request import RunRequest
from spark_runner.runs.preparation import check_machine, prepare_job
from spark_runner.runs.store import RunStore
from spark_runner.runs.supervision import Outcome, supervise

__all__ = ["run_from_script"]


def run_from_script(job: JobDefinition) -> None:
    """Run a job to its end, as `env.execute()` promises; a failure ends the script with `plan run`'s code."""
    try:
        outcome = _run(job)
    except PlanError as error:
        _leave(error, 4 if isinstance(error, InternalError) else 3 if isinstance(error, ExecutionError) else 2)
    except KeyboardInterrupt:
        sys.exit(130)
    if outcome.interrupted:
        print(f"run {outcome.record.id} canceled", file=sys.stderr)
        sys.exit(130)
    if outcome.error is not None:
        _leave(outcome.error, 4 if isinstance(outcome.error, InternalError) else 3, abandoned=outcome.abandoned)
    print("\n".join(report_lines(outcome.report.to_dict())), file=sys.stderr)


def _run(job: JobDefinition) -> Outcome:
    master = os.environ.get("PLAN_MASTER") or "local[*]"
    request = RunRequest(job=job.location.file, folder=str(Path.cwd()), master=master)
    prepared = prepare_job(job, request)
    check_machine(request)
    run = RunStore.under(Path.cwd()).submit(request, name=job.name)
    run.move("CREATED")
    return supervise(prepared.program, run, strategy=prepared.strategy, audience=Lines(sys.stdout, sys.stderr))


def _leave(error: PlanError, code: int, *, abandoned: bool = False) -> NoReturn:
    print(f"error: {error}", file=sys.stderr)
    if abandoned:
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
