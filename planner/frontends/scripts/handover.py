"""Who gets the job when `execute` is called: whoever loads the file, else Spark."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from planner.errors import PlanError
from planner.job import JobDefinition
from planner.records import record

if TYPE_CHECKING:
    from planner.frontends.dsl.environment import StreamExecutionEnvironment
    from planner.frontends.flink_compiler.request import FlinkRequest

__all__ = [
    "LoadOptions",
    "Session",
    "current_session",
    "default_load_options",
    "hand_over",
    "session",
    "tell_errors_plainly",
    "use_load_options",
]


@record
class LoadOptions:
    """How a Python file is loaded."""

    api: Literal["pyflink", "java"] | None = None  # None: as the file's imports say
    parallelism: int | None = None  # where the job itself sets none
    parallelism_origin: str | None = None  # who says so, as messages show it
    arguments: tuple[str, ...] = ()  # sys.argv behind the file's name
    run: Callable[[JobDefinition], list[Any]] | None = None  # runs a job when it is executed, and gives its records
    compiler: FlinkRequest | None = None  # how Flink's own compiler is asked, where it is


_defaults: list[LoadOptions] = [LoadOptions()]


def use_load_options(options: LoadOptions) -> None:
    """How files are loaded from now on, where nobody says otherwise: one command, one way."""
    _defaults[0] = options


def default_load_options() -> LoadOptions:
    """How files are loaded where nobody says otherwise."""
    return _defaults[0]


class Session:
    """One loading of a job's file: the jobs it executed and the environments it made."""

    def __init__(self, options: LoadOptions | None = None) -> None:
        self.options = options or _defaults[0]
        self.jobs: list[JobDefinition] = []
        self.environments: list[StreamExecutionEnvironment] = []
        self.absent_modules: tuple[str, ...] = ()  # imported, not installed: placeholders stand in
        self.java_calls: list[str] = []  # calls on Java that only matter when a job runs
        self.ledger: Any = None  # PyFlink's one counter of transformations, once a PyFlink environment is made


_sessions: list[Session] = []


def current_session() -> Session | None:
    """The loading in progress, if any."""
    return _sessions[-1] if _sessions else None


@contextmanager
def session(options: LoadOptions | None = None) -> Iterator[Session]:
    """Collect the jobs executed inside instead of running them."""
    _sessions.append(Session(options))
    try:
        yield _sessions[-1]
    finally:
        _sessions.pop()


def hand_over(job: JobDefinition) -> list[Any]:
    """Give an executed job to the loading in progress, or run it; gives the records that its script asked for."""
    if (collecting := current_session()) is not None:
        collecting.jobs.append(job)
        return [] if collecting.options.run is None else collecting.options.run(job)
    import_module("cli.script").run_from_script(job)
    return []


def tell_errors_plainly() -> None:
    """Where a script runs by itself, let its mistakes be told as `plan run` tells them, not as a traceback."""
    if sys.excepthook is not sys.__excepthook__ or not hasattr(sys.modules.get("__main__"), "__file__"):
        return  # somebody else has a way of showing errors, or this is an interactive session

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, PlanError):
            import_module("cli.script").end_with(error)
        sys.__excepthook__(kind, error, trace)

    sys.excepthook = tell
