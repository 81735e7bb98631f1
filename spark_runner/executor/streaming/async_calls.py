"""Functions whose answers come later, in a stream. Runs on workers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from spark_runner.executor.roles.async_map import AsyncMapRole
from spark_runner.executor.roles.plain import method
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.operators import StreamOperator

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["AsyncOperator"]

_WAITING = 1_000  # records and watermarks that wait for answers together
_DEFAULT_CAPACITY = 100  # PyFlink's default


class AsyncOperator(StreamOperator):
    """Coroutines, as many at once as the capacity allows; answers leave in the order of the records.

    All answers are there before a batch ends. A watermark stays behind the records it came behind.
    """

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.capacity = int(spec.options.get("capacity") or _DEFAULT_CAPACITY)
        limit = spec.options.get("timeout")
        self.limit = None if limit is None else limit / 1000
        self.loop = asyncio.Runner()
        self.waiting: list[tuple[bool, Any, int | None, str, int]] = []

    def open(self) -> None:
        super().open()
        self.several = callable(getattr(self.function, "async_invoke", None))
        self.call = method(self.function, "async_invoke")

    def push(self, value: Any, stamp: int | None) -> None:
        position = self.task.position
        self.waiting.append((True, value, stamp, position.base, position.index))
        if len(self.waiting) >= _WAITING:
            self.flush()

    def advance(self, watermark: int) -> None:
        position = self.task.position
        self.waiting.append((False, watermark, None, position.base, position.index))
        if len(self.waiting) >= _WAITING:
            self.flush()

    def flush(self) -> None:
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        answers = iter(self.loop.run(self._answers([item[1] for item in waiting if item[0]])))
        position = self.task.position
        before = (position.base, position.index)
        for is_record, value, stamp, base, index in waiting:
            position.move(base, index)
            if is_record:
                self._give(next(answers), stamp)
            else:
                super().advance(value)
        position.move(*before)

    def _give(self, answer: Any, stamp: int | None) -> None:
        for one in (answer or ()) if self.several else (answer,):
            self.given += 1
            self.next(one, stamp)

    async def _answers(self, values: list[Any]) -> list[Any]:
        slots = asyncio.Semaphore(self.capacity)

        async def one(value: Any) -> Any:
            async with slots:
                return await self._awaited(value)

        return await asyncio.gather(*(one(value) for value in values))

    async def _awaited(self, value: Any) -> Any:
        from spark_runner.executor.failures import RAISED
        from spark_runner.executor.streaming.operators import failure_in

        try:
            return await AsyncMapRole._answer(self, self.call, value)  # type: ignore[arg-type]
        except RAISED as error:
            raise failure_in(error) from None

    def close(self) -> None:
        try:
            super().close()
        finally:
            self.loop.close()
