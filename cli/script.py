"""What `python job.py` does: the job runs on a local Spark session, prints its results and its figures."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from cli.app import report_error
from cli.exit_codes import INTERRUPTED, OK, pipe_closed
from cli.finish import exit_code, leave_at_once
from cli.locate import tell_notes
from cli.render.text.progress import Lines
from cli.render.text.run_report import report_lines
from planner.errors import PlanError
from planner.job import JobDefinition
from spark_runner.clusters.request import RunRequest
from spark_runner.runs.preparation import check_machine, prepare_job
from spark_runner.runs.store import RunStore
from spark_runner.runs.supervision import Outcome, supervise

__all__ = ["end_with", "run_from_script"]


def run_from_script(job: JobDefinition) -> None:
    """Run a job to its end, as `env.execute()` promises; a failure ends the script as it would end `plan run`."""
    try:
        code = _see_through(job)
    except PlanError as error:
        code = report_error(error)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = pipe_closed()
    if code != OK:
        sys.exit(code)


def end_with(error: PlanError) -> NoReturn:
    """End the script with an error that it did not handle."""
    sys.exit(report_error(error))


def _see_through(job: JobDefinition) -> int:
    outcome = _run(job)
    if outcome.abandoned:
        leave_at_once(outcome)
    code = exit_code(outcome)
    if code == OK:
        print("\n".join(report_lines(outcome.report.to_dict())), file=sys.stderr)
    return code


def _run(job: JobDefinition) -> Outcome:
    master = os.environ.get("PLAN_MASTER") or "local[*]"
    request = RunRequest(job=job.location.file, folder=str(Path.cwd()), master=master)
    prepared = prepare_job(job, request)
    tell_notes(prepared.plan.written)
    check_machine(request)
    run = RunStore.under(Path.cwd()).begin(request, name=prepared.plan.job.name)
    return supervise(prepared.program, run, request, strategy=prepared.strategy, audience=Lines(sys.stdout, sys.stderr))
