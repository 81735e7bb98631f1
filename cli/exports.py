"""Telling Flink's exports from job files, before anything heavy is imported."""

from __future__ import annotations

from planner.errors import OptionError
from planner.frontends.job_files import names_job_file


def is_export(argument: str) -> bool:
    """Whether an argument is one of Flink's exports: an address, stdin, a saved folder, a plan in JSON or text."""
    if names_job_file(argument):
        return False
    from planner.observed.loading import is_export as looks_like_export

    return looks_like_export(argument)


def refuse_for_exports(argument: str, **options: object) -> None:
    """Refuse options that need the job itself: Flink's exports cannot be compiled again."""
    for option, value in options.items():
        if value:
            raise OptionError(
                f"{option} needs a job file, and {argument} is what Flink says about a job",
                hint="write the job in Python or YAML to try changes on it",
            )
