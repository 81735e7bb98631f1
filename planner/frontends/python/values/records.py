"""The records of `from_collection` as Flink's source gives them.

PyFlink makes of every value what its type asks for (`to_internal_type`), pickles that, and Java reads it again: by
then a tuple is an array, a list a list, and an object of a script's class a map of its attributes. A converter for
each type takes what fits. Anything else is null to it, and only rows, arrays of objects and a few types can hold
nulls: all the others are refused when the source is made. Measured with PyFlink 2.3, cell by cell.
"""

from __future__ import annotations

import copyreg
import datetime
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, NoReturn

from planner.frontends.python.values.rows import Row, RowKind
from planner.frontends.python.values.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    InstantTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)

__all__ = ["class_dict", "record_of"]

Text = Callable[[Any], str]

_BITS: Final = {BasicType.BYTE: 8, BasicType.SHORT: 16, BasicType.INT: 32, BasicType.LONG: 64}
_PLAIN: Final = frozenset(
    {type(None), bool, int, float, complex, str, bytes, bytearray, Decimal, datetime.date, datetime.time,
     datetime.datetime, datetime.timedelta, datetime.timezone}
)  # fmt: skip
_HOLD_NULL: Final = (DateTypeInfo, TimeTypeInfo, TimestampTypeInfo)
_FLOAT: Final = struct.Struct("f")


def record_of(value: Any, kind: TypeInformation, text: Text = str) -> Any:
    """The record that a source of this type gives for a value; None where Flink's source ends instead.

    `text` is how Java writes a value that is declared a string and is none: a plan does not need to know.
    Raises what PyFlink raises, or ValueError where Java refuses the value.
    """
    internal = kind.to_internal_type(value)
    if internal is None or isinstance(internal, bytes | bytearray):
        raise ValueError(f"from_collection() with a type_info takes no {value!r}: Java cannot read it")
    _check_readable(internal)
    if isinstance(internal, list):  # of a list, Java makes an array first
        internal = tuple(internal)
    made = _converted(internal, kind, text)
    return _stored(made, kind, value)


def class_dict(value: Any) -> dict[str, Any] | None:
    """What Java sees of an object of a script's class: its attributes; None where it cannot read it."""
    try:
        reduced = value.__reduce_ex__(2)
    except Exception:  # an object that cannot be pickled
        return None
    if not isinstance(reduced, tuple) or reduced[0] is not copyreg.__newobj__ or len(reduced[1]) != 1:  # type: ignore[attr-defined]
        return None
    state, *items = (*reduced[2:], None)
    if any(one is not None for one in items) or not isinstance(state, dict | None):  # a list, a class with slots
        return None
    return {**(state or {}), "__class__": f"{type(value).__module__}.{type(value).__qualname__}"}


def _check_readable(value: Any) -> None:
    """Refuse what Java cannot unpickle, wherever it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind in (tuple, list, set, frozenset):
            waiting.extend(one)
        elif kind is dict:
            waiting.extend(one)
            waiting.extend(one.values())
        elif kind not in _PLAIN:
            found = class_dict(one)
            if found is None:
                raise ValueError(
                    f"from_collection() with a type_info takes no {one!r}: Java cannot read a {kind.__name__} there"
                )
            waiting.extend(found.values())


def _stored(made: Any, kind: TypeInformation, value: Any) -> Any:
    """A value that its serializer takes: few of them take a null."""
    if made is None and not isinstance(kind, _HOLD_NULL) and not _basic(kind, "STRING", "BIG_DEC", "BIG_INT"):
        _refuse(value, kind)
    return made


def _basic(kind: TypeInformation, *names: str) -> bool:
    return isinstance(kind, BasicTypeInfo) and kind._basic_type.name in names


def _refuse(value: Any, kind: TypeInformation) -> NoReturn:
    raise ValueError(f"{value!r} is no {kind}: Java does not convert a {type(value).__name__} to it")


def _converted(value: Any, kind: TypeInformation, text: Text) -> Any:
    """What Java's converter of a type makes of a value. None: null."""
    if value is None:
        return None
    for classes, convert in _CONVERTERS:
        if isinstance(kind, classes):
            return convert(value, kind, text)
    return value


def _fields(value: tuple[Any, ...], kind: Any, given: Any) -> None:
    wanted = len(kind.get_field_types())
    if len(value) != wanted:
        raise ValueError(f"{given!r} has {len(value)} values, and {kind} has {wanted} fields")


def _row(value: Any, kind: Any, text: Text) -> Any:
    """Rows come with their kind in front."""
    if not isinstance(value, tuple):
        return None
    _fields(value[1:], kind, value[1:])
    made = Row(*[_converted(part, field, text) for part, field in zip(value[1:], kind.get_field_types(), strict=True)])
    made.set_row_kind(RowKind(value[0]))
    return made


def _tuple(value: Any, kind: Any, text: Text) -> Any:
    if not isinstance(value, tuple):
        return None
    _fields(value, kind, value)
    return tuple(
        _stored(_converted(part, field, text), field, part)
        for part, field in zip(value, kind.get_field_types(), strict=True)
    )


def _basic_value(value: Any, kind: Any, text: Text) -> Any:
    basic = kind._basic_type
    if basic in _BITS:
        return _wrapped(value, _BITS[basic]) if type(value) is int and _is_long(value) else None
    if basic is BasicType.STRING:
        return value if isinstance(value, str) else text(value)
    if basic is BasicType.BOOLEAN:
        return value if isinstance(value, bool) else None
    if basic is BasicType.DOUBLE:
        return value if isinstance(value, float) else None
    if basic is BasicType.FLOAT:
        return _float32(value) if isinstance(value, float) else None
    if basic is BasicType.BIG_DEC:
        return value if isinstance(value, Decimal) else None
    if basic is BasicType.BIG_INT and type(value) is int and not _is_long(value):
        return value
    _refuse(value, kind)  # of the others Java makes nothing, and their serializers take none of Python's values


def _is_long(value: int) -> bool:
    return -(2**63) <= value < 2**63


def _wrapped(value: int, bits: int) -> int:
    """A number in so many bits: the ones above them are lost."""
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def _float32(value: float) -> float:
    try:
        return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _time(value: Any, kind: Any, text: Text) -> Any:
    """Java's times have milliseconds."""
    if type(value) is not int:
        return None
    whole = value if isinstance(kind, DateTypeInfo) else value // 1000 * 1000
    return kind.from_internal_type(whole)


def _map(value: Any, kind: Any, text: Text) -> Any:
    found = value if isinstance(value, dict) else class_dict(value) if type(value) not in _PLAIN else None
    if not isinstance(found, dict):
        return None
    made = {
        _converted(key, kind._key_type_info, text): _converted(part, kind._value_type_info, text)
        for key, part in found.items()
    }
    if None in made or None in made.values():
        _refuse(value, kind)
    return made


def _array(value: Any, kind: Any, text: Text) -> Any:
    element = kind._element_type
    if not isinstance(kind, ObjectArrayTypeInfo) and type(element) is not BasicTypeInfo:
        raise TypeError("Invalid element type for a primitive array.")
    if isinstance(kind, PrimitiveArrayTypeInfo) and _basic(element, "BYTE"):
        return (
            value.encode() if isinstance(value, str) else bytes(value) if isinstance(value, bytes | bytearray) else None
        )
    if isinstance(value, bytes | bytearray):
        value = [_wrapped(byte, 8) for byte in value]
    if not isinstance(value, tuple | list):
        return None
    made = [_converted(part, element, text) for part in value]
    if isinstance(kind, PrimitiveArrayTypeInfo) and None in made:
        _refuse(value, kind)
    return made


def _list(value: Any, kind: Any, text: Text) -> Any:
    """Nothing is converted in a list: every element must be of Java's very class."""
    if not isinstance(value, list):
        _refuse(value, kind)
    element = kind._element_type
    for part in value:
        if part is None:
            _stored(None, element, part)
        elif not _is_of_class(part, element):
            _refuse(part, element)
    return value


def _is_of_class(value: Any, kind: TypeInformation) -> bool:
    """Whether what Java unpickles is of the class that a serializer expects: a small number is an Integer."""
    if isinstance(kind, BasicTypeInfo):
        wanted = _CLASSES.get(kind._basic_type)
        small = type(value) is int and -(2**31) <= value < 2**31
        if kind._basic_type in (BasicType.INT, BasicType.LONG):
            return type(value) is int and small == (kind._basic_type is BasicType.INT) and _is_long(value)
        return wanted is not None and type(value) is wanted
    if isinstance(kind, ListTypeInfo):
        return isinstance(value, list) and all(_is_of_class(part, kind._element_type) for part in value)
    return isinstance(kind, MapTypeInfo) and isinstance(value, dict)


def _pickled(value: Any, kind: Any, text: Text) -> Any:
    if not isinstance(value, bytes):
        _refuse(value, kind)
    import pickle

    return pickle.loads(value)


_CLASSES: Final = {
    BasicType.STRING: str, BasicType.BOOLEAN: bool, BasicType.DOUBLE: float, BasicType.BIG_DEC: Decimal,
}  # fmt: skip
_CONVERTERS: Final[tuple[tuple[Any, Callable[[Any, Any, Text], Any]], ...]] = (
    ((InstantTypeInfo, DateTypeInfo, TimeTypeInfo, TimestampTypeInfo), _time),
    (BasicTypeInfo, _basic_value),
    (RowTypeInfo, _row),
    (TupleTypeInfo, _tuple),
    (MapTypeInfo, _map),
    ((PrimitiveArrayTypeInfo, BasicArrayTypeInfo, ObjectArrayTypeInfo), _array),
    (ListTypeInfo, _list),
    (PickledBytesTypeInfo, _pickled),
)
