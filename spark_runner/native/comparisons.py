"""Comparisons as Python makes them: None equals None alone, and nothing equals a float that is not a number."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spark_runner.native.numbers import exact_float
from spark_runner.native.values import (
    UNKNOWN,
    NotNative,
    Parts,
    Scalar,
    Value,
    checked,
    constant,
    settled,
    strict,
    with_checks,
)

__all__ = ["both", "compare", "either", "inverse"]

_ORDER: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "Lt": ("<", operator.lt),
    "LtE": ("<=", operator.le),
    "Gt": (">", operator.gt),
    "GtE": (">=", operator.ge),
}


def compare(name: str, left: Value, right: Value) -> Scalar:
    """One comparison, by the name of its class in `ast`."""
    if name in ("Eq", "NotEq"):
        made = equal(left, right)
        return made if name == "Eq" else inverse(made)
    if name in ("Is", "IsNot"):
        made = _is_none(left, right)
        return made if name == "Is" else inverse(made)
    if name in ("In", "NotIn"):
        made = _contains(right, left)
        return made if name == "In" else inverse(made)
    return _ordered(name, left, right)


def inverse(value: Scalar) -> Scalar:
    """`not value` of something that is true or false."""
    if value.known is not UNKNOWN:
        return constant(not value.known)
    return replace(value, sql=f"(NOT {value.sql})")


def both(left: Scalar, right: Scalar) -> Scalar:
    """`left and right` of what is true or false; the right side counts only where the left is true."""
    return _combined("AND", left, right, lambda sql, check: f"(NOT ({sql}) OR ({check}))")


def either(left: Scalar, right: Scalar) -> Scalar:
    """`left or right` of what is true or false; the right side counts only where the left is false."""
    return _combined("OR", left, right, lambda sql, check: f"(({sql}) OR ({check}))")


def _combined(word: str, left: Scalar, right: Scalar, only_then: Callable[[str, str], str]) -> Scalar:
    left, right = settled(left), settled(right)
    checks = dict.fromkeys((*left.checks, *(only_then(left.sql, check) for check in right.checks)))
    return Scalar(kind="bool", sql=f"({left.sql} {word} {right.sql})", checks=tuple(checks))


def equal(left: Value, right: Value) -> Scalar:
    """`left == right` of two values of one type."""
    if isinstance(left, Parts) and isinstance(right, Parts):
        return _equal_parts(left, right)
    if not isinstance(left, Scalar) or not isinstance(right, Scalar):
        raise NotNative("it compares values of different types")
    if left.known is not UNKNOWN and right.known is not UNKNOWN:
        return constant(left.known == right.known)
    if right.kind == "none" or left.kind == "none":
        return _is_none(*((left, right) if right.kind == "none" else (right, left)))
    a, b = _alike(left, right, exact=True)
    a, b = settled(a), settled(b)
    checks = tuple(dict.fromkeys(a.checks + b.checks))
    sql = f"({a.sql} <=> {b.sql})" if a.nullable or b.nullable else f"({a.sql} = {b.sql})"
    if a.kind == "float":
        sql = f"({sql} AND NOT coalesce(isnan({a.sql}), FALSE))"
    return Scalar(kind="bool", sql=sql, checks=checks)


def _equal_parts(left: Parts, right: Parts) -> Scalar:
    if "dict" in (left.form, right.form) or (left.form == "list") != (right.form == "list"):
        raise NotNative("it compares values of different types")
    if len(left.items) != len(right.items):
        return with_checks(constant(False), checked(left) + checked(right))
    found = constant(True)
    for a, b in zip(left.items, right.items, strict=True):
        found = both(found, equal(a, b))
    return with_checks(found, checked(left) + checked(right))


def _alike(left: Scalar, right: Scalar, *, exact: bool) -> tuple[Scalar, Scalar]:
    kinds = {left.kind, right.kind}
    if kinds == {"int", "float"} and exact:
        return exact_float(left), exact_float(right)
    if len(kinds) > 1 or kinds & {"opaque", "none", "never"}:
        raise NotNative(f"it compares a {left.kind} with a {right.kind}")
    return left, right


def _ordered(name: str, left: Value, right: Value) -> Scalar:
    if not isinstance(left, Scalar) or not isinstance(right, Scalar):
        raise NotNative("it compares lists or tuples by their order")
    sign, compute = _ORDER[name]
    a, b = _alike(left, right, exact=True)
    if a.known is not UNKNOWN and b.known is not UNKNOWN:
        return constant(compute(a.known, b.known))
    if a.kind == "bool":
        raise NotNative("it compares truth values by their order")
    sql = f"({a.sql} {sign} {b.sql})"
    if a.kind == "float":
        sql = f"({sql} AND NOT isnan({a.sql}) AND NOT isnan({b.sql}))"
    return strict("bool", sql, a, b)


def _is_none(left: Value, right: Value) -> Scalar:
    if not isinstance(right, Scalar) or right.kind != "none":
        raise NotNative("it uses `is` with something else than None")
    if isinstance(left, Scalar):
        if left.known is not UNKNOWN:
            return constant(left.known is None)
        left = settled(left)
        sql = f"({left.sql} IS NULL)" if left.nullable else "FALSE"
        return Scalar(kind="bool", sql=sql, checks=left.checks)
    return with_checks(constant(False), checked(left))


def _contains(container: Value, item: Value) -> Scalar:
    if isinstance(container, Parts) and container.form in ("list", "tuple"):
        found = constant(False)
        for one in container.items:
            found = either(found, equal(item, one))
        return with_checks(found, checked(item) + checked(container))
    if isinstance(container, Scalar) and container.kind == "str" and isinstance(item, Scalar) and item.kind == "str":
        return strict("bool", f"contains({container.sql}, {item.sql})", container, item)
    raise NotNative("it uses `in` with something else than a text or a list of constants")
