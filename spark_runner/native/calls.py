"""The functions of Python itself that a native function may call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_runner.native.numbers import absolute, as_float, as_int, float_of_text, larger, smaller
from spark_runner.native.texts import METHODS, as_text, length, text
from spark_runner.native.values import NotNative, Parts, Scalar, Value, checked, constant, strict, truth, with_checks

__all__ = ["called"]

Call = Callable[[Sequence[Value]], Value]


def called(function: object, arguments: Sequence[Value]) -> Value | None:
    """What one of Python's own functions gives; None where this is none that is known."""
    try:
        known = _CALLS.get(function)
    except TypeError:  # not even hashable
        return None
    return None if known is None else known(arguments)


def _one(name: str, compute: Callable[[Value], Value]) -> Call:
    def call(arguments: Sequence[Value]) -> Value:
        if len(arguments) != 1:
            raise NotNative(f"it calls {name}() with {len(arguments)} arguments")
        return compute(arguments[0])

    return call


def _length(value: Value) -> Value:
    if isinstance(value, Parts):
        return with_checks(constant(len(value.items)), checked(value))
    return length(value)


def _int(value: Value) -> Value:
    if not isinstance(value, Scalar):
        raise NotNative("it calls int() of a list or tuple")
    return as_int(value)


def _float(value: Value) -> Value:
    if not isinstance(value, Scalar) or value.kind not in ("int", "float", "str"):
        raise NotNative("it calls float() of something else than a number or a text")
    if value.kind == "str":
        return float_of_text(value)
    number = as_float(value)
    return strict("float", number.sql, number)


def _pairwise(name: str, choose: Callable[[Value, Value], Value]) -> Call:
    def call(arguments: Sequence[Value]) -> Value:
        if len(arguments) < 2:
            raise NotNative(f"it calls {name}() of a list")
        found = arguments[0]
        for other in arguments[1:]:
            found = choose(found, other)
        return found

    return call


def _text_method(name: str) -> Call:
    def call(arguments: Sequence[Value]) -> Value:
        if not arguments:
            raise NotNative(f"it calls str.{name}() without a text")
        return METHODS[name](text(arguments[0]), arguments[1:])

    return call


_CALLS: dict[object, Call] = {
    abs: _one("abs", absolute),
    bool: _one("bool", truth),
    float: _one("float", _float),
    int: _one("int", _int),
    len: _one("len", _length),
    max: _pairwise("max", larger),
    min: _pairwise("min", smaller),
    str: _one("str", as_text),
    **{getattr(str, name): _text_method(name) for name in METHODS},
}
