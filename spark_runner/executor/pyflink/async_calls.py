"""PyFlink's functions whose answers come later, with retries and timeouts. Runs on workers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from spark_runner.executor.failures import RAISED
from spark_runner.executor.pyflink.contexts import PyRuntime
from spark_runner.executor.pyflink.operators import Giving, prepared, remembered
from spark_runner.executor.streaming.async_calls import AsyncOperator
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.operators import failure_in

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["AsyncWait"]


class AsyncWait(Giving, AsyncOperator):
    """Answers leave in the order of the records, which unordered streams allow too."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.function = spec.function
        self.attributes = None
        self.retries = spec.options.get("retries")

    def functions(self) -> tuple[Any, ...]:
        """The user's object."""
        return (self.function,)

    def open(self) -> None:
        prepared(self)

    def save(self) -> None:
        remembered(self)

    def runtime(self) -> PyRuntime:
        return PyRuntime(self.task, self.spec, None)

    def _give(self, answer: Any, stamp: int | None) -> None:
        for one in answer or ():
            self.give(one, stamp)

    async def _awaited(self, value: Any) -> Any:
        try:
            async with asyncio.timeout(self.limit):
                return await self._tried(value)
        except TimeoutError:
            return self._late(value)
        except RAISED as error:
            raise failure_in(error) from None

    def _late(self, value: Any) -> Any:
        """An answer that took too long: the function may give one of its own."""
        own = getattr(type(self.function), "timeout", None)
        if own is None or own.__module__.startswith("planner."):
            error = TimeoutError(f"Async function call has timed out for input: {value}")
            raise failure_in(error.with_traceback(_here(self, value)))
        return self.function.timeout(value)

    async def _tried(self, value: Any) -> Any:
        attempt = 1
        while True:
            answer, problem = None, None
            try:
                answer = await self.function.async_invoke(value)
            except Exception as error:
                problem = error
            if not self._again(answer, problem, attempt):
                break
            await asyncio.sleep(self.retries.get_backoff_time_millis(attempt) / 1000)  # type: ignore[union-attr]
            attempt += 1
        if problem is not None:
            raise problem
        return answer

    def _again(self, answer: Any, problem: Exception | None, attempt: int) -> bool:
        if self.retries is None or not self.retries.can_retry(attempt):
            return False
        predicate = self.retries.get_retry_predicate()
        check = predicate.exception_predicate() if problem is not None else predicate.result_predicate()
        return check is not None and bool(check(problem if problem is not None else answer))


def _here(self: AsyncWait, value: Any) -> Any:
    """A traceback that names the operator and the record."""
    try:
        raise TimeoutError
    except TimeoutError as error:
        return error.__traceback__
