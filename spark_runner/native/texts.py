"""Text as Python handles it: by code points, and for what depends on Unicode's tables only where it is plain ASCII."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from spark_runner.native.values import (
    UNKNOWN,
    NotNative,
    Scalar,
    Texts,
    Value,
    conditional,
    constant,
    missing,
    settled,
    strict,
)

__all__ = ["METHODS", "as_text", "character", "concatenated", "element", "length", "part", "size"]

_SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"  # what Python takes for white space in ASCII
_LONGEST = (1 << 31) - 1  # characters of a text
_SPECIAL = set(".$|()[{^?*+\\")


def text(value: Value) -> Scalar:
    """A value that must be a text."""
    if not isinstance(value, Scalar) or value.kind != "str":
        raise NotNative(f"it uses a {value.kind if isinstance(value, Scalar) else 'list or tuple'} as a text")
    return value


def _fixed(value: Value, what: str) -> str:
    found = text(value).known
    if found is UNKNOWN or not found:
        raise NotNative(f"{what} is not a constant text")
    return str(found)


def _ascii(value: Scalar) -> Scalar:
    """A text whose characters are all ASCII; others are left to Python, whose tables of Unicode are its own."""
    if value.known is not UNKNOWN and str(value.known).isascii():
        return value
    return replace(value, checks=(*value.checks, f"(octet_length({value.sql}) = char_length({value.sql}))"))


def concatenated(*texts: Scalar) -> Scalar:
    """Texts one behind the other."""
    return strict("str", f"concat({', '.join(one.sql for one in texts)})", *texts)


def as_text(value: Value) -> Scalar:
    """str(value)."""
    if not isinstance(value, Scalar) or value.kind not in ("str", "int", "bool", "none"):
        raise NotNative(f"it makes text of a {value.kind if isinstance(value, Scalar) else 'list or tuple'}")
    if value.kind == "none":
        return constant("None")
    sql = {
        "str": value.sql,
        "int": f"CAST({value.sql} AS STRING)",
        "bool": f"CASE WHEN {value.sql} THEN 'True' ELSE 'False' END",
    }[value.kind]
    value = settled(value)
    if value.nullable:
        sql = f"CASE WHEN {value.sql} IS NULL THEN 'None' ELSE {sql} END"
    return Scalar(kind="str", sql=sql, checks=value.checks)


def length(value: Value) -> Scalar:
    """len(value)."""
    if isinstance(value, Texts):
        return size(value)
    one = text(value)
    return strict("int", f"CAST(char_length({one.sql}) AS BIGINT)", one, low=0, high=_LONGEST)


def size(value: Texts) -> Scalar:
    """len(value) of a list of texts."""
    return strict("int", f"CAST(size({value.sql}) AS BIGINT)", value, low=0, high=_LONGEST)


def element(value: Texts, at: int) -> Scalar:
    """value[at] of a list of texts: NULL where there is none, which Python answers with an IndexError."""
    sql = f"get({value.sql}, {at})" if at >= 0 else f"try_element_at({value.sql}, {at})"
    return strict("str", sql, value, fragile=True)


def character(value: Scalar, at: int) -> Scalar:
    """value[at] of a text."""
    start = at + 1 if at >= 0 else at
    inside = "" if at >= 0 else f" AND char_length({value.sql}) >= {-at}"
    sql = f"CASE WHEN char_length({value.sql}) > {max(at, 0)}{inside} THEN substring({value.sql}, {start}, 1) END"
    return strict("str", sql, value, fragile=True)


def part(value: Scalar, start: int | None, stop: int | None) -> Scalar:
    """value[start:stop] of a text; both ends may count from the end."""
    count = f"char_length({value.sql})"

    def place(at: int) -> str:
        return f"least({at}, {count})" if at >= 0 else f"greatest({count} - {-at}, 0)"

    first = place(start or 0)
    last = count if stop is None else place(stop)
    return strict("str", f"substring({value.sql}, {first} + 1, greatest({last} - {first}, 0))", value)


def _separator(value: str) -> str:
    """A regular expression that is this text; Java knows one character without a regular expression."""
    if len(value) == 1:
        return constant(f"\\{value}" if value in _SPECIAL else value).sql
    if "\\E" in value:
        raise NotNative("it splits at a text with \\E in it")
    return constant(f"\\Q{value}\\E").sql


def _split(value: Scalar, arguments: Sequence[Value]) -> Value:
    if not arguments:
        plain = _ascii(value)
        spaces = constant(f"[{_SPACES}]+").sql
        return Texts(
            sql=f"array_remove(split({value.sql}, {spaces}), '')",
            fragile=value.fragile or value.nullable,
            checks=plain.checks,
            sources=missing(value),
        )
    (separator,) = _exactly(1, arguments, "split")
    regex = _separator(_fixed(separator, "what it splits at"))
    return Texts(
        sql=f"split({value.sql}, {regex})",
        fragile=value.fragile or value.nullable,
        checks=value.checks,
        sources=missing(value),
    )


def _exactly(count: int, arguments: Sequence[Value], name: str) -> Sequence[Value]:
    if len(arguments) != count:
        raise NotNative(f"it calls {name}() with {len(arguments)} arguments")
    return arguments


def _cased(name: str) -> Method:
    def method(value: Scalar, arguments: Sequence[Value]) -> Value:
        _exactly(0, arguments, name)
        plain = _ascii(value)
        return strict("str", f"{name}({value.sql})", plain)

    return method


def _stripped(name: str, side: str) -> Method:
    def method(value: Scalar, arguments: Sequence[Value]) -> Value:
        if not arguments:
            plain = _ascii(value)
            return strict("str", f"trim({side} {constant(_SPACES).sql} FROM {value.sql})", plain)
        (characters,) = _exactly(1, arguments, name)
        chosen = constant(_fixed(characters, f"what {name}() takes away"))
        return strict("str", f"trim({side} {chosen.sql} FROM {value.sql})", value)

    return method


def _tested(function: str) -> Method:
    def method(value: Scalar, arguments: Sequence[Value]) -> Value:
        (other,) = _exactly(1, arguments, function)
        found = text(other)
        return strict("bool", f"{function}({value.sql}, {found.sql})", value, found)

    return method


def _all_of(characters: str, name: str) -> Method:
    def method(value: Scalar, arguments: Sequence[Value]) -> Value:
        _exactly(0, arguments, name)
        plain = _ascii(value)
        pattern = constant(rf"\A[{characters}]+\z").sql
        return strict("bool", f"({value.sql} RLIKE {pattern})", plain)

    return method


def _replaced(value: Scalar, arguments: Sequence[Value]) -> Value:
    old, new = _exactly(2, arguments, "replace")
    wanted, other = constant(_fixed(old, "what it replaces")), text(new)
    return strict("str", f"replace({value.sql}, {wanted.sql}, {other.sql})", value, other)


def _found(value: Scalar, arguments: Sequence[Value]) -> Value:
    (other,) = _exactly(1, arguments, "find")
    wanted = constant(_fixed(other, "what it looks for"))
    return strict("int", f"(CAST(instr({value.sql}, {wanted.sql}) AS BIGINT) - 1L)", value, low=-1, high=_LONGEST)


def _without(affix: str) -> Method:
    def method(value: Scalar, arguments: Sequence[Value]) -> Value:
        (other,) = _exactly(1, arguments, affix)
        known = _fixed(other, f"what {affix}() takes away")
        first = affix == "removeprefix"
        test = _tested("startswith" if first else "endswith")(value, [other])
        assert isinstance(test, Scalar)
        rest = part(value, len(known), None) if first else part(value, None, -len(known))
        return conditional(test, rest, strict("str", value.sql, value))

    return method


Method = Callable[[Scalar, Sequence[Value]], Value]

METHODS: dict[str, Method] = {
    "endswith": _tested("endswith"),
    "find": _found,
    "isalnum": _all_of("A-Za-z0-9", "isalnum"),
    "isalpha": _all_of("A-Za-z", "isalpha"),
    "isdecimal": _all_of("0-9", "isdecimal"),
    "isdigit": _all_of("0-9", "isdigit"),
    "isnumeric": _all_of("0-9", "isnumeric"),
    "lower": _cased("lower"),
    "lstrip": _stripped("lstrip", "LEADING"),
    "removeprefix": _without("removeprefix"),
    "removesuffix": _without("removesuffix"),
    "replace": _replaced,
    "rstrip": _stripped("rstrip", "TRAILING"),
    "split": _split,
    "startswith": _tested("startswith"),
    "strip": _stripped("strip", "BOTH"),
    "upper": _cased("upper"),
}
