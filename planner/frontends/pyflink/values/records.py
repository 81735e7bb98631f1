"""Whether the records of `from_collection` fit their type: Java refuses those that do not when the source is made."""

from __future__ import annotations

from typing import Any, Final

from planner.frontends.pyflink.values.types import (
    BasicType,
    BasicTypeInfo,
    ListTypeInfo,
    PickledBytesTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)

__all__ = ["check_record"]

_WHOLE: Final = frozenset({BasicType.BYTE, BasicType.SHORT, BasicType.INT, BasicType.LONG})
_LONG_END: Final = 2**63


def check_record(record: Any, kind: TypeInformation) -> None:
    """Refuse a record that PyFlink cannot hand to Java as this type."""
    internal = kind.to_internal_type(record)  # has checks of its own
    if record is None or isinstance(record, (bytes, bytearray)):
        raise ValueError(f"from_collection() with a type_info takes no {record!r}: Java cannot read it")
    if isinstance(kind, (ListTypeInfo, PickledBytesTypeInfo)):
        raise ValueError(f"from_collection() cannot give records of {kind}: Java cannot serialize them")
    if isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
        given = len(internal) - (1 if isinstance(kind, RowTypeInfo) else 0)
        wanted = len(kind.get_field_types())
        found = len(record) if isinstance(record, (list, tuple)) else given
        if found != wanted:
            raise ValueError(f"{record!r} has {found} values, and {kind} has {wanted} fields")
    _check_basic(record, kind)


def _check_basic(value: Any, kind: TypeInformation) -> None:
    if isinstance(kind, TupleTypeInfo):
        for part, field in zip(value, kind.get_field_types(), strict=True):
            if part is not None:
                _check_basic(part, field)
    elif isinstance(kind, BasicTypeInfo) and not _fits(value, kind._basic_type):
        raise ValueError(f"{value!r} is no {kind}: Java does not convert a {type(value).__name__} to it")


def _fits(value: Any, basic: BasicType) -> bool:
    if basic in _WHOLE:
        return isinstance(value, int) and not isinstance(value, bool)
    if basic in (BasicType.FLOAT, BasicType.DOUBLE):
        return isinstance(value, float)
    if basic is BasicType.BOOLEAN:
        return isinstance(value, bool)
    if basic is BasicType.BIG_INT:
        return isinstance(value, int) and not -_LONG_END <= value < _LONG_END
    return basic is not BasicType.CHAR
