"""Loading a job by its file: YAML as data, Python by running the file, SQL and jars by asking Flink's own compiler."""

from __future__ import annotations

import os
from pathlib import Path

from planner.errors import JobDefinitionError, NeedsFlink, OptionError
from planner.frontends.job_files import COMPILED, SUFFIXES, split_name, uses_pyflink
from planner.frontends.picking import pick
from planner.frontends.python_files.handover import LoadOptions
from planner.job import JobDefinition
from planner.spelling import nearest

__all__ = ["LoadOptions", "load_job", "load_jobs", "split_spec"]

_JSON = ".json"
_YAML = (".yaml", ".yml", _JSON)
_KNOWN = (*SUFFIXES, _JSON)


def load_job(path_spec: str | Path, options: LoadOptions | None = None) -> JobDefinition:
    """The one job that `FILE` or `FILE:NAME` means; `options` are for programs, not for data."""
    path, name = split_spec(path_spec)
    if path.suffix.lower() == _JSON and _is_stream_graph(path):
        from planner.frontends.flink_export.stream_graph import load_stream_graph

        return load_stream_graph(path)
    if path.suffix.lower() in COMPILED:
        return pick(_compiled(path, options, name), path, name)
    if path.suffix.lower() in _YAML:
        from planner.frontends.yaml.loader import load_yaml

        _refuse_for_yaml(path, options or LoadOptions())
        return load_yaml(path)
    if options is not None and _asks_flink(path, options):
        return pick(_compiled(path, options, name), path, name)
    from planner.frontends.python_loader import load_python

    try:
        return load_python(path, name, options)
    except NeedsFlink as error:
        return pick(_handed_over(path, options or LoadOptions(), error, name), path, name)


def load_jobs(path_spec: str | Path, options: LoadOptions | None = None) -> list[JobDefinition]:
    """All jobs of a file, in the order it executes them."""
    path, name = split_spec(path_spec)
    if name is None and path.suffix.lower() in COMPILED:
        return _compiled(path, options)
    if name is not None or path.suffix.lower() in _YAML:
        return [load_job(path_spec, options)]
    if options is not None and _asks_flink(path, options):
        return _compiled(path, options)
    from planner.frontends.python_loader import load_all_python

    try:
        return load_all_python(path, options)
    except NeedsFlink as error:
        return _handed_over(path, options or LoadOptions(), error)


def _compiled(path: Path, options: LoadOptions | None, name: str | None = None) -> list[JobDefinition]:
    from planner.frontends.flink_compiler.loading import load_compiled

    options = options or LoadOptions()
    named = options.compiler.named if options.compiler is not None else None
    if named is not None and os.path.normpath(path) not in named:
        raise OptionError(
            f"{path} was found, not named, and Flink would run it",
            hint="name the file on the command line, or set run_programs = true under [tool.plan]",
        )
    return load_compiled(path, options, name)


def _asks_flink(path: Path, options: LoadOptions) -> bool:
    """Whether Flink itself is asked about a script that may not need it: --with-flink."""
    if options.compiler is None or not options.compiler.always or options.run is not None:
        return False
    if uses_pyflink(path):
        return True
    raise OptionError(
        f"--with-flink: {path} is no PyFlink script, and Flink knows nothing of it",
        hint="leave --with-flink out; its plan is checked against Flink's by the tests of plan",
    )


def _handed_over(path: Path, options: LoadOptions, error: NeedsFlink, name: str | None = None) -> list[JobDefinition]:
    """The jobs of a script that only real PyFlink can plan; where there is none, what to do about it."""
    if options.run is not None:
        hint = "plan run runs DataStream jobs; this one can be planned: plan explain FILE --python PATH"
        raise NeedsFlink(error.message, location=error.location, hint=hint)
    try:
        return _compiled(path, options, name)
    except OptionError as missing:
        hint = f"{missing.message}\n{missing.hint}" if missing.hint else missing.message
        raise NeedsFlink(error.message, location=error.location, hint=hint) from missing


def _refuse_for_yaml(path: Path, options: LoadOptions) -> None:
    """Options of Python files would be forgotten without a word."""
    given: dict[str, object] = {"--api": options.api, "arguments after `--`": options.arguments}
    if options.parallelism_origin == "--parallelism":
        given["--parallelism"] = options.parallelism
    for what in (what for what, value in given.items() if value):
        raise OptionError(
            f"{what}: for Python jobs only, and {str(path)!r} is YAML",
            hint="set it in the file, or try it with --set job.parallelism=N",
        )


def _is_stream_graph(path: Path) -> bool:
    from planner.frontends.flink_export.stream_graph import is_stream_graph

    return is_stream_graph(path)


def split_spec(path_spec: str | Path) -> tuple[Path, str | None]:
    """The file and the job's name of `FILE` or `FILE:NAME`, checked to exist."""
    path, name = Path(path_spec), None
    if not path.exists():
        file, name = split_name(str(path_spec))
        path = Path(file)
    if not path.is_file():
        raise OptionError(f"there is no job file {str(path)!r}", hint=_near(path))
    if path.suffix.lower() not in _KNOWN:
        raise OptionError(f"{str(path)!r} is no job file", hint="a job is a .py, .yaml, .yml, .json, .sql or .jar file")
    if name == "":
        raise JobDefinitionError("a job's name is missing after the colon", hint=f"write {path.name}:NAME")
    return path, name


def _near(path: Path) -> str:
    if path.is_dir():
        return "this is a folder: name the file in it"
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {str(folder)!r}"
    # By the name without its folder and its ending, which are alike in files that have nothing else in common.
    files = {file.stem: file for file in sorted(folder.iterdir()) if file.suffix in _KNOWN}
    close = nearest(path.stem, files)
    return f"did you mean `{files[close]}`?" if close else "check the path"
