"""Records as Java prints them, by the form of their type. Runs on workers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from spark_runner.executor.conversion import Form
from spark_runner.executor.records import pickled

__all__ = ["java_text"]

_FLOAT = struct.Struct("f")


def java_text(value: Any, form: Form) -> str:
    """What Java's `toString` gives for a record."""
    if value is None:
        return "null"
    return _WRITERS.get(form[0], _any)(value, form)


def _any(value: Any, form: Form) -> str:
    return str(value)


def _bool(value: Any, form: Form) -> str:
    return "true" if value else "false"


def _double(value: Any, form: Form) -> str:
    return _real(value, repr(float(value)))


def _float(value: Any, form: Form) -> str:
    """The fewest digits that tell this 32-bit number from its neighbours."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _FLOAT.unpack(_FLOAT.pack(float(text)))[0] == value:
            return _real(value, repr(float(text)))
    return _real(value, repr(float(value)))


def _real(value: float, text: str) -> str:
    """Java writes numbers from a thousandth to ten millions plainly, others with an exponent."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(text, "NaN")
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, part = mantissa.partition(".")
    digits, point = whole + part, len(whole) + int(exponent or 0)
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.lstrip("0").rstrip("0")
    if not digits:
        return f"{sign}0.0"
    if 1e-3 <= abs(value) < 1e7:
        shown = f"{'0' * (1 - point)}{digits}" if point <= 0 else digits.ljust(point, "0")
        place = max(point, 1)
        return f"{sign}{shown[:place]}.{shown[place:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def _timestamp(value: Any, form: Form) -> str:
    """At least one digit behind the seconds, and at most three."""
    fraction = f"{value.microsecond // 1000:03d}".rstrip("0") or "0"
    return f"{value.replace(microsecond=0, tzinfo=None).isoformat(sep=' ')}.{fraction}"


def _pickled(value: Any, form: Form) -> str:
    """What Java sees of a Python object: bytes, which have signs there."""
    return f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in pickled(value))}]"


def _tuple(value: Any, form: Form) -> str:
    return f"({','.join(map(java_text, value, form[1]))})"


def _row(value: Any, form: Form) -> str:
    fields = ", ".join(map(java_text, value, form[3]))
    return f"{_KINDS.get(value.get_row_kind().name, '+I')}[{fields}]"


_KINDS = {"INSERT": "+I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "+U", "DELETE": "-D"}


def _list(value: Any, form: Form) -> str:
    return f"[{', '.join(java_text(part, form[1]) for part in value)}]"


def _map(value: Any, form: Form) -> str:
    pairs = (f"{java_text(key, form[1])}={java_text(part, form[2])}" for key, part in value.items())
    return f"{{{', '.join(pairs)}}}"


_WRITERS: dict[str, Callable[[Any, Form], str]] = {
    "any": _pickled,
    "timestamp": _timestamp,
    "bool": _bool,
    "double": _double,
    "float": _float,
    "tuple": _tuple,
    "row": _row,
    "list": _list,
    "map": _map,
}
