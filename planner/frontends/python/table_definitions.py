"""Tables as a script defines them: `TableDescriptor`, `Schema`, and `CREATE TABLE` in SQL.

What has no plan here is kept, and refused when a stream is made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from planner.errors import JobDefinitionError
from planner.frontends.python.table_columns import (
    Column,
    column_in_sql,
    computed_without_nulls,
    metadata_fits,
    type_in_sql,
    unknown_metadata,
)
from planner.frontends.python_files.places import user_location

__all__ = ["Definition", "Schema", "TableDescriptor", "columns_of", "created_table", "parts_of"]

_CREATE: Final = re.compile(
    r"\s*CREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.`]+)\s*\(", re.IGNORECASE
)
_OPTION: Final = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_KEY: Final = re.compile(r"(?:CONSTRAINT\s+\S+\s+)?PRIMARY\s+KEY\s*\((?P<names>[^)]*)\).*", re.DOTALL | re.IGNORECASE)
_NO_COLUMN: Final = ("PRIMARY", "CONSTRAINT", "UNIQUE")
_OWN_WATERMARKS: Final = frozenset({"kafka"})  # their source makes them, no operator after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A table: its options, its columns, and what of it has no plan here."""

    columns: tuple[Column, ...]
    options: dict[str, str]
    has_key: bool = False
    watermark: bool = False
    other: str | None = None  # what is no column that we know
    records: tuple[Any, ...] | None = None  # of from_elements()

    @property
    def connector(self) -> str:
        """The name of its connector."""
        return self.options.get("connector", "")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @property
    def beyond(self) -> str | None:
        """What of it takes Flink's planner."""
        unknown = unknown_metadata(self.connector, self.columns)
        if self.other is not None or unknown is not None:
            return self.other or (unknown.written if unknown is not None else None)
        undecided = [column for column, nulls in self._computed() if nulls is None]
        return undecided[0].written if undecided and not self.without_nulls else None

    @property
    def calculated(self) -> bool:
        """Whether an operator computes its rows from what the source gives."""
        return any(column.kind == "computed" for column in self.columns) or not metadata_fits(
            self.connector, self.columns
        )

    @property
    def assigned(self) -> bool:
        """Whether an operator makes its watermarks."""
        return self.watermark and self.connector not in _OWN_WATERMARKS

    @property
    def without_nulls(self) -> bool:
        """Whether some column has none."""
        stored = any(not column.nulls for column in self.columns if column.kind != "computed")
        return stored or any(without is True for _, without in self._computed())

    def _computed(self) -> list[tuple[Column, bool | None]]:
        stored = [column for column in self.columns if column.kind != "computed"]
        return [(one, computed_without_nulls(one, stored)) for one in self.columns if one.kind == "computed"]


def created_table(statement: str) -> tuple[str, Definition] | None:
    """The table that a CREATE TABLE statement defines; None for any other statement."""
    text = _COMMENT.sub(" ", statement)
    found = _CREATE.match(text)
    if found is None:
        return None
    body, rest = _in_brackets(text, found.end())
    options = {_unquoted(key): _unquoted(value) for key, value in _OPTION.findall(rest)}
    columns: list[Column] = []
    keys: set[str] = set()
    watermark, other = False, "LIKE" if re.search(r"\bLIKE\b", rest, re.IGNORECASE) else None
    for part in parts_of(body):
        first = part.split(None, 1)[0].upper() if part else ""
        if (key := _KEY.fullmatch(part)) is not None:
            keys |= {name.strip().strip("`") for name in key["names"].split(",")}
        elif first == "WATERMARK":
            watermark = True
        elif first in _NO_COLUMN or not part:
            continue
        elif (column := column_in_sql(part)) is None:
            other = part
        else:
            columns.append(column)
    made = Definition(
        columns=_keyed(columns, keys), options=options, has_key=bool(keys), watermark=watermark, other=other
    )
    return found["name"].replace("`", ""), made


def _keyed(columns: list[Column], keys: set[str]) -> tuple[Column, ...]:
    """Columns of a primary key have no nulls."""
    return tuple(replace(column, nulls=False) if column.name in keys else column for column in columns)


def columns_of(schema: Any, record: Any) -> tuple[Column, ...]:
    """The columns of from_elements(): names, `DataTypes.ROW([...])`, or nothing."""
    if isinstance(schema, list | tuple):
        return tuple(Column(name=str(name), what="") for name in schema)
    if schema is None:
        return tuple(Column(name=f"_{at}", what="") for at in range(1, len(record) + 1))
    columns = []
    for at, field in enumerate(schema.arguments[0] if schema.name == "ROW" else ()):
        name, kind = field.arguments[:2] if field.name == "FIELD" else (f"f{at}", field)
        what, nulls = type_in_sql(kind)
        columns.append(Column(name=str(name), what=what, nulls=nulls))
    return tuple(columns)


def _in_brackets(text: str, start: int) -> tuple[str, str]:
    """What is inside the brackets that opened before `start`, and what follows them."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place], text[place + 1 :]
    return text[start:], ""


def parts_of(body: str) -> list[str]:
    """The parts between commas, not those inside brackets and texts."""
    parts, depth, last, quoted = [], 0, 0, False
    for place, character in enumerate(body):
        quoted ^= character == "'"
        depth += 0 if quoted else {"(": 1, ")": -1, "<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0 and not quoted:
            parts.append(body[last:place].strip())
            last = place + 1
    return [*parts, body[last:].strip()]


def _unquoted(text: str) -> str:
    return text.replace("''", "'")


class Schema:
    """`Schema.new_builder()`: columns, and whatever else a table may have."""

    def __init__(self, columns: tuple[Column, ...] = (), watermark: bool = False, has_key: bool = False) -> None:
        self.columns, self.watermark, self.has_key = columns, watermark, has_key

    class Builder:
        """A schema under construction."""

        def __init__(self) -> None:
            self._columns: list[Column] = []
            self._keys: set[str] = set()
            self._watermark = False

        def column(self, column_name: str, data_type: Any) -> Self:
            """A plain column."""
            what, nulls = type_in_sql(data_type)
            self._columns.append(Column(name=column_name, what=what, nulls=nulls))
            return self

        def from_fields(self, field_names: list[str], field_data_types: list[Any]) -> Self:
            """Several plain columns."""
            for name, data_type in zip(field_names, field_data_types, strict=True):
                self.column(name, data_type)
            return self

        def column_by_expression(self, column_name: str, expr: Any) -> Self:
            """A computed column."""
            self._columns.append(Column(name=column_name, what=str(expr), kind="computed"))
            return self

        def column_by_metadata(
            self, column_name: str, data_type: Any, metadata_key: str | None = None, is_virtual: bool = False
        ) -> Self:
            """A column of metadata."""
            what, nulls = type_in_sql(data_type)
            key = metadata_key or column_name
            self._columns.append(Column(name=column_name, what=what, kind="metadata", nulls=nulls, key=key))
            return self

        def watermark(self, column_name: str, watermark_expr: Any) -> Self:
            """A watermark."""
            self._watermark = True
            return self

        def primary_key(self, *column_names: str) -> Self:
            """A key, whose columns must have no nulls."""
            self._keys |= set(column_names)
            return self

        def primary_key_named(self, constraint_name: str, *column_names: str) -> Self:
            """A key by a name."""
            return self.primary_key(*column_names)

        def build(self) -> Schema:
            """The schema."""
            for column in self._columns:
                if column.name in self._keys and column.nulls:
                    raise JobDefinitionError(
                        f"Invalid primary key. Column {column.name!r} is nullable.", location=user_location(),
                        hint=f"give it a type without nulls: column({column.name!r}, DataTypes.BIGINT().not_null())",
                    )  # fmt: skip
            return Schema(tuple(self._columns), self._watermark, bool(self._keys))

    @staticmethod
    def new_builder() -> Schema.Builder:
        """Begin a schema."""
        return Schema.Builder()


class TableDescriptor:
    """`TableDescriptor.for_connector(...)`."""

    def __init__(self, options: dict[str, str], schema: Schema | None) -> None:
        known = schema or Schema()
        self.definition = Definition(
            columns=known.columns, options=options, has_key=known.has_key, watermark=known.watermark
        )

    class Builder:
        """A descriptor under construction."""

        def __init__(self, connector: str) -> None:
            self._options = {"connector": connector}
            self._schema: Schema | None = None

        def schema(self, schema: Schema) -> Self:
            """The columns."""
            self._schema = schema
            return self

        def option(self, key: Any, value: Any) -> Self:
            """One option."""
            self._options[str(key)] = str(value)
            return self

        def format(self, format: Any, format_option: Any = None) -> Self:
            """The format of its records."""
            return self.option("format", format)

        def partitioned_by(self, *partition_keys: str) -> Self:
            """Columns that folders are named by."""
            return self

        def comment(self, comment: str) -> Self:
            """A note for people."""
            return self

        def build(self) -> TableDescriptor:
            """The descriptor."""
            return TableDescriptor(dict(self._options), self._schema)

    @staticmethod
    def for_connector(connector: str) -> TableDescriptor.Builder:
        """Begin a descriptor."""
        return TableDescriptor.Builder(connector)
