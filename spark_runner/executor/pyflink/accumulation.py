"""PyFlink's sum, min, max, min_by and max_by of a field. Runs on workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["accumulation"]


def accumulation(kind: str, field: int | str, whole: bool) -> Callable[[Any, Any], Any]:
    """The function of two records: what is kept so far, and the next one."""
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
    import copy

    made = copy.copy(record)
    made[field] = value
    return made
