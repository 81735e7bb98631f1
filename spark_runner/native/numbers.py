"""Arithmetic of whole numbers and floats, as Python does it.

A whole number of Python has no limit. Where the operands' types prove that a result fits into 64 bits, it is computed
plainly; where they do not, with Spark's functions that give NULL on overflow, and such a record is left to Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from spark_runner.native.values import UNKNOWN, NotNative, Scalar, Value, conditional, constant, settled, strict

__all__ = ["ARITHMETIC", "absolute", "as_float", "as_int", "exact_float", "larger", "negative", "smaller"]

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
_EXACT = 1 << 53  # whole numbers up to here are floats without rounding
_MOST_DIGITS = 18  # of a text that is surely a whole number of 64 bits

Operation = Callable[[Scalar, Scalar], Scalar]


def _numbers(left: Value, right: Value) -> tuple[Scalar, Scalar]:
    for one in (left, right):
        if not isinstance(one, Scalar) or one.kind not in ("int", "float"):
            raise NotNative(f"it does arithmetic with a {one.kind if isinstance(one, Scalar) else 'list or tuple'}")
    assert isinstance(left, Scalar) and isinstance(right, Scalar)
    return left, right


def _whole(name: str, sign: str, left: Scalar, right: Scalar, ends: list[int]) -> Scalar:
    low, high = min(ends), max(ends)
    if low >= LOWEST and high <= HIGHEST:
        return strict("int", f"({left.sql} {sign} {right.sql})", left, right, low=low, high=high)
    if low > HIGHEST or high < LOWEST:
        raise NotNative("its whole numbers do not fit into 64 bits")
    sql = f"{name}({left.sql}, {right.sql})"
    return strict("int", sql, left, right, low=max(low, LOWEST), high=min(high, HIGHEST), fragile=True)


def _floats(sign: str, left: Scalar, right: Scalar) -> Scalar:
    a, b = as_float(left), as_float(right)
    return strict("float", f"({a.sql} {sign} {b.sql})", a, b)


def add(left: Value, right: Value) -> Scalar:
    """`left + right` of numbers."""
    a, b = _numbers(left, right)
    if a.kind == b.kind == "int":
        return _whole("try_add", "+", a, b, [a.low + b.low, a.high + b.high])
    return _floats("+", a, b)


def subtract(left: Value, right: Value) -> Scalar:
    """`left - right`."""
    a, b = _numbers(left, right)
    if a.kind == b.kind == "int":
        return _whole("try_subtract", "-", a, b, [a.low - b.high, a.high - b.low])
    return _floats("-", a, b)


def multiply(left: Value, right: Value) -> Scalar:
    """`left * right` of numbers."""
    a, b = _numbers(left, right)
    if a.kind == b.kind == "int":
        return _whole("try_multiply", "*", a, b, [x * y for x in (a.low, a.high) for y in (b.low, b.high)])
    return _floats("*", a, b)


def divide(left: Value, right: Value) -> Scalar:
    """`left / right`: a float, rounded once. Whole numbers of more than 53 bits would be rounded before."""
    a, b = (exact_float(one) for one in _numbers(left, right))
    return strict("float", f"({a.sql} / nullif({b.sql}, 0D))", a, b, fragile=True)


def floor_divide(left: Value, right: Value) -> Scalar:
    """`left // right` of whole numbers: rounded down, where SQL cuts off."""
    a, b = _whole_operands(left, right)
    if b.low > 0:
        ends = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
        sql = f"(({a.sql} DIV {b.sql}) - CASE WHEN ({a.sql} % {b.sql}) < 0L THEN 1L ELSE 0L END)"
        return strict("int", sql, a, b, low=min(ends), high=max(ends))
    rest = f"({a.sql} % nullif({b.sql}, 0L))"
    cut = f"({a.sql} DIV nullif({b.sql}, 0L))"
    sql = f"({cut} - CASE WHEN {rest} <> 0L AND ({rest} < 0L) <> ({b.sql} < 0L) THEN 1L ELSE 0L END)"
    overflows = b.low <= -1 <= b.high and a.low == LOWEST  # the only quotient of 64-bit numbers that needs a bit more
    if overflows:
        sql = f"CASE WHEN {b.sql} = (-1L) THEN try_subtract(0L, {a.sql}) ELSE {sql} END"
    return strict("int", sql, a, b, low=LOWEST, high=HIGHEST, fragile=overflows or _may_be_zero(b))


def modulo(left: Value, right: Value) -> Scalar:
    """`left % right` of whole numbers: the sign is the divisor's, where SQL takes the dividend's."""
    a, b = _whole_operands(left, right)
    if b.low > 0:
        return strict("int", f"pmod({a.sql}, {b.sql})", a, b, low=0, high=b.high - 1)
    rest = f"({a.sql} % nullif({b.sql}, 0L))"
    sql = f"CASE WHEN {rest} <> 0L AND ({rest} < 0L) <> ({b.sql} < 0L) THEN {rest} + {b.sql} ELSE {rest} END"
    low, high = min(0, b.low + 1), max(0, b.high - 1)
    return strict("int", sql, a, b, low=low, high=high, fragile=_may_be_zero(b))


def power(left: Value, right: Value) -> Scalar:
    """`left ** 2` and `left ** 3` of whole numbers."""
    a, b = _numbers(left, right)
    if a.kind != "int" or b.known is UNKNOWN or b.known not in (2, 3) or type(b.known) is not int:
        raise NotNative("it uses ** with another exponent than 2 or 3, or with floats")
    square = multiply(a, a)
    return square if b.known == 2 else multiply(square, a)


def _whole_operands(left: Value, right: Value) -> tuple[Scalar, Scalar]:
    a, b = _numbers(left, right)
    if a.kind != "int" or b.kind != "int":
        raise NotNative("it uses // or % with floats")
    return a, b


def _may_be_zero(value: Scalar) -> bool:
    return value.low <= 0 <= value.high


ARITHMETIC: dict[str, Callable[[Value, Value], Scalar]] = {
    "Add": add,
    "Sub": subtract,
    "Mult": multiply,
    "Div": divide,
    "FloorDiv": floor_divide,
    "Mod": modulo,
    "Pow": power,
}


def negative(value: Value) -> Scalar:
    """`-value`."""
    if isinstance(value, Scalar) and value.kind == "float":
        return strict("float", f"(-{value.sql})", value)
    return subtract(constant(0), value)


def absolute(value: Value) -> Value:
    """abs(value) of a whole number."""
    a, _ = _numbers(value, constant(0))
    if a.kind == "float":
        return strict("float", f"abs({a.sql})", a)
    a = _present(a)
    made = conditional(strict("bool", f"({a.sql} < 0L)", a), negative(a), a)
    assert isinstance(made, Scalar)
    return replace(made, low=max(0, a.low, -a.high), high=max(abs(a.low), abs(a.high)))


def _present(value: Scalar) -> Scalar:
    """A value that is not None: Python would have raised."""
    return settled(replace(value, nullable=False, fragile=True)) if value.nullable else settled(value)


def smaller(left: Value, right: Value) -> Value:
    """min(left, right) of whole numbers."""
    return _chosen("<=", left, right)


def larger(left: Value, right: Value) -> Value:
    """max(left, right) of whole numbers."""
    return _chosen(">=", left, right)


def _chosen(sign: str, left: Value, right: Value) -> Value:
    a, b = _numbers(left, right)
    if a.kind != "int" or b.kind != "int":
        raise NotNative("it uses min() or max() of floats")
    a, b = _present(a), _present(b)
    made = conditional(strict("bool", f"({a.sql} {sign} {b.sql})", a, b), a, b)
    assert isinstance(made, Scalar)
    choose = min if sign == "<=" else max
    return replace(made, low=choose(a.low, b.low), high=choose(a.high, b.high))


def as_float(value: Scalar) -> Scalar:
    """A number as the float that Python makes of it in arithmetic: both round to the nearest."""
    if value.kind == "float":
        return value
    if value.known is not UNKNOWN:
        return constant(float(value.known))
    return replace(value, kind="float", sql=f"CAST({value.sql} AS DOUBLE)", low=0, high=0)


def exact_float(value: Scalar) -> Scalar:
    """A number as a float that is not rounded."""
    if value.kind == "float":
        return value
    made = as_float(value)
    if value.low >= -_EXACT and value.high <= _EXACT:
        return made
    test = f"{value.sql} BETWEEN (-{_EXACT}L) AND {_EXACT}L"
    return replace(made, checks=(*made.checks, f"(({value.sql}) IS NULL OR {test})" if value.nullable else f"({test})"))


def as_int(value: Scalar) -> Scalar:
    """int(value) of a number, or of a text of plain digits."""
    if value.kind == "int":
        return strict("int", value.sql, value, low=value.low, high=value.high)
    if value.kind == "float":
        made = strict("int", f"try_cast({value.sql} AS BIGINT)", value, low=LOWEST, high=HIGHEST, fragile=True)
        return replace(made, checks=(*made.checks, f"(abs({value.sql}) < {float(1 << 62)!r}D)"))
    if value.kind == "str":
        reach = 10**_MOST_DIGITS - 1
        made = strict("int", f"try_cast({value.sql} AS BIGINT)", value, low=-reach, high=reach)
        return replace(made, checks=(*made.checks, _matches(value, rf"\A-?[0-9]{{1,{_MOST_DIGITS}}}\z")))
    raise NotNative(f"it calls int() of a {value.kind}")


def float_of_text(value: Scalar) -> Scalar:
    """float(value) of a text of plain digits."""
    made = strict("float", f"try_cast({value.sql} AS DOUBLE)", value)
    return replace(made, checks=(*made.checks, _matches(value, r"\A-?[0-9]{1,15}([.][0-9]{1,15})?\z")))


def _matches(value: Scalar, regex: str) -> str:
    return f"(({value.sql}) RLIKE {constant(regex).sql})"
