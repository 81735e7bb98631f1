"""Records as Java prints them, by the form of their type. Runs on workers."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable
from typing import Any

from spark_runner.executor.conversion import Form
from spark_runner.executor.formats.object_text import in_hash_order, real_text, room_for
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
    return real_text(value, repr(float(value)))


def _float(value: Any, form: Form) -> str:
    """The fewest digits that tell this 32-bit number from its neighbours."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _FLOAT.unpack(_FLOAT.pack(float(text)))[0] == value:
            return real_text(value, repr(float(text)))
    return real_text(value, repr(float(value)))


def _timestamp(value: Any, form: Form) -> str:
    """At least one digit after the seconds, and at most three."""
    fraction = f"{value.microsecond // 1000:03d}".rstrip("0") or "0"
    return f"{value.replace(microsecond=0, tzinfo=None).isoformat(sep=' ')}.{fraction}"


def _time(value: Any, form: Form) -> str:
    return str(value.replace(microsecond=0, tzinfo=None).isoformat())


def _instant(value: Any, form: Form) -> str:
    """UTC, with the fraction in groups of three digits."""
    whole = datetime.datetime.fromtimestamp(value.seconds, datetime.UTC).replace(tzinfo=None).isoformat()
    fraction = f"{value.nanos:09d}"
    while fraction.endswith("000"):
        fraction = fraction[:-3]
    return f"{whole}{'.' if fraction else ''}{fraction}Z"


def _bytes(value: Any, form: Form) -> str:
    """Bytes have signs in Java."""
    return f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"


def _pickled(value: Any, form: Form) -> str:
    """What Java sees of a Python object."""
    return _bytes(pickled(value), form)


def _tuple(value: Any, form: Form) -> str:
    return f"({','.join(map(java_text, value, form[1]))})"


def _row(value: Any, form: Form) -> str:
    fields = ", ".join(map(java_text, value, form[3]))
    return f"{_KINDS.get(value.get_row_kind().name, '+I')}[{fields}]"


_KINDS = {"INSERT": "+I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "+U", "DELETE": "-D"}


def _list(value: Any, form: Form) -> str:
    return f"[{', '.join(java_text(part, form[1]) for part in value)}]"


def _map(value: Any, form: Form) -> str:
    """The entries of a HashMap that was made for as many."""
    order = in_hash_order(value, room_for(value, 1 << max(0, len(value) - 1).bit_length()))
    return f"{{{', '.join(f'{java_text(key, form[1])}={java_text(value[key], form[2])}' for key in order)}}}"


_WRITERS: dict[str, Callable[[Any, Form], str]] = {
    "any": _pickled,
    "bytes": _bytes,
    "time": _time,
    "timestamp": _timestamp,
    "instant": _instant,
    "bool": _bool,
    "double": _double,
    "float": _float,
    "tuple": _tuple,
    "row": _row,
    "list": _list,
    "map": _map,
}
