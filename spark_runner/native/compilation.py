"""Compiles the function of a map, a filter or a flat_map to Spark SQL, or says why it stays in Python.

What is compiled gives, for every record, either what Python gives or the error that leaves the whole run to Python.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from planner.job import Explode, Select, Where
from spark_runner.native.evaluation import Evaluation, bound, called_with
from spark_runner.native.records import Column, fitted, readable, record_of
from spark_runner.native.sources import FunctionNode, source_of
from spark_runner.native.values import NotNative, Parts, Scalar, Texts, Value, checked, truth
from spark_runner.program.native_function import GAVE_UP, NativeFunction
from spark_runner.program.sql_text import literal, quoted

__all__ = ["Column", "NotNative", "compile_function"]

_EACH = "__each"  # the column of an element of a list
_METHODS = {"map": "map", "filter": "filter", "flat_map": "flat_map"}
Step = Where | Select | Explode


def compile_function(
    kind: str, function: Any, columns: Sequence[Column], output: Sequence[Column], *, operator: str, trusted: bool
) -> NativeFunction:
    """A function over records of these columns as SQL. `trusted`: Python has read the records' texts already.

    Raises NotNative, with the reason.
    """
    if callable(getattr(function, _METHODS[kind], None)) or isinstance(function, type):
        raise NotNative("it is an object with methods, which may keep something between records")
    compiler = _Compiler(operator, () if trusted else readable(columns))
    record = record_of(columns)
    if kind == "filter":
        return compiler.filter(called_with(function, [record]))
    if kind == "map":
        return compiler.map(called_with(function, [record]), output)
    return compiler.flat_map(function, record, output)


class _Compiler:
    def __init__(self, operator: str, readable: tuple[str, ...]) -> None:
        self._raise = f"CAST(raise_error({literal(f'{GAVE_UP} ({operator})')}) AS BOOLEAN)"
        self._first = readable  # conditions that the first guard takes along
        self._steps: list[Step] = []
        self._guarded = False

    def filter(self, value: Value) -> NativeFunction:
        test = truth(value)
        self._where(test.checks, test)
        return self._made()

    def map(self, value: Value, output: Sequence[Column]) -> NativeFunction:
        self._select(value, output)
        return self._made()

    def flat_map(self, function: Any, record: Value, output: Sequence[Column]) -> NativeFunction:
        loop = _loop(function)
        if loop is None:
            self._spread(called_with(function, [record]), output)
            return self._made()
        assert isinstance(function, FunctionType)
        evaluation = Evaluation(function)
        names = bound(function, source_of(function), [record])
        names |= evaluation.unpacked(loop.target, self._each(evaluation.value(loop.iterable, names)))
        for test in loop.conditions:
            condition = evaluation.truth(test, names)
            self._where(condition.checks, condition)
        self._select(evaluation.value(loop.element, names), output)
        return self._made()

    def _spread(self, value: Value, output: Sequence[Column]) -> None:
        """A list that is there as a whole."""
        self._select(self._each(value), output)

    def _each(self, value: Value) -> Value:
        """One element of a list; there is one row for each from here on."""
        each = quoted(_EACH)
        if isinstance(value, Texts):
            self._guard(checked(value))
            self._steps.append(Explode(expression=value.sql, column=_EACH))
            return Scalar(kind="str", sql=each)
        if isinstance(value, Parts) and value.form in ("list", "tuple") and value.items:
            self._guard(checked(value))
            return self._each_of(value, each)
        raise NotNative("it gives something else than a list of known length, or the parts of a text")

    def _each_of(self, value: Parts, each: str) -> Value:
        rows = [one.items if isinstance(one, Parts) else (one,) for one in value.items]
        if len({(len(row), isinstance(one, Parts)) for row, one in zip(rows, value.items, strict=True)}) > 1:
            raise NotNative("the elements of its list have different types")
        columns = [_common([row[at] for row in rows]) for at in range(len(rows[0]))]
        structs = (f"struct({', '.join(f'{c.sql} AS c{n}' for n, c in enumerate(_scalars(row)))})" for row in rows)
        self._steps.append(Explode(expression=f"array({', '.join(structs)})", column=_EACH))
        items = tuple(
            Scalar(kind=c.kind, sql=f"{each}.c{n}", nullable=c.nullable, low=c.low, high=c.high)
            for n, c in enumerate(columns)
        )
        return Parts(form="tuple", items=items) if isinstance(value.items[0], Parts) else items[0]

    def _select(self, value: Value, output: Sequence[Column]) -> None:
        made = fitted(value, output)
        self._guard(made.checks)
        self._steps.append(Select(columns=made.columns))

    def _guard(self, checks: Sequence[str]) -> None:
        """Every record must meet the conditions: in a filter, since Spark leaves out columns that nobody reads."""
        conditions, self._first = [*self._first, *checks], ()
        if conditions:
            self._guarded = True
            joined = " AND ".join(dict.fromkeys(conditions))
            self._steps.append(Where(condition=f"CASE WHEN {joined} THEN TRUE ELSE {self._raise} END"))

    def _where(self, checks: Sequence[str], test: Scalar) -> None:
        conditions, self._first = [*self._first, *checks], ()
        if conditions:
            self._guarded = True
            joined = " AND ".join(dict.fromkeys(conditions))
            inner = f"coalesce({test.sql}, {self._raise})" if test.fragile else test.sql
            self._steps.append(Where(condition=f"CASE WHEN {joined} THEN {inner} ELSE {self._raise} END"))
        elif test.fragile:
            self._guarded = True
            self._steps.append(Where(condition=f"coalesce({test.sql}, {self._raise})"))
        else:
            self._steps.append(Where(condition=test.sql))

    def _made(self) -> NativeFunction:
        return NativeFunction(steps=tuple(self._steps), guarded=self._guarded)


def _scalars(row: Sequence[Value]) -> list[Scalar]:
    found = [one for one in row if isinstance(one, Scalar)]
    if len(found) < len(row):
        raise NotNative("the elements of its list are lists themselves")
    return found


def _common(values: Sequence[Value]) -> Scalar:
    scalars = _scalars(values)
    kinds = {one.kind for one in scalars}
    if len(kinds) > 1 or kinds & {"none", "never", "opaque"}:
        raise NotNative("the elements of its list have different types")
    return Scalar(
        kind=scalars[0].kind,
        sql="",
        nullable=any(one.nullable for one in scalars),
        low=min(one.low for one in scalars),
        high=max(one.high for one in scalars),
    )


class _Loop:
    """`[element for target in iterable if conditions]`, or the same as a loop that yields."""

    def __init__(self, target: ast.expr, iterable: ast.expr, conditions: Sequence[ast.expr], element: ast.expr) -> None:
        self.target, self.iterable, self.conditions, self.element = target, iterable, conditions, element


def _loop(function: Any) -> _Loop | None:
    if not isinstance(function, FunctionType):
        return None
    node = source_of(function)
    return _comprehension(node) or _yielding(node)


def _comprehension(node: FunctionNode) -> _Loop | None:
    body: ast.expr | None = None
    if isinstance(node, ast.Lambda):
        body = node.body
    else:
        statements = [one for one in node.body if not _is_docstring(one)]
        if len(statements) == 1 and isinstance(statements[0], ast.Return):
            body = statements[0].value
    match body:
        case ast.ListComp(elt=element, generators=[only]) | ast.GeneratorExp(elt=element, generators=[only]):
            if not only.is_async:
                return _Loop(only.target, only.iter, only.ifs, element)
    return None


def _yielding(node: FunctionNode) -> _Loop | None:
    if isinstance(node, ast.Lambda):
        return None
    match [one for one in node.body if not _is_docstring(one)]:
        case [ast.For(target=target, iter=iterable, body=[inner], orelse=[])]:
            conditions: list[ast.expr] = []
            while isinstance(inner, ast.If) and len(inner.body) == 1 and not inner.orelse:
                conditions.append(inner.test)
                inner = inner.body[0]
            match inner:
                case ast.Expr(value=ast.Yield(value=element)) if element is not None:
                    return _Loop(target, iterable, conditions, element)
    return None


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
