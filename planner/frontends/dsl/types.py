"""Types of records, by PyFlink's names, each convertible to Spark DDL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planner.errors import JobDefinitionError
from planner.frontends.scripts.places import user_location
from planner.records import record

__all__ = ["Row", "TypeInformation", "Types"]


@record(kw_only=False)
class TypeInformation:
    """The type of a record: a Spark SQL type, and its columns where it is a tuple or row. None is pickled Python."""

    sql: str | None
    columns: tuple[tuple[str, TypeInformation], ...] | None = None

    def to_ddl(self) -> str | None:
        """The record's columns as Spark DDL; None where records are pickled."""
        if self.columns is None:
            return None if self.sql is None else f"value {self.sql}"
        return ", ".join(f"{_quoted(name)} {column.nested()}" for name, column in self.columns)

    def nested(self) -> str:
        """The type as a part of another."""
        if self.columns is None:
            return self.sql or "binary"
        return f"struct<{', '.join(f'{_quoted(name)}: {column.nested()}' for name, column in self.columns)}>"

    def get_field_names(self) -> list[str]:
        """The column names of a tuple or row."""
        return [name for name, _ in self.columns or ()]


def _quoted(name: str) -> str:
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


def _checked(item: Any) -> TypeInformation:
    if not isinstance(item, TypeInformation):
        raise JobDefinitionError(
            f"a type must be one of Types, found {item!r}",
            location=user_location(),
            hint="write for example Types.STRING()",
        )
    return item


def _fields(names: Sequence[str], types: Sequence[TypeInformation]) -> TypeInformation:
    if not types or len(names) != len(types) or len(set(names)) != len(names):
        raise JobDefinitionError(
            f"a row needs a distinct name for each of its types, found {len(names)} names and {len(types)} types",
            location=user_location(),
        )
    return TypeInformation(None, tuple((str(name), _checked(item)) for name, item in zip(names, types, strict=True)))


class Types:
    """The types a record or field may have."""

    STRING = staticmethod(lambda: TypeInformation("string"))
    CHAR = staticmethod(lambda: TypeInformation("string"))
    BYTE = staticmethod(lambda: TypeInformation("tinyint"))
    SHORT = staticmethod(lambda: TypeInformation("smallint"))
    INT = staticmethod(lambda: TypeInformation("int"))
    LONG = staticmethod(lambda: TypeInformation("bigint"))
    FLOAT = staticmethod(lambda: TypeInformation("float"))
    DOUBLE = staticmethod(lambda: TypeInformation("double"))
    BOOLEAN = staticmethod(lambda: TypeInformation("boolean"))
    BIG_INT = staticmethod(lambda: TypeInformation("decimal(38,0)"))
    BIG_DEC = staticmethod(lambda: TypeInformation("decimal(38,18)"))
    SQL_DATE = staticmethod(lambda: TypeInformation("date"))
    SQL_TIME = staticmethod(lambda: TypeInformation("string"))
    SQL_TIMESTAMP = staticmethod(lambda: TypeInformation("timestamp_ntz"))
    INSTANT = staticmethod(lambda: TypeInformation("timestamp"))
    PICKLED_BYTE_ARRAY = staticmethod(lambda: TypeInformation(None))

    @staticmethod
    def TUPLE(field_types: Sequence[TypeInformation]) -> TypeInformation:
        """A tuple with the columns f0, f1, ..."""
        return _fields([f"f{position}" for position in range(len(field_types))], field_types)

    @staticmethod
    def ROW(field_types: Sequence[TypeInformation]) -> TypeInformation:
        """A row with the columns f0, f1, ..."""
        return Types.TUPLE(field_types)

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[TypeInformation]) -> TypeInformation:
        """A row with named columns."""
        return _fields(field_names, field_types)

    @staticmethod
    def LIST(element_type_info: TypeInformation) -> TypeInformation:
        """A list of one element type."""
        return TypeInformation(f"array<{_checked(element_type_info).nested()}>")

    @staticmethod
    def PRIMITIVE_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """An array of numbers; of bytes it is binary."""
        return TypeInformation("binary") if element_type.sql == "tinyint" else Types.LIST(element_type)

    @staticmethod
    def BASIC_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """An array of boxed values."""
        return Types.LIST(element_type)

    @staticmethod
    def OBJECT_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """An array of any type."""
        return Types.LIST(element_type)

    @staticmethod
    def MAP(key_type_info: TypeInformation, value_type_info: TypeInformation) -> TypeInformation:
        """A map of one key type to one value type."""
        return TypeInformation(f"map<{_checked(key_type_info).nested()}, {_checked(value_type_info).nested()}>")


class Row:
    """A record with positions and, where given, names."""

    __slots__ = ("_names", "_values")

    def __init__(self, *values: Any, **named: Any) -> None:
        self._values: list[Any] = list(values) if not named else list(named.values())
        self._names: tuple[str, ...] = tuple(named)

    def __getitem__(self, key: int | str) -> Any:
        return self._values[self._names.index(key) if isinstance(key, str) else key]

    def __setitem__(self, key: int | str, value: Any) -> None:
        self._values[self._names.index(key) if isinstance(key, str) else key] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(name)
        return self._values[self._names.index(name)]

    def __getstate__(self) -> Any:
        return (self._values, self._names)

    def __setstate__(self, state: Any) -> None:
        self._values, self._names = state

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and (self._values, self._names) == (other._values, other._names)

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        named = zip(self._names, self._values, strict=True) if self._names else ()
        return f"Row({', '.join(f'{n}={v!r}' for n, v in named) or ', '.join(map(repr, self._values))})"

    def as_dict(self) -> dict[str, Any]:
        """The values by name."""
        return dict(zip(self._names, self._values, strict=True))
