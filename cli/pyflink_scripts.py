"""PyFlink scripts under `plan run`: the script runs once, and every job of it when the script executes it.

So a script gets what it collects, and what it does after `execute` happens after the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, count, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.locate import tell_notes
from planner.frontends.job_files import uses_pyflink
from planner.frontends.loading import LoadOptions, load_jobs

if TYPE_CHECKING:
    from planner.job import JobDefinition
    from spark_runner.clusters.request import RunRequest
    from spark_runner.runs.preparation import PreparedRun
    from spark_runner.runs.store import RunFolder

__all__ = ["is_script_to_run", "run_script"]

SeeThrough = Callable[["PreparedRun", "RunFolder", "RunRequest"], "tuple[int, list[Any]]"]


class _Ended(BaseException):
    """A job that did not end well: the script ends with it, whatever it catches."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def is_script_to_run(job: str) -> bool:
    """Whether this is a whole PyFlink script, and not one job of it."""
    path = Path(job)
    return path.suffix == ".py" and path.is_file() and uses_pyflink(path)


def run_script(request: RunRequest, options: LoadOptions, see_through: SeeThrough, *, run_id: str | None = None) -> int:
    """Run a script and its jobs, the first as `run_id`. The exit code of the first job that fails, else 0."""
    from spark_runner.runs.preparation import for_running

    numbers = count(1)
    ids = chain([run_id], repeat(None))

    executed: list[JobDefinition] = []

    def run(job: JobDefinition) -> list[Any]:
        executed.append(job)
        mine = replace(request, job=f"{request.job}:{next(numbers)}")
        code, records = _run_job(job, mine, see_through, next(ids))
        if code:
            raise _Ended(code)
        return records

    try:
        for job in load_jobs(request.job, replace(for_running(options), run=run)):
            if not any(job is one for one in executed):  # the file defines it, and leaves its execution to others
                run(job)
    except _Ended as ended:
        return ended.code
    return 0


def _run_job(
    job: JobDefinition, request: RunRequest, see_through: SeeThrough, run_id: str | None
) -> tuple[int, list[Any]]:
    from spark_runner.runs.preparation import check_machine, prepare_job
    from spark_runner.runs.store import RunStore

    prepared = prepare_job(job, request)
    tell_notes(prepared.plan.written)
    check_machine(request)
    folder = RunStore.under(Path.cwd()).begin(request, name=prepared.plan.job.name, run_id=run_id)
    return see_through(prepared, folder, request)
