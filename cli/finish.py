"""The end of a run on the command line: what is said last, and the exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from cli import console
from cli.app import report_error
from cli.exit_codes import INTERRUPTED, OK, RUN_FAILED, pipe_closed
from planner.errors import PlanError

if TYPE_CHECKING:
    from spark_runner.runs.supervision import Outcome

__all__ = ["exit_code", "leave_at_once"]


def exit_code(outcome: Outcome) -> int:
    """The code of a run that has ended. Raises the error of one that failed."""
    run = outcome.record.id
    if outcome.ended == "pipe closed":
        return pipe_closed()
    if outcome.ended == "ctrl-c":
        console.message(f"canceled by Ctrl-C: Spark's work on run {run} has been stopped")
        return INTERRUPTED
    if outcome.error is not None:
        raise outcome.error
    if outcome.ended == "asked":
        console.message(f"run {run} was canceled from elsewhere")
        return RUN_FAILED
    return OK


def leave_at_once(outcome: Outcome) -> NoReturn:
    """Exit without interpreter shutdown, which would block on a thread waiting for an unresponsive cluster."""
    try:
        code = exit_code(outcome)
    except PlanError as error:
        code = report_error(error)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
