"""What can go wrong, by whose fault it is.

PlanError
├── JobDefinitionError   the job file is wrong: has the place and the next step
│   └── NeedsFlink       only Flink's own compiler can plan it
│   └── NoJobError       the file defines no job at all: a helper module, or data
├── PlanningError        the job is well formed, and Flink would refuse it
├── OptionError          an option or a setting of the command line is wrong
├── UnsupportedOnSpark   the plan stands, but Spark cannot run it the way Flink would
├── ExecutionError       the run failed: names the operator where one did
└── InternalError        our bug
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planner.job import Location

__all__ = [
    "ExecutionError",
    "InternalError",
    "JobDefinitionError",
    "NeedsFlink",
    "NoJobError",
    "OptionError",
    "PlanError",
    "PlanningError",
    "UnsupportedOnSpark",
    "noted_errors",
]

_noting: list[list[JobDefinitionError]] = []


@contextmanager
def noted_errors() -> Iterator[list[JobDefinitionError]]:
    """All errors of job definitions that are raised inside, also those that a script catches."""
    noted: list[JobDefinitionError] = []
    _noting.append(noted)
    try:
        yield noted
    finally:
        _noting.remove(noted)


class PlanError(Exception):
    """Anything `plan` reports in one message: what, where, and what to do next."""

    def __init__(self, message: str, *, location: Location | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{place}{self.message}{hint}"


class JobDefinitionError(PlanError):
    """The job's file does not say what a job must say."""

    def __init__(self, message: str, *, location: Location | None = None, hint: str | None = None) -> None:
        super().__init__(message, location=location, hint=hint)
        for noted in _noting:
            noted.append(self)


class NeedsFlink(JobDefinitionError):
    """A part of a script that only Flink's own compiler can plan."""


class NoJobError(JobDefinitionError):
    """A file that defines no job: skipped where folders are searched, reported where the file was named."""


class PlanningError(PlanError):
    """A well-formed job that Flink refuses to compile."""


class OptionError(PlanError):
    """A command-line option or a configured value that cannot be used."""


class UnsupportedOnSpark(PlanError):
    """Part of a job that Spark cannot do the way Flink would."""


class ExecutionError(PlanError):
    """A run that started and failed."""

    def __init__(
        self,
        message: str,
        *,
        operator: str | None = None,
        location: Location | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, location=location, hint=hint)
        self.operator = operator


class InternalError(PlanError):
    """A bug of ours: an invariant that does not hold."""
