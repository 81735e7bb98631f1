"""How a failure inside an executor reaches the user: marked JSON in the exception's message, read on the driver.

Runs on executors and on the driver: nothing but the standard library and this project's errors.
"""

from __future__ import annotations

import json
import os
import re
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path

_OPEN, _CLOSE = "<<plan-failure ", " plan-failure>>"
RAISED = (Exception, SystemExit)  # sys.exit() in user code would otherwise end the worker silently
_RECORD_LIMIT = 600
_FRAME_LIMIT = 10
_SHIPPED = re.compile(r".*plan-shipped-[0-9a-f]+\.zip[/\\]")
_MACHINERY = frozenset({"pyspark", "pyspark.zip", "asyncio"})
_OURS = (f"{Path(__file__).parent}{os.sep}", "<frozen")  # whether installed or shipped: both run from this folder

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One operator that failed on one record."""

    operator: str  # its key
    name: str
    place: str  # where the job's author wrote it
    problem: str  # the exception, or why the record does not fit
    record: str | None
    lines: Lines = ()  # the user's own traceback lines
    row: tuple[int, int] | None = None  # pass and number of the record, where not all of its fields came along

    def text(self) -> str:
        """The message a user reads."""
        record = f"\n  record: {self.record}" if self.record is not None else ""
        lines = "".join(f"\n  {line}" for line in self.lines)
        return f"operator {self.operator!r} ({self.name}) failed: {self.problem}{record}{lines}"


class OperatorFailed(Exception):
    """A failure on its way from an executor; its message is the marked JSON."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{_OPEN}{json.dumps(asdict(failure))}{_CLOSE}")
        self.failure = failure
        self.value: object = None  # the record itself

    def __reduce__(self) -> tuple[type[OperatorFailed], tuple[Failure]]:
        return OperatorFailed, (self.failure,)


def failed_by(
    by: tuple[str, str, str], problem: BaseException | str, record: str | None, *, prefix: str = "", lines: Lines = ()
) -> OperatorFailed:
    """The failure of an operator, given as its key, its name and its place; an exception brings the user's lines."""
    operator, name, place = by
    if isinstance(problem, BaseException):
        lines, problem = user_lines(problem), described(problem)
    failure = Failure(operator=operator, name=name, place=place, problem=prefix + problem, record=record, lines=lines)
    return OperatorFailed(failure)


def found_in(text: str) -> Failure | None:
    """The failure marked in an exception's text, if there is one."""
    start = text.find(_OPEN)
    end = text.find(_CLOSE, start)
    if start < 0 or end < 0:
        return None
    fields = json.loads(text[start + len(_OPEN) : end])
    row = fields["row"] and tuple(fields["row"])
    return Failure(**{**fields, "lines": tuple(fields["lines"]), "row": row})


def shown(record: object) -> str:
    """A record as a message shows it, cut to a readable length."""
    try:
        text = repr(record)
    except Exception as error:
        text = f"<{type(record).__name__} whose repr fails: {error}>"
    return text if len(text) <= _RECORD_LIMIT else f"{text[:_RECORD_LIMIT]}... ({len(text)} characters)"


def user_lines(error: BaseException) -> Lines:
    """The traceback without our frames, Spark's and Python's machinery."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
    half = _FRAME_LIMIT // 2
    shown_frames = frames if len(frames) <= _FRAME_LIMIT else [*frames[:half], *frames[-half:]]
    lines: list[str] = []
    for number, frame in enumerate(shown_frames):
        if len(frames) > _FRAME_LIMIT and number == half:
            lines.append(f"... {len(frames) - _FRAME_LIMIT} more calls")
        filename = _SHIPPED.sub("", frame.filename)  # a module beside the job, as its author knows it
        lines.append(f'File "{filename}", line {frame.lineno}, in {frame.name}')
        if frame.line:
            lines.append(f"  {frame.line}")
    return tuple(lines)


def described(error: BaseException) -> str:
    """An exception in one line, as Python would end a traceback with it."""
    return "".join(traceback.format_exception_only(error)).strip()


def _is_machinery(filename: str) -> bool:
    return not _MACHINERY.isdisjoint(Path(filename).parts) or filename.startswith(_OURS)
