"""Converts values inside records to what Arrow wants: rows, tuples and mappings. Values of a wrong type are refused.

Runs on executors: standard library and pyarrow only.
"""

from __future__ import annotations

import decimal
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from spark_runner.executor.rows import in_order

__all__ = ["Unfit", "outgoing", "positional", "refused_types"]

Convert = Callable[[Any], Any]
_LARGEST = (2 - 2**-24) * 2.0**127  # what is larger is no float of 32 bits


class Unfit(Exception):
    """A value that is not of its declared type."""


_STRICT: tuple[tuple[Callable[[pa.DataType], bool], tuple[type, ...]], ...] = (
    # pyarrow would cut 1.5 to 1, read bytes as text and a number as a point in time
    (pa.types.is_integer, (float, decimal.Decimal)),
    (pa.types.is_string, (bytes, bytearray)),
    (pa.types.is_binary, (str,)),
    (pa.types.is_timestamp, (int, float)),
    (pa.types.is_date, (int, float)),
)


@functools.lru_cache(maxsize=256)
def refused_types(kind: pa.DataType) -> tuple[type, ...]:
    """The Python types that pyarrow would bend into this one."""
    return next((types for test, types in _STRICT if test(kind)), ())


@functools.lru_cache(maxsize=256)
def outgoing(kind: pa.DataType) -> Convert | None:
    """What makes a value of this type ready for pyarrow; None where pyarrow takes it as it is."""
    if pa.types.is_struct(kind):
        return _struct(kind)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _list(kind.value_type)
    if pa.types.is_map(kind):
        return _map(kind)
    return _float32 if pa.types.is_float32(kind) else None


def _float32(value: Any) -> Any:
    """A number of 32 bits, of which pyarrow would make one without end where it is too large."""
    if value.__class__ in (int, float) and _LARGEST < abs(value) != math.inf:
        raise Unfit(f"{value} is too large for 32 bits")
    return float(value) if value.__class__ is int else value


def _item(kind: pa.DataType) -> Convert:
    """One value inside another, None included."""
    convert, refused, real = outgoing(kind), refused_types(kind), pa.types.is_float64(kind)

    def ready(value: Any) -> Any:
        if value is None:
            return None
        if refused and isinstance(value, refused) and value.__class__ is not bool:
            raise Unfit(f"{_a(value)} is not a {kind}")
        if real and value.__class__ is int:
            value = float(value)  # one of more than 64 bits too
        return value if convert is None else convert(value)

    return ready


def _struct(kind: pa.DataType) -> Convert:
    names = [kind.field(n).name for n in range(kind.num_fields)]
    items = [_item(kind.field(n).type) for n in range(kind.num_fields)]

    def ready(value: Any) -> dict[str, Any]:
        parts = positional(value, names, "row")
        if len(parts) != len(names):
            raise Unfit(f"a nested row has {len(parts)} fields where {len(names)} are declared")
        return {name: item(part) for name, item, part in zip(names, items, parts, strict=True)}

    return ready


def positional(record: Any, names: Sequence[str], what: str = "record") -> Sequence[Any]:
    """The fields of a record in the declared order, whatever its form. Rows with names are read by name."""
    if isinstance(record, Mapping):
        if set(record) != set(names):
            raise Unfit(f"its keys are {sorted(map(str, record))} where {sorted(names)} are declared")
        return [record[name] for name in names]
    if not isinstance(record, tuple | list) and getattr(record, "_values", None) is None:
        raise Unfit(f"{_a(record)} is not a {what} of {len(names)} fields")
    found = in_order(record, names)
    if found is None:
        raise Unfit(f"its fields are {sorted(record._fields)} where {sorted(names)} are declared")
    return found


def _list(kind: pa.DataType) -> Convert:
    item = _item(kind)

    def ready(value: Any) -> list[Any]:
        if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
            raise Unfit(f"{_a(value)} is not a list of {kind}")
        return [item(one) for one in value]

    return ready


def _map(kind: pa.DataType) -> Convert:
    key, item = _item(kind.key_type), _item(kind.item_type)

    def ready(value: Any) -> list[tuple[Any, Any]]:
        if not isinstance(value, Mapping):
            raise Unfit(f"{_a(value)} is not a mapping")
        return [(key(k), item(v)) for k, v in value.items()]

    return ready


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"
