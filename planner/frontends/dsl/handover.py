"""Who gets the job when `execute` is called: whoever loads the file, else Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from planner.job import JobDefinition

if TYPE_CHECKING:
    from planner.frontends.dsl.environment import StreamExecutionEnvironment

__all__ = ["Session", "current_session", "hand_over", "session"]


class Session:
    """One loading of a job's file: the jobs it executed and the environments it made."""

    def __init__(self) -> None:
        self.jobs: list[JobDefinition] = []
        self.environments: list[StreamExecutionEnvironment] = []


_sessions: list[Session] = []


def current_session() -> Session | None:
    """The loading in progress, if any."""
    return _sessions[-1] if _sessions else None


@contextmanager
def session() -> Iterator[Session]:
    """Collect the jobs executed inside instead of running them."""
    _sessions.append(Session())
    try:
        yield _sessions[-1]
    finally:
        _sessions.pop()


def hand_over(job: JobDefinition) -> None:
    """Give an executed job to the loading in progress, or run it on a local Spark session."""
    if (collecting := current_session()) is not None:
        collecting.jobs.append(job)
        return
    from importlib import import_module

    import_module("cli.script").run_from_script(job)
