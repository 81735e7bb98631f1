"""Operators without state that feed each other alone, as one generated loop over a part of a stream. Runs on workers.

`loop_code` writes the loop. A record goes through all of its operators before the next one starts.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spark_runner.executor.conversion import ATOMS, check_of
from spark_runner.executor.exits import Exit
from spark_runner.executor.formats.texts import JavaText, PythonText
from spark_runner.executor.fusion import count_passed, failed_call, in_rows, record_of, written_out
from spark_runner.executor.loop_code import FIT_OF, LoopCode, Shape, loop_code, spread, spread_strictly
from spark_runner.executor.operators import (
    Filter,
    FlatMap,
    KeyOf,
    Map,
    Operator,
    Part,
    Project,
    Shaped,
    Times,
    Unchanged,
    ValueOf,
    spread_out,
)
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP

__all__ = ["Loop", "looped"]

_KINDS: dict[type[Operator], str] = {
    Map: "map", Filter: "filter", FlatMap: "flat_map", KeyOf: "key", ValueOf: "value", Unchanged: "pass",
    Times: "stamp", Project: "map", PythonText: "map", JavaText: "map",
}  # fmt: skip
_CHANGING = ("filter", "flat_map")  # kinds that do not give one record for one
Run = Callable[[Sequence[Any], Any, Any], Iterator[Any]]


def _together(pieces: list[Any]) -> tuple[list[Any], list[Any] | None, list[Any] | None, list[Any] | None]:
    """What a loop gave in pieces."""

    def all_of(at: int) -> list[Any] | None:
        return [one for piece in pieces for one in piece[at]] if pieces and pieces[0][at] is not None else None

    return all_of(0) or [], all_of(1), all_of(2), all_of(3)


def _kind(operator: Operator, stamped: bool) -> str:
    """Its kind in the loop."""
    if isinstance(operator, Times):
        if operator.call is None:
            return "pass"
        return "stamp_from" if operator.kind == "stamp_after" and operator.script and stamped else operator.kind
    if isinstance(operator, JavaText | PythonText) and operator.keeps_text:
        return "text"
    return _KINDS[type(operator)]


class Loop:
    """Several operators at work as one."""

    def __init__(self, operators: Sequence[Operator]) -> None:
        self.operators, self.last = tuple(operators), operators[-1]
        self._changes = any(_KINDS[type(one)] in _CHANGING for one in operators)
        self._times = next((one for one in reversed(operators) if isinstance(one, Times)), None)
        self._rises = _rises(self.last)
        self._runs: dict[tuple[bool, bool], tuple[Run, int | None]] = {}

    def flow(self, part: Part) -> None:
        """Take a part of the stream."""
        if part.marks and part.places is None and self._changes and part.values:
            for piece in part.pieces():
                self.flow(piece)
            return
        places, stamps = part.places, part.stamps
        stays = not self._changes and self._times is None  # times and places stay as they are
        kind = (stamps is not None and not stays, places is not None and self._changes)
        if kind not in self._runs:  # not earlier: a function may make its method when it is opened
            self._runs[kind] = self._made(*kind)
        run, key_at = self._runs[kind]
        pieces = run(part.values, stamps, places)
        marked = bool(part.marks) or self._rises
        if marked:  # marks stand between records, so that all of them leave together
            pieces = iter([_together(list(pieces))])
        for values, keys, times, kept in pieces:
            made = Part(values, stamps if stays else times, kept if self._changes else places, (), keys)
            if marked:
                made.marks = self._moved(part, made)
            if keys is None:
                spread_out(made, self.last.targets)
            else:
                self.last.targets[0].flow_keyed(made, key_at)

    def _moved(self, part: Part, made: Part) -> Sequence[Any]:
        """Where event time rises among what was made."""
        if self._times is not None:
            if self._rises:
                return self._times.risen(made, part.marks)
            self._times.risen(Part([]), part.marks)
            return [(len(made.values), place, mark) for _, place, mark in part.marks if mark == END_OF_TIME]
        if not self._changes or not part.values:
            return part.marks
        places, kept = part.places or (), made.places or ()
        return [
            (0 if at == 0 else bisect_right(kept, places[at - 1]), place, watermark)
            for at, place, watermark in part.marks
        ]

    def _pairs(self) -> bool:
        """Whether the last operator makes pairs of key and record for an exchange by key alone."""
        reader = self.last.targets[0] if len(self.last.targets) == 1 else None
        return isinstance(self.last, KeyOf) and isinstance(reader, Exit) and reader.takes_keys

    def _made(self, stamped: bool, placed: bool) -> tuple[Run, int | None]:
        operators = self.operators
        forms = [one.spec.options.get("form") for one in operators]
        fits = tuple(
            None if form is None or one.convert is None else check_of(form)
            for form, one in zip(forms, operators, strict=True)
        )
        shape = Shape(stamped=stamped, placed=placed, fits=fits, paired=self._pairs())
        bodies, outer = written_out(operators)
        code = loop_code(tuple(_kind(one, stamped) for one in operators), shape, bodies)
        names: dict[str, Any] = {"ATOMS": ATOMS, "missing": NO_TIMESTAMP if operators[0].script else -1, **outer}
        for number, one in enumerate(operators):
            call = one.shape if isinstance(one, Shaped) and not isinstance(one, KeyOf) else getattr(one, "call", None)
            names |= {f"call{number}": call, f"fit{number}": one.convert}
        spreading = spread_strictly if operators[0].script else spread
        settle = functools.partial(count_passed, self.operators, [_KINDS[type(one)] for one in self.operators])
        names |= {"spread": spreading, "settle": settle, "blame": functools.partial(self._blame, code)}
        exec(code.code, names)
        return names["run"], code.key_at

    def _blame(self, code: LoopCode, error: Exception, variables: dict[str, Any]) -> Exception:
        assert error.__traceback__ is not None
        number, variable = code.owners[error.__traceback__.tb_lineno]
        record = record_of(code, variable, variables)
        if number <= FIT_OF:
            return self.operators[FIT_OF - number].failed(error, record)
        return failed_call(self.operators[number], error, record)


def looped(operators: Sequence[Operator], parents: Sequence[int | None]) -> dict[int, Loop]:
    """The loops among these operators, by the id() of the first operator."""
    made = in_rows(operators, parents, _fits, _rises)
    return {id(run[0]): Loop(run) for run in made}


def _fits(operator: Operator) -> bool:
    return type(operator) in _KINDS and not operator.tags and not (isinstance(operator, Times) and operator.sides)


def _rises(operator: Operator) -> bool:
    """Whether event time rises with the operator's records."""
    return isinstance(operator, Times) and operator.spec.options.get("delay") is not None
