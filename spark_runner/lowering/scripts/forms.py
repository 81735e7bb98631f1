"""PyFlink's types as the forms that workers convert and print by."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from planner.frontends.python.values.records import record_of
from planner.frontends.python.values.rows import Row
from spark_runner.executor.formats.object_text import object_text

__all__ = ["collected", "form_of", "is_pickled"]

_BASIC: dict[str, tuple[Any, ...]] = {
    "STRING": ("str",), "CHAR": ("str",), "BYTE": ("int", 8), "SHORT": ("int", 16), "INT": ("int", 32),
    "LONG": ("int", 64), "BIG_INT": ("int", 64), "BOOLEAN": ("bool",), "FLOAT": ("float",), "DOUBLE": ("double",),
    "BIG_DEC": ("decimal",), "INSTANT": ("instant",),
}  # fmt: skip
_TIMES = {"DateTypeInfo": ("date",), "TimeTypeInfo": ("time",), "TimestampTypeInfo": ("timestamp",)}
_AS_THEY_ARE = ("as it is",)


def form_of(kind: Any) -> tuple[Any, ...]:
    """The form of a type; what has no other form inside Flink stays as it is."""
    name = type(kind).__name__
    if name == "PickledBytesTypeInfo":
        return ("any",)
    if name in ("BasicTypeInfo", "InstantTypeInfo"):
        return _BASIC.get(kind._basic_type.name, _AS_THEY_ARE)
    if name in _TIMES:
        return _TIMES[name]
    if name == "TupleTypeInfo":
        return ("tuple", tuple(map(form_of, kind.get_field_types())))
    if name == "RowTypeInfo":
        # fields that the script does not name are f0 and so on after the operator
        return ("row", Row, tuple(kind.get_field_names()), tuple(map(form_of, kind.get_field_types())))
    if name == "ExternalTypeInfo":
        return form_of(kind._type_info)
    if name == "MapTypeInfo":
        return ("map", form_of(kind._key_type_info), form_of(kind._value_type_info))
    if name == "PrimitiveArrayTypeInfo" and form_of(kind._element_type) == ("int", 8):
        return ("bytes",)
    if name in ("ListTypeInfo", "BasicArrayTypeInfo", "ObjectArrayTypeInfo", "PrimitiveArrayTypeInfo"):
        return ("list", form_of(kind._element_type))
    return _AS_THEY_ARE


def is_pickled(kind: Any) -> bool:
    """Whether Java sees only bytes of a record."""
    return form_of(kind) == ("any",)


def collected(kind: Any, values: Iterable[Any]) -> list[Any]:
    """The records that Flink's source gives for the values of `from_collection`; it ends at the first null."""
    if kind is None or is_pickled(kind):
        return list(values)
    return list(takewhile(lambda record: record is not None, (record_of(one, kind, object_text) for one in values)))
