"""Loading a job by its file: YAML as data, Python by running the file, SQL and jars by asking Flink's own compiler."""

from __future__ import annotations

from pathlib import Path

from planner.errors import JobDefinitionError, OptionError
from planner.frontends.job_files import COMPILED, SUFFIXES, split_name
from planner.frontends.picking import pick
from planner.frontends.scripts.handover import LoadOptions
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
        return pick(_compiled(path, options), path, name)
    if path.suffix.lower() in _YAML:
        from planner.frontends.yaml.loader import load_yaml

        _refuse_for_yaml(path, options or LoadOptions())
        return load_yaml(path)
    from planner.frontends.python_loader import load_python

    return load_python(path, name, options)


def load_jobs(path_spec: str | Path, options: LoadOptions | None = None) -> list[JobDefinition]:
    """All jobs of a file, in the order it executes them."""
    path, name = split_spec(path_spec)
    if name is None and path.suffix.lower() in COMPILED:
        return _compiled(path, options)
    if name is not None or path.suffix.lower() in _YAML:
        return [load_job(path_spec, options)]
    from planner.frontends.python_loader import load_all_python

    return load_all_python(path, options)


def _compiled(path: Path, options: LoadOptions | None) -> list[JobDefinition]:
    from planner.frontends.flink_compiler.loading import load_compiled

    return load_compiled(path, options or LoadOptions())


def _refuse_for_yaml(path: Path, options: LoadOptions) -> None:
    """Options of Python files would be forgotten without a word."""
    given: dict[str, object] = {"--api": options.api, "arguments behind `--`": options.arguments}
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
