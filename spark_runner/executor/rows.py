"""How records look to functions: plain values, tuples, and rows read by name and by position. Standard library only."""

from __future__ import annotations

import copy
import functools
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

Form = Literal["value", "tuple", "row", "pickled"]
PICKLED = "__pickled"
_POSITIONAL = re.compile(r"f\d+\Z")


class NamedRow(tuple[Any, ...]):
    """A record read by position, by name and by attribute."""

    _fields: tuple[str, ...] = ()
    _positions: dict[str, int] = {}  # noqa: RUF012

    def __getitem__(self, item: Any) -> Any:
        return tuple.__getitem__(self, self._positions[item] if item.__class__ is str else item)

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return dict(zip(self._fields, self, strict=True))

    def __reduce__(self) -> Any:
        return _row_of, (self._fields, tuple(self))

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self, strict=True))})"


@functools.lru_cache(maxsize=512)
def row_class(fields: tuple[str, ...]) -> type[NamedRow]:
    """The row type of these fields; attributes are read as fast as a named tuple's."""
    positions = {name: position for position, name in enumerate(fields)}
    getters = {
        name: _attribute(position)
        for name, position in positions.items()
        if name.isidentifier() and not hasattr(tuple, name) and name not in ("as_dict", "_fields", "_positions")
    }
    return type("Row", (NamedRow,), {"__slots__": (), "_fields": fields, "_positions": positions, **getters})


def _attribute(position: int) -> Any:
    try:
        from _collections import _tuplegetter  # type: ignore[import-not-found]  # what CPython's named tuples read their fields with
    except ImportError:
        return property(lambda row: tuple.__getitem__(row, position))
    return _tuplegetter(position, None)


def _row_of(fields: tuple[str, ...], values: tuple[Any, ...]) -> NamedRow:
    return tuple.__new__(row_class(fields), values)


def form_of(names: Sequence[str]) -> Form:
    """How records with these columns look to a function."""
    if tuple(names) == (PICKLED,):
        return "pickled"
    if tuple(names) == ("value",):
        return "value"
    if all(_POSITIONAL.match(name) for name in names) and tuple(names) == tuple(f"f{n}" for n in range(len(names))):
        return "tuple"
    return "row"


def fields_of(record: Any, names: Sequence[str]) -> Sequence[Any]:
    """The fields of a record that was written in a job, in the order of its columns."""
    if isinstance(record, dict):
        return [record.get(name) for name in names]
    if isinstance(record, tuple | list) or hasattr(record, "_values"):
        found = in_order(record, names)
        return record if found is None else found  # a name that is not declared is told where columns are made
    return [record]


def in_order(record: Any, names: Sequence[str]) -> Sequence[Any] | None:
    """The fields of a tuple or a row in the order of these names; None where the record names other fields."""
    values: Sequence[Any] = record if isinstance(record, tuple | list) else record._values
    fields = tuple(getattr(record, "_fields", None) or ())
    if not fields or fields == tuple(names):
        return values
    if set(fields) == set(names):
        return [values[fields.index(name)] for name in names]
    is_row = isinstance(record, NamedRow) or values is not record
    return None if is_row and form_of(names) == "row" else values


def field_getter(field: str | int) -> Callable[[Any], Any]:
    """Reads one field of a record, by position or by name; a plain value is its own field 0."""
    get = operator.itemgetter(field)
    at = field if isinstance(field, int) else int(field[1:]) if field[1:].isdecimal() else None

    def read(record: Any) -> Any:
        if record.__class__ is tuple and at is not None:  # most records are
            return record[at]
        if isinstance(record, tuple | list | dict) or (hasattr(record, "__getitem__") and not isinstance(record, str)):
            if field.__class__ is str and not isinstance(record, NamedRow | dict) and isinstance(record, tuple | list):
                return record[int(field[1:])]
            return get(record)
        return record

    return read


def replace_field(record: Any, field: str | int, value: Any) -> Any:
    """The record with one field changed, in its own form."""
    if isinstance(record, NamedRow):
        at = record._positions[field] if isinstance(field, str) else field
        return tuple.__new__(type(record), (*record[:at], value, *record[at + 1 :]))
    if isinstance(record, tuple | list):
        at = int(field[1:]) if isinstance(field, str) else field
        return type(record)([*record[:at], value, *record[at + 1 :]])
    if isinstance(record, dict):
        return {**record, field: value}
    if hasattr(record, "_values"):
        changed = copy.copy(record)
        changed._values = list(record._values)
        at = list(record._fields).index(field) if isinstance(field, str) else field
        changed._values[at] = value
        return changed
    return value


def printed(record: Any) -> str:
    """A record the way Flink prints it: `(word,1)`, `+I[word, 1]`, or the value itself."""
    if record is None:
        return "null"
    if isinstance(record, bool):
        return "true" if record else "false"
    if isinstance(record, NamedRow):
        return f"+I[{', '.join(map(printed, record))}]"
    if isinstance(record, tuple):
        return f"({','.join(map(printed, record))})"
    if isinstance(record, list):
        return f"[{', '.join(map(printed, record))}]"
    if isinstance(record, dict):
        return f"{{{', '.join(f'{printed(key)}={printed(value)}' for key, value in record.items())}}}"
    return str(record)
