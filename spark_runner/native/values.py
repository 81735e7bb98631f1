"""What a Python function computes, as SQL: values whose NULLs have a known meaning, and when they can be trusted.

Every piece of SQL here can be computed for every record without an error. Where Python would raise, or would give what
Spark cannot hold, either a condition in `checks` does not hold or a `fragile` value is NULL. What the SQL gives for
such a record is of no use; the record must be left to Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from spark_runner.program.sql_text import literal

__all__ = [
    "NEVER",
    "NotNative",
    "Parts",
    "Scalar",
    "Texts",
    "Value",
    "checked",
    "conditional",
    "constant",
    "known",
    "missing",
    "settled",
    "strict",
    "truth",
    "with_checks",
]

Kind = Literal["int", "float", "str", "bool", "none", "opaque", "never"]
_LONGEST = 20_000  # characters of SQL: a function that needs more is quicker in Python than in Spark's planner
UNKNOWN: Any = object()


class NotNative(Exception):
    """Something that is not, or not provably, the same in Spark. The message completes "it stays in Python: ..."."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value. Whole numbers lie between `low` and `high`; `known` is the value where it is a constant."""

    kind: Kind
    sql: str
    nullable: bool = False  # NULL stands for None
    fragile: bool = False  # NULL where Python raises, or where Spark cannot hold the value
    checks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # it is NULL where one of these is and nowhere else; (): only its own SQL tells
    low: int = 0
    high: int = 0
    type: str = ""  # of a column whose values are only passed on
    known: Any = UNKNOWN

    def __post_init__(self) -> None:
        if len(self.sql) + sum(map(len, self.checks)) > _LONGEST:
            raise NotNative("it would be too long as SQL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A tuple, a list, a dict or the record itself: values that are known one by one."""

    form: Literal["tuple", "row", "list", "dict"]
    items: tuple[Value, ...]
    names: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """A list of strings that is an array in SQL; none of them is NULL."""

    sql: str
    fragile: bool = False
    checks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


Value = Scalar | Parts | Texts
V = TypeVar("V", bound=Value)
NEVER = Scalar(kind="never", sql="NULL", checks=("FALSE",))  # what a raise statement gives


def constant(value: Any) -> Scalar:
    """A constant of the function's source, or that it reads from around it."""
    if value is None:
        return Scalar(kind="none", sql="NULL", nullable=True, known=None)
    if type(value) not in (bool, int, float, str):
        raise NotNative(f"it uses a {type(value).__name__}")
    sql = literal(value)
    if sql is None:
        raise NotNative("it uses a constant that Spark cannot hold")
    kinds: dict[type, Kind] = {bool: "bool", int: "int", float: "float", str: "str"}
    low = value if type(value) is int else 0
    return Scalar(kind=kinds[type(value)], sql=sql, low=low, high=low, known=value)


def with_checks(value: V, checks: tuple[str, ...]) -> V:
    """The value under more conditions. It is no constant then: the conditions must not get lost."""
    if not checks:
        return value
    joined = _joined([checks, value.checks])
    if isinstance(value, Scalar):
        return replace(value, checks=joined, known=UNKNOWN)
    return replace(value, checks=joined)


def known(value: Value) -> Any:
    """The constant that a value is; `UNKNOWN` where it depends on the record."""
    return value.known if isinstance(value, Scalar) else UNKNOWN


def checked(value: Value) -> tuple[str, ...]:
    """All conditions under which a value is Python's."""
    if isinstance(value, Parts):
        return (*value.checks, *(check for item in value.items for check in checked(item)))
    if not value.fragile:
        return value.checks
    return (*value.checks, *(f"({one}) IS NOT NULL" for one in value.sources or (value.sql,)))


def settled(value: Scalar) -> Scalar:
    """The same value with all its conditions in its checks: NULL then means None, or nothing at all."""
    return replace(value, fragile=False, checks=checked(value)) if value.fragile else value


def strict(
    kind: Kind, sql: str, *operands: Scalar | Texts, low: int = 0, high: int = 0, fragile: bool = False
) -> Scalar:
    """What SQL makes of operands that must all be there: NULL as soon as one of them is."""
    return Scalar(
        kind=kind,
        sql=sql,
        fragile=fragile or any(one.fragile or (isinstance(one, Scalar) and one.nullable) for one in operands),
        checks=_joined(one.checks for one in operands),
        sources=() if fragile else missing(*operands),
        low=low,
        high=high,
    )


def missing(*operands: Scalar | Texts) -> tuple[str, ...]:
    """What is NULL where one of these operands is: cheaper to ask than what was computed of them."""
    open_ones = [one for one in operands if one.fragile or (isinstance(one, Scalar) and one.nullable)]
    return _joined((one.sources or (one.sql,)) for one in open_ones)


def _joined(checks: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check for one in checks for check in one))


def truth(value: Value) -> Scalar:
    """Whether Python takes the value for true."""
    if isinstance(value, Parts):
        return with_checks(constant(bool(value.items)), checked(value))
    if isinstance(value, Texts):
        return strict("bool", f"(size({value.sql}) > 0)", value)
    if value.known is not UNKNOWN:
        return constant(bool(value.known))
    tests = {
        "bool": value.sql,
        "int": f"({value.sql} <> 0L)",
        "float": f"({value.sql} <> 0D)",
        "str": f"({value.sql} <> '')",
    }
    if value.kind == "never":
        return replace(value, kind="bool")
    if value.kind not in tests:
        raise NotNative(f"it asks whether a value of type {value.type or value.kind} is true")
    test = tests[value.kind]
    sql = f"coalesce({test}, FALSE)" if value.nullable else test
    return Scalar(kind="bool", sql=sql, fragile=value.fragile, checks=value.checks, sources=value.sources)


def conditional(condition: Scalar, yes: Value, no: Value) -> Value:
    """`yes if condition else no`. Only the branch that Python takes has to hold."""
    if condition.known is not UNKNOWN:
        return yes if condition.known else no  # a constant has no conditions
    condition = settled(condition)
    if isinstance(yes, Parts) and isinstance(no, Parts):
        return _conditional_parts(condition, yes, no)
    if isinstance(yes, Texts) or isinstance(no, Texts) or isinstance(yes, Parts) != isinstance(no, Parts):
        return _one_sided(condition, yes, no)
    assert isinstance(yes, Scalar) and isinstance(no, Scalar)
    kinds = {yes.kind, no.kind} - {"none", "never"}
    if len(kinds) > 1 or "opaque" in kinds:
        raise NotNative(f"it gives values of different types: {yes.kind} or {no.kind}")
    present = [one for one in (yes, no) if one.kind not in ("none", "never")]
    return Scalar(
        kind=next(iter(kinds)) if kinds else "none",
        sql=f"CASE WHEN {condition.sql} THEN {yes.sql} ELSE {no.sql} END",
        nullable=any(one.nullable for one in (yes, no)),
        checks=_branch_checks(condition, checked(yes), checked(no)),
        low=min((one.low for one in present), default=0),
        high=max((one.high for one in present), default=0),
    )


def _conditional_parts(condition: Scalar, yes: Parts, no: Parts) -> Parts:
    if len(yes.items) != len(no.items) or yes.names != no.names or yes.form != no.form:
        raise NotNative("it gives records of different shapes")
    items = tuple(conditional(condition, a, b) for a, b in zip(yes.items, no.items, strict=True))
    return Parts(form=yes.form, items=items, names=yes.names, checks=_branch_checks(condition, yes.checks, no.checks))


def _one_sided(condition: Scalar, yes: Value, no: Value) -> Value:
    """One branch raises, so whatever is given comes from the other."""
    for given, other, test in ((yes, no, condition.sql), (no, yes, f"NOT ({condition.sql})")):
        if isinstance(other, Scalar) and other.kind == "never":
            return with_checks(given, (*condition.checks, test))
    raise NotNative("it gives values of different types")


def _branch_checks(condition: Scalar, yes: tuple[str, ...], no: tuple[str, ...]) -> tuple[str, ...]:
    taken = [f"(NOT ({condition.sql}) OR ({check}))" for check in yes]
    left = [f"(({condition.sql}) OR ({check}))" for check in no]
    return _joined([condition.checks, tuple(taken), tuple(left)])
