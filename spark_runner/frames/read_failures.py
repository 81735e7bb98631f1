"""Turns Spark's errors about unreadable files and records into errors of the source that reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from planner.errors import ExecutionError
from planner.job import Reader
from spark_runner.program.program import Operation, SparkProgram

__all__ = ["reader_defaults", "unreadable"]

# Spark would make nulls of what does not fit; a declared schema is a promise
_DEFAULTS = {"csv": {"mode": "FAILFAST"}, "json": {"mode": "FAILFAST"}, "xml": {"mode": "FAILFAST"}}


def reader_defaults(format: str, declared: str | None) -> dict[str, str]:
    """Options of a reader that the job does not set; `declared` are its columns."""
    return {} if declared is None else dict(_DEFAULTS.get(format.lower(), {}))


_FILE = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (.+?)\.(?:\s|$)")
_MALFORMED = re.compile(r"Malformed records are detected in record parsing: (\[.*?\])\.\s*\n?Parse Mode", re.DOTALL)
_CONDITION = re.compile(r"^\[[A-Z_0-9.]+\] ")
_SQLSTATE = re.compile(r"\s*SQLSTATE: \w+")


def unreadable(error: BaseException, program: SparkProgram) -> ExecutionError | None:
    """The error of a source whose file Spark could not read; None where something else went wrong."""
    messages = list(_messages(error))
    text = "\n".join(messages)
    file = _FILE.search(text)
    if file is None:
        return None
    operation = _reader_of(file[1], program)
    whose = f"operator {operation.operator.key!r} ({operation.name})" if operation else "a source"
    record = _MALFORMED.search(text)
    reason = _SQLSTATE.sub("", _CONDITION.sub("", messages[-1].splitlines()[0] if messages[-1] else "")).strip()
    if record is not None:
        because = "" if _MALFORMED.search(messages[-1]) else f": {reason}"
        said = f"read a record that does not fit its schema{because}\n  record: {record[1]}\n  file: {file[1]}"
        hint = "options: {mode: PERMISSIVE} makes nulls of what does not fit, {mode: DROPMALFORMED} leaves it out"
    else:
        said, hint = f"cannot read {file[1]}: {reason}", None
    return ExecutionError(
        f"{whose} {said}",
        operator=operation.operator.key if operation else None,
        location=operation.operator.location if operation else None,
        hint=hint,
    )


def _messages(error: BaseException) -> Iterator[str]:
    """What an exception of the JVM and its causes say; of one from elsewhere its own words."""
    cause: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if cause is None:
        yield str(error)
    for _ in range(20):
        if cause is None:
            return
        yield str(cause.getMessage() or "")
        cause = cause.getCause()


def _reader_of(file: str, program: SparkProgram) -> Operation | None:
    """The source whose path a file lies under."""
    place = Path(unquote(urlsplit(file).path))
    folder = Path(program.file).resolve().parent
    for one in program.passes:
        for operation in one.operations:
            behaviour = operation.operator.behaviour
            if isinstance(behaviour, Reader) and behaviour.path is not None:
                plain = re.split(r"[*?\[{]", urlsplit(behaviour.path).path)[0]  # up to a pattern
                if place.is_relative_to(folder / plain) or str(place).startswith(str(folder / plain)):
                    return operation
    return None
