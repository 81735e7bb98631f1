"""Columns as the record that a function gets, and what it gives as columns of its declared type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from spark_runner.executor.rows import Form, form_of
from spark_runner.native.numbers import HIGHEST, LOWEST, exact_float
from spark_runner.native.values import NotNative, Parts, Scalar, Value, checked
from spark_runner.program.sql_text import quoted

__all__ = ["Column", "Fitted", "fitted", "readable", "record_of"]

_WHOLE = {"tinyint": 8, "byte": 8, "smallint": 16, "short": 16, "int": 32, "integer": 32, "bigint": 64, "long": 64}
_PLAIN = {
    "string": "string",
    "boolean": "boolean",
    "double": "double",
    "float": "float",
    "real": "float",
    "binary": "binary",
}
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)(\(.*\))?\Z")
# The days and moments that Python has a date for: 1 to 9999.
_DAYS = (-719_162, 2_932_896)
_MICROSECONDS = (_DAYS[0] * 86_400_000_000, (_DAYS[1] + 1) * 86_400_000_000 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A declared column."""

    name: str
    type: str

    @property
    def kind(self) -> str:
        """The type as Spark names it. Raises NotNative for one whose values may look different to Python."""
        written = " ".join(self.type.lower().replace(" not null", "").split())
        if written in _WHOLE:
            return {8: "tinyint", 16: "smallint", 32: "int", 64: "bigint"}[_WHOLE[written]]
        if written in _PLAIN:
            return _PLAIN[written]
        decimal = _DECIMAL.match(written)
        if decimal is not None:
            return "decimal" + (decimal[1] or "(10,0)").replace(" ", "")
        if written in ("date", "timestamp", "timestamp_ntz"):
            return written
        raise NotNative(f"the column {self.name!r} is a {self.type}")


def record_of(columns: Sequence[Column]) -> Value:
    """The record in the form that functions get it."""
    names = tuple(column.name for column in columns)
    if len({name.casefold() for name in names}) < len(names):
        raise NotNative("two columns have the same name for Spark")
    form: Form = form_of(names)
    values = tuple(_value(column) for column in columns)
    if form == "value":
        return values[0]
    if form == "pickled":
        raise NotNative("the records in front of it have no declared columns")
    return Parts(form="tuple" if form == "tuple" else "row", items=values, names=names if form == "row" else ())


def _value(column: Column) -> Scalar:
    sql, kind = quoted(column.name), column.kind
    if kind == "bigint":
        return Scalar(kind="int", sql=sql, nullable=True, low=LOWEST, high=HIGHEST)
    if kind in ("tinyint", "smallint", "int"):
        reach = 1 << (_WHOLE[kind] - 1)
        return Scalar(kind="int", sql=f"CAST({sql} AS BIGINT)", nullable=True, low=-reach, high=reach - 1)
    if kind == "string":
        return Scalar(kind="str", sql=sql, nullable=True)
    if kind == "double":
        return Scalar(kind="float", sql=sql, nullable=True)
    if kind == "boolean":
        return Scalar(kind="bool", sql=sql, nullable=True)
    return Scalar(kind="opaque", sql=sql, nullable=True, type=kind)


def readable(columns: Sequence[Column]) -> tuple[str, ...]:
    """What must hold of records from elsewhere so that Python could read them at all."""
    found = []
    for column in columns:
        sql, kind = quoted(column.name), column.kind
        if kind == "string":
            found.append(f"coalesce(is_valid_utf8({sql}), TRUE)")
        elif kind == "date":
            found.append(f"coalesce(unix_date({sql}) BETWEEN {_DAYS[0]} AND {_DAYS[1]}, TRUE)")
        elif kind == "timestamp":
            found.append(f"coalesce(unix_micros({sql}) BETWEEN {_MICROSECONDS[0]}L AND {_MICROSECONDS[1]}L, TRUE)")
        elif kind == "timestamp_ntz":
            first, last = "TIMESTAMP_NTZ '0001-01-01 00:00:00'", "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'"
            found.append(f"coalesce({sql} BETWEEN {first} AND {last}, TRUE)")
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What a function gives, as columns, and when that is what Python would give."""

    columns: tuple[tuple[str, str], ...]  # names with SQL
    checks: tuple[str, ...]


def fitted(value: Value, columns: Sequence[Column]) -> Fitted:
    """A record as its declared columns. Raises NotNative where it surely does not fit, or might not."""
    names = [column.name for column in columns]
    values = [value] if form_of(names) == "value" else _fields(value, names)
    made: list[tuple[str, str]] = []
    checks: list[str] = list(value.checks) if isinstance(value, Parts) else []
    for one, column in zip(values, columns, strict=True):
        if not isinstance(one, Scalar):
            raise NotNative(f"it gives a list or tuple for the column {column.name!r}")
        sql, conditions = _fit(one, column)
        made.append((column.name, sql))
        checks += [*checked(one), *conditions]
    return Fitted(columns=tuple(made), checks=tuple(dict.fromkeys(checks)))


def _fields(value: Value, names: Sequence[str]) -> Sequence[Value]:
    if not isinstance(value, Parts):
        raise NotNative(f"it gives one value where {len(names)} columns are declared")
    if value.form == "dict":
        if set(value.names) != set(names):
            raise NotNative("the keys of what it gives are not the declared columns")
        return [value.items[value.names.index(name)] for name in names]
    if len(value.items) != len(names):
        raise NotNative(f"it gives {len(value.items)} values where {len(names)} columns are declared")
    return value.items


def _fit(value: Scalar, column: Column) -> tuple[str, tuple[str, ...]]:
    kind = column.kind
    if value.kind in ("none", "never"):
        return f"CAST(NULL AS {kind.upper()})", ()
    if value.kind == "opaque" and value.type == kind:
        return value.sql, ()
    if value.kind == "int" and kind in _WHOLE:
        return _fit_whole(value, kind)
    if value.kind in ("int", "float") and kind == "double":
        number = exact_float(value)
        return number.sql, tuple(check for check in number.checks if check not in value.checks)
    if (value.kind, kind) in (("str", "string"), ("bool", "boolean")):
        return value.sql, ()
    raise NotNative(f"it gives a {value.type or value.kind} for the column {column.name!r}, which is {column.type}")


def _fit_whole(value: Scalar, kind: str) -> tuple[str, tuple[str, ...]]:
    if kind == "bigint":
        return value.sql, ()
    reach = 1 << (_WHOLE[kind] - 1)
    sql = f"try_cast({value.sql} AS {kind.upper()})"
    if -reach <= value.low and value.high < reach:
        return sql, ()
    return sql, (f"(({value.sql}) IS NULL OR ({value.sql}) BETWEEN (-{reach}L) AND {reach - 1}L)",)
