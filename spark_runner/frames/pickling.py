"""Pickles a chain with its user functions, and names the operator whose function cannot be pickled."""

from __future__ import annotations

from typing import Any

from planner.errors import ExecutionError
from spark_runner.executor.failures import described
from spark_runner.executor.passes import PassSpec
from spark_runner.frames.shipping import pickled_function
from spark_runner.program.program import Pass

__all__ = ["pickled_pass"]


def pickled_pass(spec: PassSpec, one: Pass, job_file: str) -> bytes:
    """The chain as executors load it. Raises ExecutionError, naming the operator, for a function that cannot travel."""
    try:
        return pickled_function(spec, job_file)
    except Exception as error:
        raise _unsent(error, spec, one, job_file) from error


def _unsent(error: Exception, spec: PassSpec, one: Pass, job_file: str) -> ExecutionError:
    for operation, node in zip(one.operations, spec.operators, strict=True):
        cause = _failure((node.function, node.options), job_file)
        if cause is not None:
            return ExecutionError(
                f"operator {operation.operator.key!r} ({operation.name}): its function cannot be sent to executors: "
                f"{described(cause)}",
                operator=operation.operator.key,
                location=operation.operator.location,
                hint="create what cannot be pickled in the function's open(), or in a module beside the job",
            )
    return ExecutionError(f"{spec.name} cannot be sent to executors: {described(error)}")


def _failure(function: Any, job_file: str) -> Exception | None:
    try:
        pickled_function(function, job_file)
    except Exception as error:
        return error
    return None
