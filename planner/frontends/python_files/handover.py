"""Who gets the job when `execute` is called: whoever loads the file, else Spark."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal

from planner.errors import JobDefinitionError, PlanError
from planner.flink.versions import NEWEST, read_version
from planner.frontends.python_files.places import user_location
from planner.job import Collection, JobDefinition, Location
from planner.kinds import SINKS
from planner.records import record

if TYPE_CHECKING:
    from planner.frontends.flink_compiler.request import FlinkRequest

__all__ = [
    "LoadOptions",
    "LoadSession",
    "as_declared",
    "current_session",
    "hand_over",
    "session",
    "tell_errors_plainly",
]


@record
class LoadOptions:
    """How a Python file is loaded."""

    api: Literal["pyflink", "java"] | None = None  # None: as the file's imports say
    parallelism: int | None = None  # where the job itself sets none
    parallelism_origin: str | None = None  # who says so, as messages show it
    flink: str | None = None  # the version whose PyFlink a script meets; None: as its names say
    arguments: tuple[str, ...] = ()  # sys.argv after the file's name
    run: Callable[[JobDefinition], list[Any]] | None = None  # runs a job when it is executed, and gives its records
    compiler: FlinkRequest | None = None  # how Flink's own compiler is asked, where it is
    keep: Callable[[Any], Any] | None = None  # for a run: copies user functions as they are when they are declared


_FUNCTIONS: Final = ("behaviour", "run", "key_selector", "custom", "watermarks")  # arguments that hold user functions
_PLAIN: Final = frozenset({bool, int, float, complex, str, bytes, Decimal, date, datetime, time, timedelta, range})
_CONNECTORS: Final = frozenset({"source", *SINKS})


class LoadSession:
    """One loading of a job's file: the jobs it executed."""

    def __init__(self, options: LoadOptions | None = None) -> None:
        self.options = options or LoadOptions()
        self.flink = read_version(self.options.flink) if self.options.flink else NEWEST
        self.uses: dict[str, Location] = {}  # names of PyFlink that not all versions have, where each was used first
        self.notes: tuple[str, ...] = ()  # what a reader of the plan should know: why it is for an older version
        self.jobs: list[JobDefinition] = []
        self.absent_modules: tuple[str, ...] = ()  # imported, not installed: placeholders stand in
        self.java_calls: list[str] = []  # calls on Java that only matter when a job runs
        self.ledger: Any = None  # the one counter of transformations, once an environment is made


_sessions: list[LoadSession] = []


def current_session() -> LoadSession | None:
    """The loading in progress, if any."""
    return _sessions[-1] if _sessions else None


@contextmanager
def session(options: LoadOptions | None = None) -> Iterator[LoadSession]:
    """Collect the jobs executed inside instead of running them."""
    _sessions.append(LoadSession(options))
    try:
        yield _sessions[-1]
    finally:
        _sessions.pop()


def as_declared(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a transformation with the user's functions as they are now, where the job will run.

    PyFlink pickles functions in the call that declares their operator, so that later changes of a variable, of an
    object or of a record do not reach them. A plan needs no copies. Sources and sinks are Java objects in PyFlink,
    which still see changes: only the records of a collection are copied.
    """
    collecting = current_session()
    keep = import_module("spark_runner.frames.shipping").kept if collecting is None else collecting.options.keep
    if keep is None:
        return arguments
    behaviour = arguments.get("behaviour")
    if isinstance(behaviour, Collection):
        if all(map(_never_changes, behaviour.records)):
            return arguments
    elif arguments.get("kind") in _CONNECTORS:
        return arguments
    functions = {key: arguments[key] for key in _FUNCTIONS if arguments.get(key) is not None}
    try:
        return {**arguments, **keep(functions)} if functions else arguments
    except Exception as error:
        what = str(arguments.get("kind", arguments.get("partitioner"))).lower()
        raise JobDefinitionError(
            f"{what}: its function cannot be sent to executors: {type(error).__name__}: {error}",
            location=user_location(),
            hint="create what cannot be pickled in the function's open(), or in a module beside the job",
        ) from error


def _never_changes(record: Any) -> bool:
    if isinstance(record, tuple | frozenset):
        return all(map(_never_changes, record))
    return record is None or type(record) in _PLAIN


def hand_over(job: JobDefinition) -> list[Any]:
    """Give an executed job to the loading in progress, or run it; gives the records that its script asked for."""
    if (collecting := current_session()) is not None:
        alike = sum(one.name == job.name for one in collecting.jobs)
        job = replace(job, repeat=alike + 1) if alike else job
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
