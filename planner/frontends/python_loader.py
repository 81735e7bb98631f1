"""Loading a Python job: run its file as a script would run, and take the jobs it executes or exposes."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from planner.errors import JobDefinitionError, NoJobError, PlanError, noted_errors
from planner.frontends.picking import refuse_several, with_name
from planner.frontends.scripts.handover import LoadOptions, Session, session
from planner.frontends.scripts.job_modules import forget_modules
from planner.frontends.scripts.places import PACKAGE_FOLDER, shown, shown_folders
from planner.frontends.suggestions import argument_fault, needed_version, plain_argument_faults, suggestion
from planner.job import JobDefinition, Location
from planner.source_text import read_text
from planner.spelling import nearest_or_all

if TYPE_CHECKING:
    from importlib.abc import MetaPathFinder

    from planner.frontends.dsl.environment import StreamExecutionEnvironment

__all__ = ["load_all_python", "load_python"]

_Taken = TypeVar("_Taken")
_LEVELS = 6  # folders above a file that are looked into


def load_python(path: Path, name: str | None = None, options: LoadOptions | None = None) -> JobDefinition:
    """The job of a Python file; `name` picks one of several, by name or by number."""

    def take(collecting: Session, module: ModuleType) -> JobDefinition:
        return _picked(collecting, module, path, name) if name is not None else _only(collecting, module, path)

    return _load(path, options, take)


def load_all_python(path: Path, options: LoadOptions | None = None) -> list[JobDefinition]:
    """All jobs that a Python file executes, or else the one it exposes."""
    return _load(path, options, lambda done, module: list(done.jobs) or [_only(done, module, path)])


def _load(path: Path, options: LoadOptions | None, take: Callable[[Session, ModuleType], _Taken]) -> _Taken:
    """Run a file and take its jobs. A PyFlink script is run again with placeholders for modules that are missing."""
    options = options or LoadOptions()
    source = read_text(path, str(path))
    is_script = "pyflink" in source
    notes: tuple[str, ...] = ()  # why a script is planned for an older version
    absent: list[str] = []
    beside: list[str] = []  # folders above the file that have a module it imports
    while True:
        try:
            around = _script_surroundings(options, absent) if is_script else _without_pyflink()
            with _loading(path, options, beside) as (collecting, module), around:
                collecting.absent_modules = tuple(absent)
                collecting.notes = notes
                with noted_errors() as noted:
                    _run_file(path, source, module)
                if noted:  # and the script caught it: what it did instead is not the job that it is meant to be
                    raise noted[0]
                return take(collecting, module)
        except _UserError as error:
            if options.flink is None and error.flink is not None:
                options, notes = _for_older(options, error, error.flink)
                continue
            if error.module == "pyflink" and not is_script:  # a module beside the job uses it
                is_script = True
                continue
            if not is_script or not _may_be_absent(error.module, options) or error.module in absent:
                _say_absent(error, absent)
                raise
            folder = _folder_above(path, error.module.split(".")[0])
            if folder is not None and folder not in beside:
                beside.append(folder)
            else:
                absent.append(error.module)
        except JobDefinitionError as error:
            older = getattr(error, "flink", None)  # of versions.OtherVersion
            if options.flink is None and older is not None:
                options, notes = _for_older(options, error, older)
                continue
            _say_absent(error, absent)
            raise


def _for_older(options: LoadOptions, error: JobDefinitionError, flink: str) -> tuple[LoadOptions, tuple[str, ...]]:
    """How to load a script for an older version, and the line that says so and why."""
    place = f" ({error.location})" if error.location else ""
    return replace(options, flink=flink), (f"planned for Flink {flink}: {error.message}{place}",)


def _say_absent(error: JobDefinitionError, absent: Sequence[str]) -> None:
    if absent:
        said = f"placeholders stand in for what is not installed here: {', '.join(absent)}"
        error.hint = f"{error.hint}\n  {said}" if error.hint else said


class _UserError(JobDefinitionError):
    """What went wrong in the user's own lines: an import of a module that is not here, or of a name that only another
    version of PyFlink has, may be cured by loading the file again."""

    def __init__(
        self, message: str, *, location: Location | None, hint: str | None, module: str = "", flink: str | None = None
    ) -> None:
        super().__init__(message, location=location, hint=hint)
        self.module = module  # that is missing
        self.flink = flink  # the newest version that has the name


@contextmanager
def _without_pyflink() -> Iterator[None]:
    """Let an import of PyFlink fail, though it may be installed: the file is then loaded again as a script."""
    sys.meta_path.insert(0, cast("MetaPathFinder", _NoPyFlink))
    try:
        yield
    finally:
        sys.meta_path.remove(cast("MetaPathFinder", _NoPyFlink))


class _NoPyFlink:
    """Finds no PyFlink."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Refuse PyFlink; all else is found by others."""
        if name == "pyflink":
            raise ModuleNotFoundError("No module named 'pyflink'", name="pyflink")


@contextmanager
def _script_surroundings(options: LoadOptions, absent: Sequence[str]) -> Iterator[None]:
    """What a PyFlink script meets while it is loaded: PyFlink's stand-in, placeholders, and time that does not pass."""
    from planner.frontends.pyflink.stand_in import pyflink_stand_in
    from planner.frontends.scripts.absent_modules import placeholders_for
    from planner.frontends.scripts.waiting import no_waiting

    waiting = no_waiting(sys.modules["__main__"]) if options.run is None else nullcontext()
    with pyflink_stand_in(), placeholders_for(absent), waiting:
        yield


def _may_be_absent(module: str, options: LoadOptions) -> bool:
    """Whether the plan of a script can do without a module: only loaded, and none of PyFlink's own."""
    if options.run is not None or not module:
        return False
    return module.split(".")[0] not in ("pyflink", "planner", *sys.stdlib_module_names)


def _folder_above(path: Path, module: str) -> str | None:
    """The folder that `python -m` of a package would begin in: the nearest one above a file that has the module."""
    for folder in path.absolute().parents[1:_LEVELS]:
        if (folder / module).is_dir() or (folder / f"{module}.py").is_file():
            return str(folder)
    return None


@contextmanager
def _loading(path: Path, options: LoadOptions, beside: Sequence[str]) -> Iterator[tuple[Session, ModuleType]]:
    """What every job's file meets: its folder first on sys.path, its own __main__, its arguments, no input."""
    folder = str(path.parent.absolute())
    module = ModuleType("__main__")
    module.__file__ = str(path)
    before = (sys.path[:], sys.argv, sys.stdin, sys.modules.get("__main__"), set(sys.modules))
    sys.path.insert(0, folder)
    sys.path.extend(beside)
    sys.stdin = io.StringIO()
    sys.modules["__main__"] = module
    shown_folders[folder] = str(path.parent) if str(path.parent) != "." else ""
    importlib.invalidate_caches()
    try:
        with session(options) as collecting, _quiet(options):
            sys.argv = [str(path), *options.arguments]
            yield collecting, module
    finally:
        forget_modules(folder, before[4], before[0])
        sys.path[:], sys.argv, sys.stdin = before[0], before[1], before[2]
        if before[3] is not None:
            sys.modules["__main__"] = before[3]
        shown_folders.pop(folder, None)


def _quiet(options: LoadOptions) -> AbstractContextManager[Any]:
    """What a script prints is no result of a command that only loads it; where it runs, it is."""
    return redirect_stdout(sys.stderr) if options.run is None else nullcontext()


def _run_file(path: Path, source: str, module: ModuleType) -> None:
    with plain_argument_faults(source):
        _guarded(path, lambda: exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__))


def _guarded(path: Path, call: Callable[[], Any]) -> Any:
    """Call user code; what goes wrong there becomes one message with the user's own lines."""
    try:
        return call()
    except PlanError:
        raise
    except SystemExit as error:
        if error.code in (None, 0):
            return None
        raise _user_error(error, path, _ended(error)) from None
    except EOFError as error:
        raise _user_error(error, path, "the file waits for input, which it cannot get while it is loaded") from None
    except ModuleNotFoundError as error:
        raise _user_error(error, path, f"ModuleNotFoundError: {error}", error.name or "") from None
    except SyntaxError as error:
        place = Location(shown(error.filename or str(path)), error.lineno or 1, error.offset or None)
        raise JobDefinitionError(f"not valid Python: {error.msg}", location=place) from None
    except Exception as error:
        said = "".join(traceback.format_exception_only(error)).strip().removesuffix(" (unknown location)")
        raise _user_error(error, path, said) from None


def _user_error(error: BaseException, path: Path, message: str, module: str = "") -> _UserError:
    lines = _user_lines(error.__traceback__, path)
    place = Location(lines[-1][0], lines[-1][1]) if lines else Location(str(path), 1)
    hints = [hint for hint in (suggestion(error, lines[-1][2] if lines else "", str(path)),) if hint]
    hints += [f"{file}:{line}: {text}" for file, line, text in lines[-8:]]
    return _UserError(
        message, location=place, hint="\n  ".join(hints) or None, module=module, flink=needed_version(error)
    )


def _ended(error: SystemExit) -> str:
    missing = argument_fault(error)
    return f"the file ended itself with exit code {error.code}" if missing is None else f"the file asks for {missing}"


def _user_lines(trace: TracebackType | None, path: Path) -> list[tuple[str, int, str]]:
    """The frames of the user's own files, outermost first."""
    folder = str(path.parent.absolute()) + os.sep
    return [
        (shown(frame.filename), frame.lineno or 1, frame.line or "")
        for frame in traceback.extract_tb(trace)
        if str(Path(frame.filename).absolute()).startswith(folder)
        and not frame.filename.startswith(PACKAGE_FOLDER)
        and "site-packages" not in frame.filename
    ]


# --- which job --------------------------------------------------------------------------------------------------------


def _only(collecting: Session, module: ModuleType, path: Path) -> JobDefinition:
    jobs = collecting.jobs
    if len(jobs) == 1:
        return jobs[0]
    if jobs:
        raise refuse_several(jobs, path)
    for name in ("job", "build"):
        if name in module.__dict__:
            return _as_job(module.__dict__[name], name, collecting, path)
    if (last := _last_defined(collecting)) is not None:
        raise JobDefinitionError(
            "streams are defined, but never executed", location=last, hint="end with env.execute(NAME)"
        )
    raise NoJobError(
        "the file defines no job",
        location=Location(str(path), 1),
        hint="call env.execute(NAME), or define `job` or `build()`",
    )


def _picked(collecting: Session, module: ModuleType, path: Path, name: str) -> JobDefinition:
    found = with_name(collecting.jobs, path, name)
    if found is not None:
        return found
    if name in module.__dict__:
        return _as_job(module.__dict__[name], name, collecting, path)
    raise JobDefinitionError(
        f"there is no job {name!r}", location=Location(str(path), 1), hint=_other_jobs(collecting, module, name)
    )


def _other_jobs(collecting: Session, module: ModuleType, name: str) -> str:
    """The names by which a job of the file can be picked; an environment is none once its jobs were executed."""
    known = [job.name for job in collecting.jobs if job.name]
    known += [key for key, value in module.__dict__.items() if isinstance(value, JobDefinition)]
    if not known:
        known = [key for key, value in module.__dict__.items() if _is_environment(value) and value._nodes]
    return nearest_or_all(name, known, "the file has") if known else "the file defines no named job"


def _is_environment(value: Any) -> TypeGuard[StreamExecutionEnvironment]:
    """Whether a value is an environment of our own API, which most PyFlink scripts never load."""
    api = sys.modules.get("planner.frontends.dsl.environment")
    return api is not None and isinstance(value, api.StreamExecutionEnvironment)


def _last_defined(collecting: Session) -> Location | None:
    """Where the last stream was defined that no job took."""
    unfinished = [environment for environment in collecting.environments if environment._nodes]
    if unfinished:
        return unfinished[-1]._nodes[-1].location
    drafts = collecting.ledger.drafts if collecting.ledger is not None else {}
    found: Location | None = drafts[max(drafts)].location if drafts else None
    return found


def _as_job(value: Any, name: str, collecting: Session, path: Path) -> JobDefinition:
    """The job that an exposed object is, or that an exposed function returns or executes."""
    executed = len(collecting.jobs)
    if callable(value) and not _is_environment(value):
        value = _guarded(path, value)
        if len(collecting.jobs) == executed + 1 and not isinstance(value, JobDefinition):
            return collecting.jobs[-1]
    if isinstance(value, JobDefinition):
        return value
    if _is_environment(value):
        return value.build()
    raise JobDefinitionError(
        f"`{name}` is neither a job nor an environment but {type(value).__name__}",
        location=Location(str(path), 1),
        hint="return the environment, or call env.execute(NAME) in it",
    )
