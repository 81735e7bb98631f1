"""sum, min, max, min_by and max_by of a field, as a function of two records. Runs on workers.

In our API, as in Java and in Spark SQL, None counts for nothing and NaN is the greatest number. PyFlink compares as
Python does.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

from spark_runner.executor.rows import field_getter, replace_field

__all__ = ["accumulation", "aggregation"]

Reduce = Callable[[Any, Any], Any]


def aggregation(kind: str, field: str | int) -> Reduce:
    """Flink's sum, min and max: one field is aggregated, the others stay as in the key's first record."""
    read, combine = field_getter(field), _COMBINED[kind]
    at = field if isinstance(field, int) else int(field[1:]) if field[1:].isdecimal() else None

    def reduce(first: Any, second: Any) -> Any:
        if at is not None and first.__class__ is tuple and second.__class__ is tuple:  # most records are
            a, b = first[at], second[at]
            return (*first[:at], b if a is None else a if b is None else combine(a, b), *first[at + 1 :])
        a, b = read(first), read(second)
        return replace_field(first, field, b if a is None else a if b is None else combine(a, b))

    return reduce


def _least(kept: Any, value: Any) -> Any:
    return value if value < kept or kept != kept else kept


def _greatest(kept: Any, value: Any) -> Any:
    return value if value > kept or value != value else kept


_COMBINED: dict[str, Reduce] = {"sum": operator.add, "min": _least, "max": _greatest}


# --- PyFlink's own ----------------------------------------------------------------------------------------------------


def accumulation(kind: str, field: int | str, whole: bool) -> Reduce:
    """PyFlink's: what is kept so far, and the next record. `whole` keeps the record that has the field."""
    if whole:
        return lambda kept, value: value if _prefers(kind, _read(value, field), _read(kept, field)) else kept
    return lambda kept, value: _with_field(kept, field, _chosen(kind, _read(kept, field), _read(value, field)))


def _has_fields(value: Any) -> bool:
    return isinstance(value, tuple | list) or hasattr(value, "set_field_names")


def _read(value: Any, field: int | str) -> Any:
    if _has_fields(value):
        return value[field]
    if field != 0:
        raise TypeError(
            f"The {field} field selected on a basic type. A field expression on a basic type can only select the 0th "
            "field (which means selecting the entire basic type)."
        )
    return value


def _chosen(kind: str, kept: Any, value: Any) -> Any:
    if kind == "sum":
        return kept + value
    return value if _prefers(kind, value, kept) else kept


def _prefers(kind: str, value: Any, kept: Any) -> bool:
    return bool(value < kept if kind == "min" else value > kept)


def _with_field(record: Any, field: int | str, value: Any) -> Any:
    """A new record: the old one may still be on its way to a reader."""
    if isinstance(record, tuple):
        parts = list(record)
        parts[field] = value  # type: ignore[index]
        return tuple(parts)
    if not _has_fields(record):
        return value
    made = copy.copy(record)
    made[field] = value
    return made
