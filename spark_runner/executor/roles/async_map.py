"""Functions whose answers come later. Runs on executors."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from spark_runner.executor.chain import ChainSpec, NodeSpec, Place
from spark_runner.executor.failures import RAISED
from spark_runner.executor.roles.plain import Role, Stamps, method

_CAPACITY = 100  # PyFlink's default


class AsyncMapRole(Role):
    """Coroutines, as many at once as the operator's capacity, results in the order of the records."""

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        super().__init__(node, spec, place)
        self.capacity = int(node.options.get("capacity") or _CAPACITY)
        limit = node.options.get("timeout")
        self.limit = None if limit is None else limit / 1000
        self.loop = asyncio.Runner()  # one for the subtask's whole life: clients belong to the loop they began in

    def process(self, values: list[Any], stamps: Stamps) -> Iterator[Any]:
        self.taken += len(values)
        several = callable(getattr(self.function, "async_invoke", None))
        results = self.loop.run(self._answers(method(self.function, "async_invoke"), values))
        if not several:
            yield self.emit(results, stamps)
            return
        made = [(one, n) for n, result in enumerate(results) if result is not None for one in result]
        yield self.emit([m[0] for m in made], None if stamps is None else [stamps[m[1]] for m in made])

    def close(self) -> None:
        try:
            super().close()
        finally:
            self.loop.close()

    async def _answers(self, call: Callable[[Any], Any], values: list[Any]) -> list[Any]:
        slots = asyncio.Semaphore(self.capacity)

        async def one(value: Any) -> Any:
            async with slots:
                try:
                    return await self._answer(call, value)
                except RAISED as error:
                    raise self.failed(error, value) from None

        return await asyncio.gather(*(one(value) for value in values))

    async def _answer(self, call: Callable[[Any], Any], value: Any) -> Any:
        made = call(value)
        if not inspect.isawaitable(made):
            return made
        if self.limit is None:
            return await made
        try:
            async with asyncio.timeout(self.limit) as clock:
                return await made
        except TimeoutError:
            if not clock.expired():  # the function's own
                raise
        instead = getattr(self.function, "timeout", None)
        if not callable(instead):
            raise TimeoutError(f"no answer within {self.limit:g} s") from None
        late = instead(value)
        return await late if inspect.isawaitable(late) else late
