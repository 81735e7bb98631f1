"""Why Flink gave no job, as one message: what is wrong, where, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from planner.errors import JobDefinitionError, PlanError
from planner.frontends.flink_compiler.process import Outcome
from planner.frontends.flink_compiler.programs import Asked
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_compiler.sql_script import Statement
from planner.job import Location

__all__ = ["failure_of"]

_AT = re.compile(r"(?:at|from) line (\d+), column (\d+)", re.IGNORECASE)


def failure_of(
    outcome: Outcome, asked: Asked, statements: Sequence[Statement], request: FlinkRequest
) -> PlanError | None:
    """The error of an outcome; None where there are jobs and nothing went wrong."""
    failures = outcome.of("failure")
    if failures:
        return _failure(failures[0], outcome, asked, statements)
    if outcome.exit_code is None:
        return JobDefinitionError(f"Flink was not done after {request.time_limit:g} s")
    if not outcome.of("end"):
        return JobDefinitionError(f"the process beside Flink ended: {outcome.last_lines}")
    return None


def _failure(failure: Mapping[str, Any], outcome: Outcome, asked: Asked, statements: Sequence[Statement]) -> PlanError:
    if failure["kind"] == "java":
        causes = failure["causes"]
        place = failure.get("place")
        location = None
        if isinstance(place, int) and asked.way == "sql":
            at = next((found for _, message in reversed(causes) if (found := _AT.search(message))), None)
            line, column = (int(at[1]), int(at[2])) if at else (1, 1)
            location = statements[place].place(str(asked.path), line, column)
        return JobDefinitionError(causes[-1][1], location=location)
    return JobDefinitionError(str(failure), location=Location(str(asked.path), 1), hint="\n".join(outcome.last_lines))
