"""Records between PyFlink operators: every one is written by its declared type and read again. Runs on workers.

A form is a tuple that the driver makes of a type: ("str",), ("row", Row, names, fields), ("any",) and so on. Functions
inside one merged operator hand their records to each other as they are; only what leaves it goes through here.
"""

from __future__ import annotations

import operator
import pickle
import struct
from collections.abc import Callable
from typing import Any

from spark_runner.executor.records import pickled

__all__ = ["ATOMS", "Convert", "Form", "check_of", "converter", "copied"]

Form = tuple[Any, ...]
Convert = Callable[[Any], Any]

ATOMS = frozenset({str, int, float, bool, bytes, type(None), complex})
_FLOAT = struct.Struct("f")


def converter(form: Form) -> Convert:
    """The function that makes of a record what the reader of its type gets."""
    return _MAKERS[form[0]](form)


def copied(value: Any) -> Any:
    """A record of no declared type: readers get their own, as if it had been pickled."""
    kind = value.__class__
    if kind in ATOMS or (issubclass(kind, tuple) and ATOMS.issuperset(map(type, value))):
        return value
    if kind is tuple:
        return tuple([copied(part) for part in value])
    try:
        return pickle.loads(pickled(value))
    except Exception:  # something that cannot be pickled, such as a lock, has only one owner
        return value


def check_of(form: Form, record: str) -> str | None:
    """An expression that is true of a record which has the form already, so that nothing is to be converted.

    Empty where every record is to be converted; None where none is.
    """
    kind = form[0]
    if kind in ("as it is", "decimal", "date", "time"):
        return None
    if kind == "any":
        return f"{record}.__class__ in ATOMS"
    if kind in _CLASSES:
        return f"{record}.__class__ is {_CLASSES[kind]}"
    if kind == "int":
        limit = 1 << (form[1] - 1) if len(form) > 1 else 1 << 63
        return f"({record}.__class__ is int and {-limit} <= {record} < {limit})"
    if kind == "tuple":
        return _all_parts(form[1], record, f"{record}.__class__ is tuple and len({record}) == {len(form[1])}")
    if kind == "pair":
        return _all_parts(form[1:], record, "True")
    return ""


def _all_parts(forms: tuple[Form, ...], record: str, first: str) -> str:
    checks = [check_of(one, f"{record}[{at}]") for at, one in enumerate(forms)]
    if "" in checks:
        return ""
    return f"({' and '.join([first, *(check for check in checks if check is not None)])})"


_CLASSES = {"str": "str", "bool": "bool", "double": "float"}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string, which its declared type says")
    return value


def _float32(value: Any) -> float:
    return float(_FLOAT.unpack(_FLOAT.pack(value))[0])


def _bytes(value: Any) -> bytes:
    return bytes(value)


def _whole(form: Form) -> Convert:
    """Whole numbers that fit the bits of their type."""
    limit = 1 << (form[1] - 1) if len(form) > 1 else 1 << 63

    def convert(value: Any) -> int:
        number = int(operator.index(value))
        if not -limit <= number < limit:
            raise OverflowError(f"{number} is too large for its declared type of {limit.bit_length()} bits")
        return number

    return convert


def _nullable(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _tuple(form: Form) -> Convert:
    fields = [_nullable(converter(one)) for one in form[1]]

    def convert(value: Any) -> Any:
        return tuple([change(part) for change, part in zip(fields, value, strict=True)])

    return convert


def _row(form: Form) -> Convert:
    _, row_class, names, types = form
    fields = [_nullable(converter(one)) for one in types]

    def convert(value: Any) -> Any:
        made = row_class(*[change(part) for change, part in zip(fields, _parts(value, names), strict=True)])
        if names:
            made.set_field_names(list(names))
        if hasattr(value, "get_row_kind"):
            made.set_row_kind(value.get_row_kind())
        return made

    return convert


def _parts(value: Any, names: tuple[str, ...]) -> Any:
    if not hasattr(value, "get_fields_by_names"):
        raise TypeError(f"{value!r} is no Row, which its declared type says: give Row(...)")
    return value.get_fields_by_names(list(names)) if names and getattr(value, "_fields", None) else value


def _list(form: Form) -> Convert:
    change = _nullable(converter(form[1]))
    return lambda value: [change(part) for part in value]


def _map(form: Form) -> Convert:
    keys, values = converter(form[1]), _nullable(converter(form[2]))
    return lambda value: {keys(key): values(part) for key, part in value.items()}


def _pair(form: Form) -> Convert:
    key, value = converter(form[1]), converter(form[2])
    return lambda pair: (key(pair[0]), value(pair[1]))


def _always(convert: Convert) -> Callable[[Form], Convert]:
    return lambda form: convert


_MAKERS: dict[str, Callable[[Form], Convert]] = {
    "any": _always(copied),
    **{name: _always(lambda value: value) for name in ("as it is", "decimal", "date", "time")},
    "timestamp": _always(lambda value: value.replace(microsecond=value.microsecond // 1000 * 1000)),
    "pickled": _always(lambda value: bytearray(pickled(value))),
    "str": _always(_text),
    "int": _whole,
    "bool": _always(bool),
    "double": _always(float),
    "float": _always(_float32),
    "bytes": _always(_bytes),
    "tuple": _tuple,
    "row": _row,
    "list": _list,
    "map": _map,
    "pair": _pair,
}
