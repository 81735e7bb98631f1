"""PyFlink's types as the forms that workers convert and print by."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from planner.frontends.python.values.records import record_of
from planner.frontends.python.values.rows import Row
from planner.frontends.python.values.types import (
    BasicArrayTypeInfo,
    BasicTypeInfo,
    DateTypeInfo,
    ExternalTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
)
from spark_runner.executor.formats.object_text import object_text

__all__ = ["collected", "form_of", "is_pickled", "whole"]

_BASIC: dict[str, tuple[Any, ...]] = {
    "STRING": ("str",), "CHAR": ("str",), "BYTE": ("int", 8), "SHORT": ("int", 16), "INT": ("int", 32),
    "LONG": ("int", 64), "BIG_INT": ("int", 64), "BOOLEAN": ("bool",), "FLOAT": ("float",), "DOUBLE": ("double",),
    "BIG_DEC": ("decimal",), "INSTANT": ("instant",),
}  # fmt: skip
_TIMES = {DateTypeInfo: ("date",), TimeTypeInfo: ("time",), TimestampTypeInfo: ("timestamp",)}
_AS_THEY_ARE = ("as it is",)


def form_of(kind: Any) -> tuple[Any, ...]:
    """The form of a type; what has no other form inside Flink stays as it is."""
    if isinstance(kind, PickledBytesTypeInfo):
        return ("any",)
    if isinstance(kind, BasicTypeInfo):
        return _BASIC.get(kind._basic_type.name, _AS_THEY_ARE)
    if type(kind) in _TIMES:
        return _TIMES[type(kind)]
    if isinstance(kind, TupleTypeInfo):
        return ("tuple", tuple(map(form_of, kind.get_field_types())))
    if isinstance(kind, RowTypeInfo):
        # fields that the script does not name are f0 and so on after the operator
        return ("row", Row, tuple(kind.get_field_names()), tuple(map(form_of, kind.get_field_types())))
    if isinstance(kind, ExternalTypeInfo):
        return form_of(kind._type_info)
    if isinstance(kind, MapTypeInfo):
        return ("map", form_of(kind._key_type_info), form_of(kind._value_type_info))
    if isinstance(kind, PrimitiveArrayTypeInfo) and form_of(kind._element_type) == ("int", 8):
        return ("bytes",)
    if isinstance(kind, (ListTypeInfo, PrimitiveArrayTypeInfo)):
        return ("list", form_of(kind._element_type), False)
    if isinstance(kind, (BasicArrayTypeInfo, ObjectArrayTypeInfo)):
        return ("list", form_of(kind._element_type))
    return _AS_THEY_ARE


def whole(form: tuple[Any, ...]) -> tuple[Any, ...]:
    """The form of records that an operator gives: None may be a part of a pickled one, but is none."""
    return ("record",) if form == ("any",) else form


def is_pickled(kind: Any) -> bool:
    """Whether Java sees only bytes of a record."""
    return form_of(kind) == ("any",)


def collected(kind: Any, values: Iterable[Any]) -> list[Any]:
    """The records that Flink's source gives for the values of `from_collection`; it ends at the first null."""
    if kind is None or is_pickled(kind):
        return list(values)
    return list(takewhile(lambda record: record is not None, (record_of(one, kind, object_text) for one in values)))
