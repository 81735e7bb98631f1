"""Functions whose answers come later, with retries and timeouts. Runs on workers."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from spark_runner.executor.failures import RAISED
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.operators import Operator, Part, Task, as_many, method

__all__ = ["AsyncMap"]

_WAITING = 1_000  # records that wait for answers together
_DEFAULT_CAPACITY = 100  # PyFlink's default


class AsyncMap(Operator):
    """Coroutines, as many at once as the capacity allows; answers leave in the order of the records.

    All answers are there before event time goes on, and before a batch ends.
    """

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        super().__init__(spec, task)
        self.capacity = int(spec.options.get("capacity") or _DEFAULT_CAPACITY)
        limit = spec.options.get("timeout")
        self.limit = None if limit is None else limit / 1000
        self.retries = spec.options.get("retries")
        self.loop = asyncio.Runner()  # one for the subtask's whole life: clients belong to the loop they began in

    def open(self) -> None:
        super().open()
        self.several = self.script or callable(getattr(self.function, "async_invoke", None))
        self.call = method(self.function, "async_invoke")

    def close(self) -> None:
        try:
            super().close()
        finally:
            self.loop.close()

    def take(self, part: Part) -> None:
        for first in range(0, len(part.values), _WAITING):
            some = part.cut(first, first + _WAITING)
            answers = self.loop.run(self._answers(some.values))
            for answer, (_, stamp, place) in zip(answers, some.rows(), strict=False):
                for one in as_many(answer) if self.several else (answer,):
                    self.add(one, stamp, place)

    async def _answers(self, values: Any) -> list[Any]:
        slots = asyncio.Semaphore(self.capacity)

        async def one(value: Any) -> Any:
            async with slots:
                try:
                    return await self._answer(value)
                except RAISED as error:
                    raise self.failed(error, value) from None

        return await asyncio.gather(*(one(value) for value in values))

    async def _answer(self, value: Any) -> Any:
        if self.limit is None:
            return await self._tried(value)
        try:
            async with asyncio.timeout(self.limit) as clock:
                return await self._tried(value)
        except TimeoutError:
            if not clock.expired():  # the function's own
                raise
        own = getattr(type(self.function), "timeout", None)
        if own is None or own.__module__.startswith("planner."):
            text = f"Async function call has timed out for input: {value}"
            raise TimeoutError(text if self.script else f"no answer within {self.limit:g} s")
        late = self.function.timeout(value)
        return await late if inspect.isawaitable(late) else late

    async def _tried(self, value: Any) -> Any:
        attempt = 1
        while True:
            answer, problem = None, None
            try:
                made = self.call(value)
                answer = await made if inspect.isawaitable(made) else made
            except Exception as error:
                problem = error
            if not self._again(answer, problem, attempt):
                break
            assert self.retries is not None
            await asyncio.sleep(self.retries.get_backoff_time_millis(attempt) / 1000)
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
