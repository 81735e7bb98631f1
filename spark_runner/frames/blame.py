"""Translates Spark's exceptions into ours: the operator, one line that says what is wrong, and no stack of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.errors import PySparkException

from planner.errors import ExecutionError, PlanError
from planner.job import Explode, Join, Location, Operator, Select, Watermarks, Where, Window
from spark_runner.executor.failures import Failure, found_in
from spark_runner.program.program import Operation, SparkProgram

_CONDITION = re.compile(r"\[([A-Z_0-9.]+)\] (.*)")
_PLACE = re.compile(r"(.*?):(\d+)(?::(\d+))?\Z")
_RAISED = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\S.*)")
_NO_SPACE = "No space left on device"
_BY_JAVA = re.compile(r"\n: [\w.$]+(?:Exception|Error): (.*)")
_WORKER_DIED = "Python worker exited unexpectedly"
_ABORTED = re.compile(
    r"Job aborted due to stage failure: .*?Lost task [^)]*\)[^)]*\): (?:[\w.$]+(?:Exception|Error): )?", re.DOTALL
)
_SQLSTATE = re.compile(r"\s*SQLSTATE: \w+")


@contextmanager
def blamed(operator: Operator, name: str, doing: str = "") -> Iterator[None]:
    """Whatever Spark refuses inside is this operator's fault."""
    try:
        yield
    except PlanError:
        raise
    except Exception as error:
        raise translated(error, operator, name, doing) from error


def translated(error: BaseException, operator: Operator | None, name: str = "", doing: str = "") -> PlanError:
    """The error a user reads. A failure marked by an executor names its own operator."""
    if isinstance(error, PlanError):
        return error
    text, failure = _text(error), failure_in(error)
    if failure is not None:
        return told(failure)
    if _WORKER_DIED in text or _WORKER_DIED in str(error):
        return ExecutionError(
            "a Python worker ended in the middle of its records, without an exception",
            hint="a function ended the process (os._exit), a library crashed, or memory ran out: see spark.log",
        )
    problem, hint = _first_sentence(text), None
    if any(_NO_SPACE in one for one in (text, str(error), *_java_causes(error))):
        full = "no space is left where the run writes"
        problem = full if operator is not None else f"{full}: {problem}"  # an operator's place is known without Spark
        hint = "make room, and start it again; a stream goes on where it was with --checkpoint"
    if "StackOverflowError" in problem:
        problem = "too many chained SQL operators: Spark's planner ran out of stack"
        hint = "give it more: --conf spark.driver.extraJavaOptions=-Xss256m"
    if operator is None:
        return ExecutionError(problem, hint=hint)
    what = f"operator {operator.key!r} ({name}) {doing}".rstrip()
    return ExecutionError(f"{what}: {problem}", operator=operator.key, location=operator.location, hint=hint)


def failure_in(error: BaseException) -> Failure | None:
    """The failure that an executor marked in an error."""
    return found_in(_text(error)) or found_in(str(error))


def told(failure: Failure) -> ExecutionError:
    """The error a user reads of an operator that failed."""
    return ExecutionError(failure.text(), operator=failure.operator, location=_location(failure.place))


def owner_of(error: BaseException, program: SparkProgram) -> Operation | None:
    """The operator whose SQL an error happened in, by the fragment Spark quotes."""
    try:
        fragments = [one.fragment() for one in error.getQueryContext()]  # type: ignore[attr-defined]
    except Exception:  # most errors have no such context, and Connect's may not say
        return None
    for one in program.passes:
        for operation in one.operations:
            if any(fragment and fragment in sql for fragment in fragments for sql in _sql(operation)):
                return operation
    return None


def _sql(operation: Operation) -> tuple[str, ...]:
    behaviour = operation.operator.behaviour
    if isinstance(behaviour, Where):
        return (behaviour.condition,)
    if isinstance(behaviour, Explode):
        return (behaviour.expression,)
    if isinstance(behaviour, Select):
        return tuple(sql for _, sql in behaviour.columns)
    if isinstance(behaviour, Watermarks | Window) and behaviour.time is not None:
        return (f"cast(`{behaviour.time}` as timestamp)",)
    return tuple(sql for _, sql in behaviour.select or ()) if isinstance(behaviour, Join) else ()


def _location(place: str) -> Location | None:
    match = _PLACE.match(place)
    if match is None:
        return None
    return Location(match[1], int(match[2]), int(match[3]) if match[3] else None)


def _text(error: BaseException) -> str:
    """What an exception and its causes say, outermost first."""
    if isinstance(error, PySparkException):
        return str(error.getMessage() or error)
    cause: Any = getattr(error, "java_exception", None)
    if cause is None:
        return f"{type(error).__name__}: {error}"
    messages: list[str] = []
    while cause is not None and len(messages) < 20:
        messages.append(str(cause.getMessage() or cause.toString()))
        cause = cause.getCause()
    return "\n".join(one for one in messages if not one.startswith("Exception thrown in awaitResult"))


def _java_causes(error: BaseException) -> list[str]:
    """What the causes of a Java exception say; Spark's own message often leaves the last one out."""
    found: list[str] = []
    try:
        cause: Any = getattr(error, "_origin", None)
        while cause is not None and len(found) < 20:
            found.append(str(cause.toString()))
            cause = cause.getCause()
    except Exception:  # the JVM is gone
        return found
    return found


def _first_sentence(text: str) -> str:
    raised = _RAISED.findall(text)
    if raised and raised[-1].startswith("py4j.") and (said := _BY_JAVA.search(text)):
        raised = [_ABORTED.sub("", said[1])]  # Python only called Java, which says what is wrong
    text = raised[-1] if raised else _ABORTED.sub("", text)  # what a Python worker says of itself, without its stack
    match = _CONDITION.search(text)
    line = match.group(2) if match else next((one.strip() for one in text.splitlines() if one.strip()), "unknown error")
    return _SQLSTATE.sub("", line).strip()
