"""`pyflink.common.types`: rows."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

__all__ = ["Row", "RowKind"]

_OWN = ("_fields", "_from_dict", "_row_kind", "_values")


class RowKind(Enum):
    """What a row means in a changelog."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    def __str__(self) -> str:
        return ("+I", "-U", "+U", "-D")[self.value]


_INSERT = RowKind.INSERT


class Row:
    """Values by position, and by name where names are known."""

    _fields: list[str]
    _values: list[Any]
    _from_dict: bool
    _row_kind: RowKind

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError("Can not use both args and kwargs to create Row")
        own = self.__dict__  # past __setattr__: functions make a row per record
        if kwargs:
            own["_fields"] = list(kwargs)
        own["_values"] = list(kwargs.values()) if kwargs else list(args)
        own["_from_dict"] = bool(kwargs)
        own["_row_kind"] = _INSERT

    @staticmethod
    def of_kind(row_kind: RowKind, *args: Any, **kwargs: Any) -> Row:
        """A row of one kind."""
        return _made(None, Row(*args, **kwargs), row_kind)

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """The values by name."""
        if not hasattr(self, "_fields"):
            raise TypeError("Cannot convert a Row class into dict")
        return dict(zip(self._fields, map(_plain, self) if recursive else self, strict=False))

    def get_row_kind(self) -> RowKind:
        """The row's kind."""
        return self._row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        """Set the row's kind."""
        self._row_kind = row_kind

    def set_field_names(self, field_names: list[str]) -> None:
        """Name the values."""
        self._fields = field_names

    def get_fields_by_names(self, names: list[str]) -> list[Any]:
        """The values in the order of these names."""
        if not hasattr(self, "_fields") or names == self._fields:
            return self._values
        missing = [name for name in names if name not in self._fields]
        if missing:
            raise Exception(f"Field names {missing} not exist in {self._fields}.")
        return [self._values[self._fields.index(name)] for name in names]

    def __contains__(self, item: Any) -> bool:
        return item in (self._fields if getattr(self, "_fields", None) is not None else self._values)

    def __call__(self, *args: Any) -> Row:
        if len(args) > len(self):
            raise ValueError(f"Can not create Row with fields {self}, expected {len(self)} values but got {args}")
        return _made(self._values, Row(*args), self._row_kind)

    def __getitem__(self, item: Any) -> Any:
        return self._values[item if isinstance(item, (int, slice)) else self._fields.index(item)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[key if isinstance(key, (int, slice)) else self._fields.index(key)] = value

    def __getattr__(self, item: str) -> Any:
        if item.startswith("_") or item not in getattr(self, "_fields", ()):
            raise AttributeError(item)
        return self._values[self._fields.index(item)]

    def __setattr__(self, key: str, value: Any) -> None:
        if key not in _OWN:
            raise AttributeError(key)
        self.__dict__[key] = value

    def __reduce__(self) -> Any:
        return _pickled, (getattr(self, "_fields", None), tuple(self), self._row_kind)

    def __repr__(self) -> str:
        if not hasattr(self, "_fields"):
            return f"<Row({', '.join(map(repr, self))})>"
        return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self, strict=False))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self._row_kind == other._row_kind and self._named() == other._named()

    def _named(self) -> Any:
        return dict(zip(self._fields, self, strict=False)) if hasattr(self, "_fields") else self._values

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _made(names: list[str] | None, row: Row, kind: RowKind) -> Row:
    if names is not None:
        row.set_field_names(names)
    row.set_row_kind(kind)
    return row


def _pickled(names: list[str] | None, values: tuple[Any, ...], kind: RowKind) -> Row:
    return _made(names, Row(*values), kind)


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        return value.as_dict(True)
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return {key: _plain(part) for key, part in value.items()} if isinstance(value, dict) else value
