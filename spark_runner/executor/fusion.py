"""Fuses a chain of operators into a single loop over records. Runs on executors.

A run is operators of which each feeds the next alone, with the outlet behind them where nobody else reads it. A record
goes through all of them before the next one starts, so nothing is collected but what leaves. `loop_code` has the loop.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_runner.executor.failures import RAISED
from spark_runner.executor.inlined import Inlined, surroundings
from spark_runner.executor.loop_code import FIRST, FIT, KEY_BY, LoopCode, Shape, loop_code, outer_prefix
from spark_runner.executor.nested_values import positional
from spark_runner.executor.records import Columns, shaped
from spark_runner.executor.roles.plain import Role, Stamps, spread
from spark_runner.executor.rows import form_of, row_class

if TYPE_CHECKING:
    from spark_runner.executor.outlets import OutletWriter

LONGEST = 400  # operators in one function
DEEPEST = 6  # flat_maps in one function: Python nests twenty blocks at most, and each takes two
_WIDEST = 60  # columns that are collected one by one
_INLINED = frozenset({"map", "filter", "flat_map"})
Loop = Callable[[Any, Stamps], Iterator[Any]]


class FusedRun:
    """One run at work."""

    writes = False

    def __init__(self, roles: Sequence[Role], outlet: OutletWriter | None) -> None:
        self.roles, self.outlet = tuple(roles), outlet
        self.main = roles[-1].main
        self._in_columns = outlet is not None and form_of(outlet.outlet.schema.names) != "value"
        self._loops: dict[
            tuple[bool, tuple[str, ...]], tuple[Loop, bool]
        ] = {}  # by whether records have times, columns

    def process(self, values: list[Any] | Columns, stamps: Stamps) -> Iterator[Any]:
        """Takes records, yields (targets, what was made of them, event times), as a role does."""
        sort = (stamps is not None, values.names if isinstance(values, Columns) else ())
        if sort not in self._loops:  # not earlier: a function may make its method when it is opened
            self._loops[sort] = self._loop(*sort)
        loop, by_columns = self._loops[sort]
        if isinstance(values, Columns) and not by_columns:
            values = values.records()
        for made, keys, times in loop(values, stamps):
            if self.outlet is None:
                yield self.main, made, times
            else:
                yield self.main, Collected(made if self._in_columns else [made], keys), times

    def _loop(self, stamped: bool, columns: tuple[str, ...]) -> tuple[Loop, bool]:
        calls = [role.fused_call() for role in self.roles]
        kinds = [str(role.fused) if call is not None else "pass" for role, call in zip(self.roles, calls, strict=True)]
        names: dict[str, Any] = {f"call{n}": call for n, call in enumerate(calls)}
        bodies: list[Inlined | None] = []
        for number, (role, call) in enumerate(zip(self.roles, calls, strict=True)):
            body = role.node.inlined if role.fused in _INLINED else None
            outer = None if body is None else surroundings(call, body.outer)
            names |= {outer_prefix(number) + name: value for name, value in (outer or {}).items()}
            bodies.append(None if outer is None else body)
        code = loop_code(tuple(kinds), replace(self._shape(stamped), columns=columns), tuple(bodies))
        names |= {"spread": spread, "settle": self._settle, "blame": functools.partial(self._blame, code)}
        if self.outlet is not None:
            columns = tuple(self.outlet.outlet.schema.names)
            names |= {"row": row_class(columns), "positional": functools.partial(positional, names=columns)}
            names |= {"select": self.outlet.outlet.selector, "shaped": shaped(columns)}
        exec(code.code, names)
        return names["run"], code.by_columns

    def _shape(self, stamped: bool) -> Shape:
        if self.outlet is None:
            return Shape(stamped=stamped)
        spec = self.outlet.outlet
        return Shape(
            width=len(spec.schema) if self._in_columns else None,
            rows=form_of(spec.schema.names) == "row",
            keyed=spec.selector is not None,
            stamped=stamped,
        )

    def _settle(self, taken: int, made: int, counts: dict[int, int]) -> None:
        """Adds what went through each operator; `counts` has what filters dropped and flat_maps but the last made."""
        kinds = [str(role.fused) for role in self.roles]
        for role, (went_in, came_out) in zip(self.roles, passed(kinds, taken, made, counts), strict=True):
            role.taken += went_in
            role.given += came_out

    def _blame(self, code: LoopCode, error: Exception, variables: dict[str, Any]) -> Exception:
        assert error.__traceback__ is not None
        number, variable = code.owners[error.__traceback__.tb_lineno]
        record = _record(code, variable, variables)
        if number >= 0:
            role = self.roles[number]
            return role.failed(error if role.node.inlined is None else _raised_by(role, record) or error, record)
        assert self.outlet is not None and number in (FIT, KEY_BY)
        return self.outlet.unfit([record]) if number == FIT else self.outlet.key_failed(error, record)


def _record(code: LoopCode, variable: str, variables: dict[str, Any]) -> Any:
    """What a variable of the loop stands for, at the moment when it failed."""
    if code.by_columns and variable == FIRST:
        values: Columns = variables["values"]
        return values.record(len(values) - operator.length_hint(variables["arriving"]) - 1)
    parts = code.parts.get(variable)
    return variables.get(variable) if parts is None else tuple(variables[part] for part in parts.variables)


def _raised_by(role: Role, record: Any) -> BaseException | None:
    """What the function itself raises for a record: with the frames that a written-out expression does not have."""
    call = role.fused_call()
    try:
        if call is not None:
            call(record)
    except RAISED as error:
        return error
    return None


def passed(kinds: Sequence[str], taken: int, made: int, counts: dict[int, int]) -> Iterator[tuple[int, int]]:
    """How many records went into and came out of each operator of a loop, from what the loop counts."""
    last = max((n for n, kind in enumerate(kinds) if kind == "flat_map"), default=-1)
    dropped_behind = sum(counts.get(number, 0) for number in range(last + 1, len(kinds)))
    for number, kind in enumerate(kinds):
        before = taken
        if number == last:
            taken = made + dropped_behind
        elif kind == "flat_map":
            taken = counts[number]
        else:
            taken -= counts.get(number, 0)
        yield before, taken


class Collected:
    """What a run collected for its outlet: columns, and keys."""

    __slots__ = ("columns", "keys")

    def __init__(self, columns: list[list[Any]], keys: list[Any] | None) -> None:
        self.columns, self.keys = columns, keys


def fused(roles: Sequence[Role], parents: Sequence[int | None]) -> dict[int, FusedRun]:
    """The runs among these roles, by the id() of the role in front."""
    found: dict[int, list[Role]] = {}  # by the position of the last role
    for number, (role, parent) in enumerate(zip(roles, parents, strict=True)):
        if role.fused is not None:
            run = found.pop(parent) if parent in found and _goes_on(found[parent], role) else []
            run.append(role)
            found[number] = run
    made = [FusedRun(run, _own_outlet(run[-1])) for run in found.values()]
    return {id(run.roles[0]): run for run in made}


def _goes_on(run: list[Role], role: Role) -> bool:
    last = run[-1]
    deep = role.fused == "flat_map" and sum(one.fused == "flat_map" for one in run) >= DEEPEST
    return last.main == [role] and not last.sides and len(run) < LONGEST and not deep


def _own_outlet(last: Role) -> OutletWriter | None:
    """The outlet behind a role, if it alone reads the role's records and takes them column by column."""
    if len(last.main) != 1 or not last.main[0].writes:
        return None
    writer: OutletWriter = last.main[0]
    form = form_of(writer.outlet.schema.names)
    plain = form == "value" and writer.outlet.selector is None  # whole records are its column already
    fits = form in ("tuple", "row", "value") and len(writer.outlet.schema) <= _WIDEST
    return writer if fits and not plain and writer.outlet.custom is None else None
