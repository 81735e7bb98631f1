"""Telling Flink's exports from job files, before anything heavy is imported."""

from __future__ import annotations

from pathlib import PurePath

from planner.errors import OptionError

_JOB_FILES = (".py", ".yaml", ".yml")


def is_export(argument: str) -> bool:
    """Whether an argument is one of Flink's exports: an address, stdin, a saved folder, a plan in JSON or text."""
    if PurePath(argument).suffix.lower() in _JOB_FILES or ".py:" in argument:
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
