"""Fuses a chain of operators into a single loop over records. Runs on executors.

A run is operators of which each feeds the next alone, with the outlet after them where nobody else reads it. A record
goes through all of them before the next one starts, so nothing is collected but what leaves. `loop_code` has the loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import length_hint
from typing import TYPE_CHECKING, Any

from spark_runner.executor.conversion import ATOMS, check_of
from spark_runner.executor.failures import RAISED
from spark_runner.executor.inlined import Inlined, surroundings
from spark_runner.executor.loop_code import (
    FIRST,
    FIT,
    FIT_OF,
    KEY_BY,
    LoopCode,
    Shape,
    loop_code,
    outer_prefix,
    spread,
)
from spark_runner.executor.nested_values import positional
from spark_runner.executor.operators import Filter, FlatMap, Map, Operator, Part, Times, spread_out
from spark_runner.executor.records import Columns, shaped
from spark_runner.executor.rows import form_of, row_class

if TYPE_CHECKING:
    from spark_runner.executor.outlets import OutletWriter

LONGEST = 400  # operators in one function
DEEPEST = 6  # flat_maps in one function: Python nests twenty blocks at most, and each takes two
_WIDEST = 60  # columns that are collected one by one
Stamps = Sequence[int | None] | None
Loop = Callable[[Any, Stamps, Sequence[int]], Iterator[Any]]
_KINDS: dict[type[Operator], str] = {Map: "map", Filter: "filter", FlatMap: "flat_map", Times: "stamp"}


def kind_of(operator: Operator) -> str | None:
    """Its kind in a loop made for operators in a row; None: it takes its records by itself."""
    return operator.kind if isinstance(operator, Times) else _KINDS.get(type(operator))


def call_of(operator: Operator) -> Callable[..., Any] | None:
    """What a loop calls for each record; None where it has nothing to call."""
    if isinstance(operator, Times):
        return operator.call
    call: Callable[[Any], Any] = operator.call  # type: ignore[attr-defined]
    return call


class FusedRun:
    """One run at work."""

    def __init__(self, operators: Sequence[Operator], outlet: OutletWriter | None) -> None:
        self.operators, self.outlet = tuple(operators), outlet
        self.targets = operators[-1].targets
        self._in_columns = outlet is not None and form_of(outlet.outlet.names) != "value"
        self._loops: dict[
            tuple[bool, tuple[str, ...]], tuple[Loop, bool]
        ] = {}  # by whether records have times, columns

    def flow(self, part: Part) -> None:
        """Take a part of the stream."""
        for made, times in self.pieces(part.values, part.stamps):
            self.give(made, times)

    def give(self, made: Any, times: Stamps) -> None:
        """Let those that read the last operator have a piece."""
        if isinstance(made, Collected):
            assert self.outlet is not None
            self.outlet.write(made, times)
            return
        spread_out(Part(made, times), self.targets)

    def pieces(self, values: Sequence[Any] | Columns, stamps: Stamps) -> Iterator[tuple[Any, Stamps]]:
        """What becomes of records, and their event times: some at a time, since one record may become any number."""
        sort = (stamps is not None, values.names if isinstance(values, Columns) else ())
        if sort not in self._loops:  # not earlier: a function may make its method when it is opened
            self._loops[sort] = self._loop(*sort)
        loop, by_columns = self._loops[sort]
        if isinstance(values, Columns) and not by_columns:
            values = values.records()
        for made, keys, times, _ in loop(values, stamps, ()):
            if self.outlet is None:
                yield made, times
            else:
                yield Collected(made if self._in_columns else [made], keys), times

    def _loop(self, stamped: bool, columns: tuple[str, ...]) -> tuple[Loop, bool]:
        calls = [call_of(one) for one in self.operators]
        kinds = [str(kind_of(o)) if call is not None else "pass" for o, call in zip(self.operators, calls, strict=True)]
        names: dict[str, Any] = {f"call{n}": call for n, call in enumerate(calls)}
        bodies, outer = written_out(self.operators)
        names |= outer
        # the last one's records are checked as they become columns, where nobody looks at them before
        forms = [one.spec.options.get("form") for one in self.operators]
        if self.outlet is not None and self.outlet.outlet.selector is None:
            forms[-1] = None
        fits = tuple(None if form is None else check_of(form) for form in forms)
        names |= {f"fit{n}": one.convert for n, one in enumerate(self.operators)} | {"ATOMS": ATOMS}
        fits = fits if any(fit is not None for fit in fits) else ()
        code = loop_code(tuple(kinds), replace(self._shape(stamped), columns=columns, fits=fits), bodies)
        settle = functools.partial(count_passed, self.operators, [str(kind_of(one)) for one in self.operators])
        names |= {"spread": spread, "settle": settle, "blame": functools.partial(self._blame, code)}
        names["missing"] = -1  # the event time before, where records have none
        if self.outlet is not None:
            columns = self.outlet.outlet.names
            names |= {"row": row_class(columns), "positional": functools.partial(positional, names=columns)}
            names |= {"select": self.outlet.outlet.selector, "shaped": shaped(columns)}
        exec(code.code, names)
        return names["run"], code.by_columns

    def _shape(self, stamped: bool) -> Shape:
        if self.outlet is None:
            return Shape(stamped=stamped)
        spec = self.outlet.outlet
        return Shape(
            width=len(spec.names) if self._in_columns else None,
            picked=spec.picked,
            rows=form_of(spec.names) == "row",
            keyed=spec.selector is not None,
            stamped=stamped,
        )

    def _blame(self, code: LoopCode, error: Exception, variables: dict[str, Any]) -> Exception:
        assert error.__traceback__ is not None
        number, variable = code.owners[error.__traceback__.tb_lineno]
        record = record_of(code, variable, variables)
        if number <= FIT_OF:
            return self.operators[FIT_OF - number].failed(error, record)
        if number >= 0:
            return failed_call(self.operators[number], error, record)
        assert self.outlet is not None and number in (FIT, KEY_BY)
        return self.outlet.unfit([record]) if number == FIT else self.outlet.key_failed(error, record)


def record_of(code: LoopCode, variable: str, variables: dict[str, Any]) -> Any:
    """What a variable of the loop stands for, at the moment when it failed."""
    if code.by_columns and variable == FIRST:
        values: Columns = variables["values"]
        return values.record(len(values) - length_hint(variables["arriving"]) - 1)
    parts = code.parts.get(variable)
    return (
        variables.get(variable) if parts is None else tuple(record_of(code, one, variables) for one in parts.variables)
    )


def written_out(operators: Sequence[Operator]) -> tuple[tuple[Inlined | None, ...], dict[str, Any]]:
    """The functions that stand in a loop as the expressions they are, and what these read from around them."""
    bodies: list[Inlined | None] = []
    names: dict[str, Any] = {}
    for number, operator in enumerate(operators):
        body = operator.spec.inlined
        outer = None if body is None else surroundings(operator.spec.function, body.outer)
        names |= {outer_prefix(number) + name: value for name, value in (outer or {}).items()}
        bodies.append(None if outer is None else body)
    return tuple(bodies), names


def failed_call(operator: Operator, error: Exception, record: Any) -> Exception:
    """The error of an operator, as its function raises it, also where the loop has the function as an expression."""
    raised = None if operator.spec.inlined is None else _raised_by(operator, record)
    return operator.failed(raised or error, record)


def _raised_by(operator: Operator, record: Any) -> BaseException | None:
    """What the function itself raises for a record: with the frames that a written-out expression does not have."""
    call = call_of(operator)
    try:
        if call is not None:
            call(record)
    except RAISED as error:
        return error
    return None


def count_passed(
    operators: Sequence[Operator], kinds: Sequence[str], taken: int, made: int, counts: dict[int, int]
) -> None:
    """Add what went into and came out of each operator of a loop.

    `counts` has what filters dropped, and what flat maps but the last made.
    """
    last = max((n for n, kind in enumerate(kinds) if kind == "flat_map"), default=-1)
    dropped_later = sum(counts.get(number, 0) for number in range(last + 1, len(kinds)))
    for number, (operator, kind) in enumerate(zip(operators, kinds, strict=True)):
        operator.taken += taken
        if number == last:
            taken = made + dropped_later
        elif kind == "flat_map":
            taken = counts[number]
        else:
            taken -= counts.get(number, 0)
        operator.given += taken


class Collected:
    """What a run collected for its outlet: columns, and keys."""

    __slots__ = ("columns", "keys")

    def __init__(self, columns: list[list[Any]], keys: list[Any] | None) -> None:
        self.columns, self.keys = columns, keys


def fused(operators: Sequence[Operator], parents: Sequence[int | None]) -> dict[int, FusedRun]:
    """The runs among these operators, by the id() of the first operator."""
    made = in_rows(operators, parents, lambda one: kind_of(one) is not None)
    return {id(run[0]): FusedRun(run, _own_outlet(run[-1])) for run in made}


def in_rows(
    operators: Sequence[Operator],
    parents: Sequence[int | None],
    fits: Callable[[Operator], bool],
    ends: Callable[[Operator], bool] = lambda operator: False,
) -> Iterable[list[Operator]]:
    """The operators that fit into a loop, each run of them together; `ends` says which ones end their run."""
    found: dict[int, list[Operator]] = {}  # by the position of the last operator
    for number, (operator, parent) in enumerate(zip(operators, parents, strict=True)):
        if fits(operator):
            before = found.get(parent, []) if parent is not None else []
            goes_on = bool(before) and not ends(before[-1]) and _goes_on(before, operator)
            run = found.pop(parent) if goes_on and parent is not None else []
            run.append(operator)
            found[number] = run
    return found.values()


def _goes_on(run: list[Operator], operator: Operator) -> bool:
    last = run[-1]
    deep = isinstance(operator, FlatMap) and sum(isinstance(one, FlatMap) for one in run) >= DEEPEST
    return last.targets == [operator] and not last.sides and len(run) < LONGEST and not deep


def _own_outlet(last: Operator) -> OutletWriter | None:
    """The outlet after an operator, if it alone reads the records and takes them column by column."""
    if len(last.targets) != 1 or isinstance(last.targets[0], Operator):
        return None
    writer: OutletWriter = last.targets[0]
    form = form_of(writer.outlet.names)
    plain = form == "value" and writer.outlet.selector is None  # whole records are its column already
    fits = form in ("tuple", "row", "value") and len(writer.outlet.names) <= _WIDEST
    return writer if fits and not plain and writer.outlet.custom is None else None
