"""Operators without state that feed each other alone, as one generated loop over a part of a stream. Runs on workers.

`loop_code` writes the loop. A record goes through all of its operators before the next one starts.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spark_runner.executor.conversion import ATOMS, check_of
from spark_runner.executor.fusion import DEEPEST, LONGEST, failed_call, passed, record_of, written_out
from spark_runner.executor.loop_code import FIT_OF, RECORD, LoopCode, Shape, loop_code, spread, spread_strictly
from spark_runner.executor.operators import Filter, FlatMap, KeyOf, Map, Operator, Part, Pass, ValueOf, spread_out

__all__ = ["Loop", "looped"]

_KINDS: dict[type[Operator], str] = {
    Map: "map", Filter: "filter", FlatMap: "flat_map", KeyOf: "key", ValueOf: "value", Pass: "pass",
}  # fmt: skip
Run = Callable[[Sequence[Any], Sequence[Any]], Iterator[Any]]


def _together(pieces: list[Any]) -> tuple[list[Any], None, list[Any]]:
    return [one for piece in pieces for one in piece[0]], None, [one for piece in pieces for one in piece[2]]


class Loop:
    """Several operators at work as one."""

    def __init__(self, operators: Sequence[Operator]) -> None:
        self.operators, self.last = tuple(operators), operators[-1]
        self._run: Run | None = None

    def flow(self, part: Part) -> None:
        """Take a part of the stream."""
        if self._run is None:  # not earlier: a function may make its method when it is opened
            self._run = self._made()
        places, stamps = part.places, part.stamps
        beside: Any = range(len(part.values)) if places is None else places
        if stamps is not None:
            beside = list(zip(beside, stamps, strict=True))
        pieces = self._run(part.values, beside)
        if part.marks:  # they stand between records, so that all of them leave together
            pieces = iter([_together(list(pieces))])
        for values, _, kept in pieces:
            made = Part(values, None, kept if stamps is None else [one[0] for one in kept])
            if stamps is not None:
                made.stamps = [one[1] for one in kept]
            if part.marks:
                made.marks = self._moved(part, made)
            self._give(made)

    def _moved(self, part: Part, made: Part) -> list[Any]:
        places = part.places or range(len(part.values))
        kept: Any = made.places
        return [
            (0 if at == 0 else bisect_right(kept, places[at - 1]), place, watermark)
            for at, place, watermark in part.marks
        ]

    def _give(self, part: Part) -> None:
        spread_out(part, self.last.targets)

    def _made(self) -> Run:
        operators = self.operators
        forms = [one.spec.options.get("form") for one in operators]
        fits = tuple(None if form is None else check_of(form, RECORD) for form in forms)
        shape = Shape(stamped=True, fits=fits)
        bodies, outer = written_out(operators)
        code = loop_code(tuple(_KINDS[type(one)] for one in operators), shape, bodies)
        names: dict[str, Any] = {"ATOMS": ATOMS, **outer}
        for number, one in enumerate(operators):
            names |= {f"call{number}": getattr(one, "call", None), f"fit{number}": one.convert}
        spreading = spread_strictly if operators[0].script else spread
        names |= {"spread": spreading, "settle": self._settle, "blame": functools.partial(self._blame, code)}
        exec(code.code, names)
        run: Run = names["run"]
        return run

    def _settle(self, taken: int, made: int, counts: dict[int, int]) -> None:
        kinds = [_KINDS[type(one)] for one in self.operators]
        for operator, (went_in, came_out) in zip(self.operators, passed(kinds, taken, made, counts), strict=True):
            operator.taken += went_in
            operator.given += came_out

    def _blame(self, code: LoopCode, error: Exception, variables: dict[str, Any]) -> Exception:
        assert error.__traceback__ is not None
        number, variable = code.owners[error.__traceback__.tb_lineno]
        record = record_of(code, variable, variables)
        if number <= FIT_OF:
            return self.operators[FIT_OF - number].failed(error, record)
        return failed_call(self.operators[number], error, record)


def looped(operators: Sequence[Operator], parents: Sequence[int | None]) -> dict[int, Loop]:
    """The loops among these operators, by the id() of the first operator."""
    found: dict[int, list[Operator]] = {}  # by the position of the last operator
    for number, (operator, parent) in enumerate(zip(operators, parents, strict=True)):
        if type(operator) in _KINDS and not operator.tags:
            run = found.pop(parent) if parent in found and _goes_on(found[parent], operator) else []
            run.append(operator)
            found[number] = run
    return {id(run[0]): Loop(run) for run in found.values()}


def _goes_on(run: list[Operator], operator: Operator) -> bool:
    last = run[-1]
    deep = isinstance(operator, FlatMap) and sum(isinstance(one, FlatMap) for one in run) >= DEEPEST
    return last.targets == [operator] and not last.sides and len(run) < LONGEST and not deep
