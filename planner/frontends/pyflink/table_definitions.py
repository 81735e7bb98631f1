"""Tables as a script defines them: `TableDescriptor`, `Schema`, and `CREATE TABLE` in SQL.

Only a table of plain columns has a plan here. Others are kept, and refused when a stream is made of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Self

__all__ = ["Definition", "Schema", "TableDescriptor", "created_table"]

_CREATE: Final = re.compile(
    r"\s*CREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.`]+)\s*\(", re.IGNORECASE
)
_OPTION: Final = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")
_COLUMN: Final = re.compile(r"(?:`(?P<quoted>[^`]+)`|(?P<name>\w+))\s+(?P<type>[A-Za-z].*)", re.DOTALL)
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_NO_COLUMN: Final = ("PRIMARY", "CONSTRAINT", "UNIQUE")
_COMPUTED: Final = re.compile(r"\b(AS|METADATA|NOT\s+NULL)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A table: its options, its columns, and what of it has no plan here."""

    columns: tuple[str, ...]
    options: dict[str, str]
    beyond: str | None = None  # a computed column, one without nulls: Flink puts an operator of its own behind it
    watermark: str | None = None

    @property
    def connector(self) -> str:
        """The name of its connector."""
        return self.options.get("connector", "")


def created_table(statement: str) -> tuple[str, Definition] | None:
    """The table that a CREATE TABLE statement defines; None for any other statement."""
    text = _COMMENT.sub(" ", statement)
    found = _CREATE.match(text)
    if found is None:
        return None
    body, rest = _in_brackets(text, found.end())
    options = {_unquoted(key): _unquoted(value) for key, value in _OPTION.findall(rest)}
    columns: list[str] = []
    beyond = watermark = None
    for part in _split(body):
        first = part.split(None, 1)[0].upper() if part else ""
        column = _COLUMN.fullmatch(part)
        if first in _NO_COLUMN or not part:
            continue
        if first == "WATERMARK":
            watermark = part
        elif column is None or _COMPUTED.search(column["type"]):
            beyond = part
        else:
            columns.append(column["quoted"] or column["name"])
    if re.search(r"\bLIKE\b", rest, re.IGNORECASE):
        beyond = "LIKE"
    made = Definition(columns=tuple(columns), options=options, beyond=beyond, watermark=watermark)
    return found["name"].replace("`", ""), made


def _in_brackets(text: str, start: int) -> tuple[str, str]:
    """What is inside the brackets that opened before `start`, and what follows them."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place], text[place + 1 :]
    return text[start:], ""


def _split(body: str) -> list[str]:
    """The parts between commas, not those inside brackets."""
    parts, depth, last = [], 0, 0
    for place, character in enumerate(body):
        depth += {"(": 1, ")": -1, "<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(body[last:place].strip())
            last = place + 1
    return [*parts, body[last:].strip()]


def _unquoted(text: str) -> str:
    return text.replace("''", "'")


class Schema:
    """`Schema.new_builder()`: columns, and whatever else a table may have."""

    def __init__(self, columns: tuple[str, ...] = (), beyond: str | None = None, watermark: str | None = None) -> None:
        self.columns = columns
        self.beyond = beyond
        self.watermark = watermark

    class Builder:
        """A schema under construction."""

        def __init__(self) -> None:
            self._columns: list[str] = []
            self._beyond: str | None = None
            self._watermark: str | None = None

        def column(self, column_name: str, data_type: Any) -> Self:
            """A plain column."""
            self._columns.append(column_name)
            if _COMPUTED.search(str(data_type)):
                self._beyond = f"{column_name} {data_type}"
            return self

        def from_fields(self, field_names: list[str], field_data_types: list[Any]) -> Self:
            """Several plain columns."""
            for name, data_type in zip(field_names, field_data_types, strict=True):
                self.column(name, data_type)
            return self

        def column_by_expression(self, column_name: str, expr: Any) -> Self:
            """A computed column."""
            self._beyond = f"column {column_name}"
            return self

        def column_by_metadata(
            self, column_name: str, data_type: Any, metadata_key: str | None = None, is_virtual: bool = False
        ) -> Self:
            """A column of metadata."""
            self._beyond = f"column {column_name}"
            return self

        def watermark(self, column_name: str, watermark_expr: Any) -> Self:
            """A watermark."""
            self._watermark = f"watermark of {column_name}"
            return self

        def primary_key(self, *column_names: str) -> Self:
            """A key, which changes no source."""
            return self

        def primary_key_named(self, constraint_name: str, *column_names: str) -> Self:
            """A key, which changes no source."""
            return self

        def build(self) -> Schema:
            """The schema."""
            return Schema(tuple(self._columns), self._beyond, self._watermark)

    @staticmethod
    def new_builder() -> Schema.Builder:
        """Begin a schema."""
        return Schema.Builder()


class TableDescriptor:
    """`TableDescriptor.for_connector(...)`."""

    def __init__(self, options: dict[str, str], schema: Schema | None) -> None:
        known = schema or Schema()
        self.definition = Definition(
            columns=known.columns, options=options, beyond=known.beyond, watermark=known.watermark
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
