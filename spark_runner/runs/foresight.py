"""What would fail after minutes and can be seen before anything starts: files that are missing or in the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from planner.errors import JobDefinitionError
from planner.job import Operator, Reader, Writer
from spark_runner.clusters.master import Master
from spark_runner.clusters.request import RunRequest
from spark_runner.program.job_paths import resolved_path
from spark_runner.program.program import SparkProgram
from spark_runner.streaming.opening import open_checkpoint

__all__ = ["check_files", "check_stream_files"]


def check_files(program: SparkProgram, request: RunRequest, master: Master) -> None:
    """Refuse a batch whose input is not there, or whose result would be. Only files of this machine are looked at."""
    here = _is_local(request, master)
    for operator in _sources(program):
        behaviour = operator.behaviour
        if isinstance(behaviour, Reader) and behaviour.path is not None:
            _check_input(operator, _place(behaviour.path, program.file, here))
    chunked = () if program.chunks is None else program.chunks.sinks
    for operator in (*(sink.operator for sink in program.sinks), *(sink.operator for sink in chunked)):
        behaviour = operator.behaviour
        if isinstance(behaviour, Writer) and behaviour.path is not None and behaviour.mode == "error":
            _check_result(operator, _place(behaviour.path, program.file, here))


def check_stream_files(program: SparkProgram, request: RunRequest, master: Master) -> None:
    """Refuse a stream that would write to a folder that is there, unless its checkpoint wrote it."""
    if request.checkpoint is not None and open_checkpoint(request, Path()).started:
        return
    here = _is_local(request, master)
    for sink in program.chunks.sinks if program.chunks is not None else ():
        behaviour = sink.operator.behaviour
        if isinstance(behaviour, Writer) and behaviour.path is not None and behaviour.mode == "error":
            _check_result(
                sink.operator,
                _place(behaviour.path, program.file, here),
                hint="set `mode: overwrite` or `mode: append`, move it away, or use the --checkpoint that wrote it",
            )


def _sources(program: SparkProgram) -> Iterator[Operator]:
    yield from (operation.operator for one in program.passes for operation in one.operations)
    if program.chunks is not None:
        yield from (source.operator for source in program.chunks.sources)


def _check_input(operator: Operator, place: Path | None) -> None:
    if place is not None and not place.exists() and not _fits(place):
        raise JobDefinitionError(
            f"operator {operator.key!r}: its input {place} does not exist",
            location=operator.location,
            hint="paths are relative to the job's file",
        )


def _fits(pattern: Path) -> bool:
    """Whether any file fits a path with `*` or `?` in it."""
    return any(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor))))


def _check_result(
    operator: Operator, place: Path | None, hint: str = "set `mode: overwrite` or `mode: append`, or move it away"
) -> None:
    if place is not None and place.exists():
        raise JobDefinitionError(
            f"operator {operator.key!r}: {place} exists already",
            location=operator.location,
            hint=hint,
        )


def _place(path: str, job_file: str, here: bool) -> Path | None:
    """Where a path leads on this machine; None where it leads elsewhere, or where Spark has rules of its own."""
    if path.startswith("file:"):
        path = "/" + path.removeprefix("file:").lstrip("/")
    elif "://" in path or not here:
        return None
    return None if set(path) & set("{},") else Path(resolved_path(path, job_file))


def _is_local(request: RunRequest, master: Master) -> bool:
    """Whether a path without a scheme is a file of this machine."""
    configured = any(os.environ.get(name) for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR"))
    elsewhere = any(key in ("spark.hadoop.fs.defaultFS", "spark.hadoop.fs.default.name") for key, _ in request.conf)
    return master.kind == "local" and not configured and not elsewhere
