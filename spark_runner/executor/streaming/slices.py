"""Records of a source, many at a time: plain operators right behind it are one generated loop. Runs on workers.

The loop carries a record's position where a batch job carries its event time: right behind a source there is none yet.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spark_runner.executor.failures import failed_by, shown
from spark_runner.executor.fusion import DEEPEST, LONGEST, passed
from spark_runner.executor.loop_code import LoopCode, Shape, loop_code
from spark_runner.executor.roles.plain import spread
from spark_runner.executor.streaming.exits import Exit
from spark_runner.executor.streaming.operators import FilterOperator, FlatMapOperator, MapOperator, StreamOperator, fan
from spark_runner.executor.streaming.positions import Position

__all__ = ["Slices"]

_KINDS: dict[type[StreamOperator], str] = {MapOperator: "map", FilterOperator: "filter", FlatMapOperator: "flat_map"}


class Slices:
    """What takes the records that a source gives to a subtask."""

    def __init__(self, roots: Sequence[Any], position: Position) -> None:
        self.position = position
        self.operators, self.targets = _in_front(roots)
        self._loop: Callable[[Sequence[Any], Sequence[int]], Iterator[Any]] | None = None

    def take(self, values: Sequence[Any], indexes: Sequence[int]) -> None:
        """Records with their positions, all of one base."""
        if not self.operators:
            self._give(values, indexes)
            return
        if self._loop is None:  # not earlier: a function may make its method when it is opened
            self._loop = self._made()
        for made, _, positions in self._loop(values, indexes):
            self._give(made, positions)

    def _give(self, values: Sequence[Any], indexes: Sequence[int]) -> None:
        if len(self.targets) == 1 and isinstance(self.targets[0], Exit):
            self.targets[0].push_slice(values, indexes)
            return
        position, push = self.position, fan(self.targets)
        for index, value in zip(indexes, values, strict=True):
            position.index = index
            push(value, None)

    def _made(self) -> Callable[[Sequence[Any], Sequence[int]], Iterator[Any]]:
        code = loop_code(tuple(_KINDS[type(one)] for one in self.operators), Shape(stamped=True))
        names: dict[str, Any] = {f"call{n}": one.call for n, one in enumerate(self.operators)}
        names |= {"spread": spread, "settle": self._settle, "blame": functools.partial(self._blame, code)}
        exec(code.code, names)
        run: Callable[[Sequence[Any], Sequence[int]], Iterator[Any]] = names["run"]
        return run

    def _settle(self, taken: int, made: int, counts: dict[int, int]) -> None:
        kinds = [_KINDS[type(one)] for one in self.operators]
        for operator, (_, given) in zip(self.operators, passed(kinds, taken, made, counts), strict=True):
            operator.given += given

    def _blame(self, code: LoopCode, error: Exception, variables: dict[str, Any]) -> Exception:
        assert error.__traceback__ is not None
        number, variable = code.owners[error.__traceback__.tb_lineno]
        spec = self.operators[number].spec
        return failed_by((spec.key, spec.name, spec.place), error, shown(variables.get(variable)))


def _in_front(roots: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """The plain operators of which each feeds the next alone, and what is behind them."""
    found: list[Any] = []
    targets = roots
    while len(targets) == 1 and type(targets[0]) in _KINDS and not targets[0].sides and len(found) < LONGEST:
        one = targets[0]
        if isinstance(one, FlatMapOperator) and sum(isinstance(o, FlatMapOperator) for o in found) >= DEEPEST:
            break
        found.append(one)
        targets = one.targets
    return found, targets
