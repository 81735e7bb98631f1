"""`pyflink.datastream.async_data_stream`: functions whose answers come later."""

from __future__ import annotations

import inspect
from typing import Any

from planner.frontends.python.differences import as_pyflink, milliseconds
from planner.frontends.python.streams import DataStream
from planner.frontends.python.values.retries import NO_RETRY_STRATEGY
from planner.frontends.python.values.types import type_of
from planner.job import PythonFunction, PythonRun

__all__ = ["AsyncDataStream", "check_wait", "wait"]


class AsyncDataStream:
    """Waits for the answers of asynchronous functions."""

    @staticmethod
    def unordered_wait(
        data_stream: DataStream, async_function: Any, timeout: Any = None, capacity: int = 100, output_type: Any = None
    ) -> DataStream:
        """Answers in the order they come."""
        return wait(data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type, ordered=False)

    @staticmethod
    def unordered_wait_with_retry(
        data_stream: DataStream, async_function: Any, timeout: Any, async_retry_strategy: Any, capacity: int = 100,
        output_type: Any = None,
    ) -> DataStream:  # fmt: skip
        """Answers in the order they come; failed calls are tried again."""
        return wait(data_stream, async_function, timeout, async_retry_strategy, capacity, output_type, ordered=False)

    @staticmethod
    def ordered_wait(
        data_stream: DataStream, async_function: Any, timeout: Any = None, capacity: int = 100, output_type: Any = None
    ) -> DataStream:
        """Answers in the order of the records."""
        return wait(data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type, ordered=True)

    @staticmethod
    def ordered_wait_with_retry(
        data_stream: DataStream, async_function: Any, timeout: Any, async_retry_strategy: Any, capacity: int = 100,
        output_type: Any = None,
    ) -> DataStream:  # fmt: skip
        """Answers in the order of the records; failed calls are tried again."""
        return wait(data_stream, async_function, timeout, async_retry_strategy, capacity, output_type, ordered=True)


def wait(
    stream: DataStream, function: Any, timeout: Any, retries: Any, capacity: int | None, output_type: Any, *,
    ordered: bool,
) -> DataStream:  # fmt: skip
    """The operator of all of them."""
    stream._checks.asynchronous(stream, function, timeout, retries, capacity)
    draft = stream._environment._translation.operator(
        [stream._draft], "async_map", type_of(output_type), name="async wait operator", python="plain",
        behaviour=PythonFunction(target=function), capacity=capacity, timeout=_millis(timeout) or None,
        run=PythonRun(retries=retries, ordered=ordered), **stream._checks.output(output_type),
    )  # fmt: skip
    return stream._stream(draft)


def check_wait(stream: DataStream, function: Any, timeout: Any, retries: Any) -> None:
    """PyFlink's own checks."""
    if not inspect.iscoroutinefunction(function.async_invoke):
        raise Exception(f"Method 'async_invoke' of class '{type(function)}' should be declared as 'async def'.")
    if retries is None:
        raise Exception("Async retry strategy should not be None.")
    if retries is not NO_RETRY_STRATEGY and timeout.to_milliseconds() <= 0:
        raise Exception("Timeout should be configured when do async with retry.")
    if retries.get_retry_predicate() is None:
        raise Exception(f"Retry predicate of the async retry strategy '{type(retries)}' is None.")
    if stream._environment._options.get("python.execution-mode") == "thread":
        raise Exception("AsyncFunction is still not supported for 'thread' mode.")


def _millis(timeout: Any) -> int:
    """PyFlink asks for the milliseconds when the job runs: what is no Time has a plan, and fails there."""
    if as_pyflink() and not hasattr(timeout, "to_milliseconds"):
        return 0
    return 0 if timeout is None else milliseconds(timeout)
