"""The exit codes of `plan`, of `python job.py` and of a detached run: each is decided here."""

from __future__ import annotations

import os
import sys

from planner.errors import (
    ExecutionError,
    InternalError,
    JobDefinitionError,
    NeedsFlink,
    NoJobError,
    OptionError,
    PlanError,
    PlanningError,
    UnsupportedOnSpark,
)

OK, FINDINGS, WRONG_INPUT, RUN_FAILED, OUR_BUG, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 4, 130, 141
EXIT_CODES: dict[type[PlanError], int] = {
    JobDefinitionError: WRONG_INPUT,
    NoJobError: WRONG_INPUT,
    NeedsFlink: WRONG_INPUT,
    PlanningError: WRONG_INPUT,
    OptionError: WRONG_INPUT,
    UnsupportedOnSpark: WRONG_INPUT,
    ExecutionError: RUN_FAILED,
    InternalError: OUR_BUG,
}


def code_of(error: PlanError) -> int:
    """The exit code of an error."""
    return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), OUR_BUG)


def pipe_closed() -> int:
    """Leave quietly when the reader has gone (`plan show | head`), as programs killed by SIGPIPE do."""
    # The interpreter flushes both streams once more at exit; that must not fail again.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    return PIPE_CLOSED
