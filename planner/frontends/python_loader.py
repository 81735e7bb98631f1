"""Loading a Python job: run its file as a script would run, and take the jobs it executes or exposes."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from planner.errors import JobDefinitionError, NeedsFlink, NoJobError, PlanError, noted_errors
from planner.frontends.job_files import uses_pyflink
from planner.frontends.picking import failed_after, picks_before, refuse_several, with_name
from planner.frontends.python_files.handover import LoadOptions, LoadSession, session
from planner.frontends.python_files.job_modules import loading_modules
from planner.frontends.python_files.places import PACKAGE_FOLDER, shown, shown_folders
from planner.frontends.suggestions import argument_fault, needed_version, plain_argument_faults, suggestion
from planner.job import JobDefinition, Location
from planner.source_text import read_text
from planner.spelling import nearest_or_all

if TYPE_CHECKING:
    from importlib.abc import MetaPathFinder

    from planner.frontends.python.environment import StreamExecutionEnvironment

__all__ = ["load_all_python", "load_python"]

_Taken = TypeVar("_Taken")
_LEVELS = 6  # folders above a file that are looked into
_RELATIVE = re.compile(r"^\s*from\s+(\.+)", re.MULTILINE)


def load_python(path: Path, name: str | None = None, options: LoadOptions | None = None) -> JobDefinition:
    """The job of a Python file; `name` picks one of several, by name or by number."""

    def take(collecting: LoadSession, module: ModuleType) -> JobDefinition:
        return _picked(collecting, module, path, name) if name is not None else _only(collecting, module, path)

    def executed(jobs: Sequence[JobDefinition]) -> JobDefinition | None:
        return with_name(jobs, path, name) if name is not None else None

    return _load(path, options, take, executed)


def load_all_python(path: Path, options: LoadOptions | None = None) -> list[JobDefinition]:
    """All jobs that a Python file executes, or else the one it exposes."""
    return _load(path, options, lambda done, module: list(done.jobs) or [_only(done, module, path)], lambda jobs: None)


def _load(
    path: Path,
    options: LoadOptions | None,
    take: Callable[[LoadSession, ModuleType], _Taken],
    wanted: Callable[[Sequence[JobDefinition]], _Taken | None],
) -> _Taken:
    """Run a file and take its jobs. A PyFlink script is run again with placeholders for modules that are missing.

    `wanted` finds what was asked for among the jobs of a file that failed later.
    """
    options = options or LoadOptions()
    source = read_text(path, str(path))
    is_script = uses_pyflink(path)
    notes: tuple[str, ...] = ()  # why a script is planned for an older version
    absent: list[str] = []
    while True:
        executed: list[JobDefinition] = []
        try:
            around = _script_surroundings(options, absent) if is_script else _without_pyflink()
            with _loading(path, source, options) as (collecting, module), around:
                executed = collecting.jobs
                collecting.absent_modules = tuple(absent)
                collecting.notes = notes
                with noted_errors() as noted:
                    _run_file(path, source, module)
                if noted:  # and the script caught it: what it did instead is not the job that it is meant to be
                    raise noted[0]
                executed = []  # the file itself did not fail
                return take(collecting, module)
        except _UserError as error:
            if not _has_run(options, executed):
                if options.flink is None and error.flink is not None:
                    options, notes = _for_older(options, error, error.flink, error.reason)
                    continue
                if error.module == "pyflink" and not is_script:  # a module beside the job uses it
                    is_script = True
                    continue
            if is_script and _may_be_absent(error.module, options) and error.module not in absent:
                absent.append(error.module)
                continue
            failed: PlanError = error
        except (JobDefinitionError, NeedsFlink) as error:
            older = getattr(error, "flink", None)  # of versions.OtherVersion
            if options.flink is None and older is not None and not _has_run(options, executed):
                options, notes = _for_older(options, error, older)
                continue
            failed = error
        if options.run is not None:  # it has run as far as it got
            executed = []
        found = wanted([replace(job, notes=(*job.notes, failed_after(failed))) for job in executed])
        if found is not None:
            return found
        _say_more(failed, executed, absent, notes, path)
        raise failed


def _has_run(options: LoadOptions, executed: Sequence[JobDefinition]) -> bool:
    """Whether a job of the file has run already: a second start of the file would run it twice."""
    return options.run is not None and bool(executed)


def _say_more(
    error: PlanError, executed: Sequence[JobDefinition], absent: Sequence[str], notes: Sequence[str], path: Path
) -> None:
    """Add to an error why an older version was tried, what stood in for modules, and which jobs were executed."""
    said = list(notes)
    if absent:
        said.append(f"placeholders stand in for what is not installed here: {', '.join(absent)}")
    if executed:
        said.append(picks_before(executed, path))
    if said:
        error.hint = "\n  ".join([*([error.hint] if error.hint else []), *said])


def _for_older(
    options: LoadOptions, error: JobDefinitionError, flink: str, reason: str | None = None
) -> tuple[LoadOptions, tuple[str, ...]]:
    """How to load a script for an older version, and the line that says so and why."""
    place = f" ({error.location})" if error.location else ""
    return replace(options, flink=flink), (f"planned for Flink {flink}: {reason or error.message}{place}",)


class _UserError(JobDefinitionError):
    """What went wrong in the user's own lines: an import of a module that is not here, or of a name that only another
    version of PyFlink has, may be cured by loading the file again."""

    def __init__(
        self, message: str, *, location: Location | None, hint: str | None, module: str = "",
        needed: tuple[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message, location=location, hint=hint)
        self.module = module  # that is missing
        self.flink = needed[0] if needed else None  # the newest version that has the name
        self.reason = needed[1] if needed else None  # what this version lacks


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
    from planner.frontends.python.stand_in import pyflink_stand_in
    from planner.frontends.python_files.absent_modules import placeholders_for
    from planner.frontends.python_files.waiting import no_waiting

    waiting = no_waiting(sys.modules["__main__"]) if options.run is None else nullcontext()
    with pyflink_stand_in(), placeholders_for(absent), waiting:
        yield


def _may_be_absent(module: str, options: LoadOptions) -> bool:
    """Whether the plan of a script can do without a module: only loaded, and none of PyFlink's own."""
    if options.run is not None or not module:
        return False
    return module.split(".")[0] not in ("pyflink", "planner", *sys.stdlib_module_names)


class _FoldersAbove:
    """Finds what nobody else finds in the folders above a file: `python -m` of a package begins in one of them."""

    def __init__(self, path: Path) -> None:
        self._folders = path.absolute().parents[1:_LEVELS]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The module in the nearest folder that has it, which is on `sys.path` from then on."""
        if path is not None or "." in name:
            return None
        for folder in self._folders:
            if (folder / name).is_dir() or (folder / f"{name}.py").is_file():
                found = PathFinder.find_spec(name, [str(folder)])
                if found is not None:
                    sys.path.append(str(folder))
                    return found
        return None


def _package(path: Path, source: str) -> str | None:
    """The package of a file that imports relatively, as `python -m` gives it: by `__init__.py`, else by its dots."""
    dots = max(map(len, _RELATIVE.findall(source)), default=0)
    if not dots:
        return None
    folders = path.absolute().parents[:_LEVELS]
    packages = next((level for level, folder in enumerate(folders) if not (folder / "__init__.py").is_file()), 0)
    return ".".join(folder.name for folder in reversed(folders[: max(dots, packages)]))


@contextmanager
def _loading(path: Path, source: str, options: LoadOptions) -> Iterator[tuple[LoadSession, ModuleType]]:
    """What every job's file meets: its folder first on sys.path, its own __main__, its arguments, no input."""
    folder = str(path.parent.absolute())
    module = ModuleType("__main__")
    module.__file__ = str(path)
    above = cast("MetaPathFinder", _FoldersAbove(path))
    before = (sys.path[:], sys.argv, sys.stdin, sys.modules.get("__main__"), set(sys.modules))
    sys.path.insert(0, folder)
    if (package := _package(path, source)) is not None:
        module.__package__ = package
        sys.path.insert(1, str(path.absolute().parents[package.count(".") + 1]))
    sys.meta_path.append(above)
    sys.stdin = io.StringIO()
    sys.modules["__main__"] = module
    shown_folders[folder] = str(path.parent) if str(path.parent) != "." else ""
    importlib.invalidate_caches()
    try:
        with session(options) as collecting, loading_modules(folder, before[4], before[0]), _quiet(options):
            sys.argv = [str(path), *options.arguments]
            yield collecting, module
    finally:
        sys.meta_path.remove(above)
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
        message, location=place, hint="\n  ".join(hints) or None, module=module, needed=needed_version(error)
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
        if not frame.filename.startswith("<")  # Python's own modules, which lie in no folder
        and str(Path(frame.filename).absolute()).startswith(folder)
        and not frame.filename.startswith(PACKAGE_FOLDER)
        and "site-packages" not in frame.filename
    ]


# --- which job --------------------------------------------------------------------------------------------------------


def _only(collecting: LoadSession, module: ModuleType, path: Path) -> JobDefinition:
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


def _picked(collecting: LoadSession, module: ModuleType, path: Path, name: str) -> JobDefinition:
    found = with_name(collecting.jobs, path, name)
    if found is not None:
        return found
    if name in module.__dict__:
        return _as_job(module.__dict__[name], name, collecting, path)
    raise JobDefinitionError(
        f"there is no job {name!r}", location=Location(str(path), 1), hint=_other_jobs(collecting, module, name)
    )


def _other_jobs(collecting: LoadSession, module: ModuleType, name: str) -> str:
    """The names by which a job of the file can be picked; an environment is none once its jobs were executed."""
    known = [job.name for job in collecting.jobs if job.name]
    known += [key for key, value in module.__dict__.items() if isinstance(value, JobDefinition)]
    if not known:
        known = [key for key, value in module.__dict__.items() if _is_environment(value) and value._made]
    return nearest_or_all(name, known, "the file has") if known else "the file defines no named job"


def _is_environment(value: Any) -> TypeGuard[StreamExecutionEnvironment]:
    """Whether a value is an environment; a file that makes none need not load the API."""
    api = sys.modules.get("planner.frontends.python.environment")
    return api is not None and isinstance(value, api.StreamExecutionEnvironment)


def _last_defined(collecting: LoadSession) -> Location | None:
    """Where the last stream was defined that no job took."""
    drafts = collecting.ledger.drafts if collecting.ledger is not None else {}
    found: Location | None = drafts[max(drafts)].location if drafts else None
    return found


def _as_job(value: Any, name: str, collecting: LoadSession, path: Path) -> JobDefinition:
    """The job that an exposed object is, or that an exposed function returns or executes."""
    executed = len(collecting.jobs)
    if callable(value) and not _is_environment(value):
        value = _guarded(path, value)
        if len(collecting.jobs) == executed + 1 and not isinstance(value, JobDefinition):
            return collecting.jobs[-1]
    if isinstance(value, JobDefinition):
        return value
    if _is_environment(value):
        return value._job(None)
    raise JobDefinitionError(
        f"`{name}` is neither a job nor an environment but {type(value).__name__}",
        location=Location(str(path), 1),
        hint="return the environment, or call env.execute(NAME) in it",
    )
