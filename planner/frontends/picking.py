"""Which of the jobs of a file is meant: the only one, or one by its name or number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from planner.errors import JobDefinitionError, PlanError
from planner.job import JobDefinition, Location
from planner.spelling import nearest_or_all

__all__ = ["failed_after", "numbered", "pick", "picks_before", "refuse_several", "with_name"]


def pick(jobs: Sequence[JobDefinition], path: Path, name: str | None) -> JobDefinition:
    """The job that is meant of those that a file executes."""
    if name is None:
        if len(jobs) > 1:
            raise refuse_several(jobs, path)
        return jobs[0]
    found = with_name(jobs, path, name)
    if found is not None:
        return found
    known = [job.name for job in jobs if job.name]
    raise JobDefinitionError(
        f"there is no job {name!r}",
        location=Location(str(path), 1),
        hint=(f"the file executes {len(jobs)} jobs: {path}:1 to {path}:{len(jobs)}" if len(jobs) > 1 else "it has one")
        if name.isdigit()
        else nearest_or_all(name, known, "the file has"),
    )


def refuse_several(jobs: Sequence[JobDefinition], path: Path) -> JobDefinitionError:
    """Why a file does not name one job, and how its jobs are picked."""
    picks = ", ".join(f"{path}:{number}" for number in range(1, min(len(jobs), 4) + 1))
    return JobDefinitionError(
        f"the file executes {len(jobs)} jobs: {_listed(jobs)}",
        location=jobs[1].location,
        hint=f"pick one by its number or name: {picks}{', ...' if len(jobs) > 4 else ''}",
    )


def with_name(jobs: Sequence[JobDefinition], path: Path, name: str) -> JobDefinition | None:
    """The job of a name, or of a number where none has it as its name."""
    named = [job for job in jobs if job.name == name]
    if not named and name.isdigit() and 0 < int(name) <= len(jobs):
        return jobs[int(name) - 1]
    if len(named) > 1:
        raise JobDefinitionError(
            f"{len(named)} jobs are named {name!r}",
            location=named[1].location,
            hint=f"pick one by its number: {path}:{list(jobs).index(named[0]) + 1}",
        )
    return named[0] if named else None


def numbered(jobs: Sequence[JobDefinition]) -> list[JobDefinition]:
    """The jobs of a file, each knowing how many of its name were executed before it."""
    counts = Counter[str | None]()
    found = []
    for job in jobs:
        counts[job.name] += 1
        found.append(job if counts[job.name] == 1 else replace(job, repeat=counts[job.name]))
    return found


def failed_after(error: PlanError) -> str:
    """What to say of a job whose file failed later."""
    place = f" ({error.location})" if error.location else ""
    return f"the file failed after it executed this job{place}: {error.message}"


def picks_before(jobs: Sequence[JobDefinition], path: Path) -> str:
    """What to say of the jobs that a file executed before it failed."""
    picks = f"{path}:1" if len(jobs) == 1 else f"{path}:1 to {path}:{len(jobs)}"
    what = "1 job was executed" if len(jobs) == 1 else f"{len(jobs)} jobs were executed"
    return f"{what} before this, and can be planned alone: {picks}"


def _listed(jobs: Sequence[JobDefinition]) -> str:
    return ", ".join(repr(job.name) if job.name else f"unnamed (line {job.location.line})" for job in jobs)
