"""The columns of a table, and which operators Flink puts after the table's source for them.

| operator | when |
| --- | --- |
| Calc | a column is computed, or a column of metadata is not as the connector gives it: its type, its place |
| WatermarkAssigner | there is a watermark, and the source does not make it itself as Kafka's does |
| ConstraintEnforcer | some column has no nulls, and the rows leave by to_data_stream or to_changelog_stream |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["Column", "column_in_sql", "computed_without_nulls", "metadata_fits", "type_in_sql", "unknown_metadata"]

_NAME: Final = r"(?:`(?P<quoted>[^`]+)`|(?P<name>\w+))"
_COMPUTED: Final = re.compile(_NAME + r"\s+AS\s+(?P<what>.+)", re.DOTALL | re.IGNORECASE)
_METADATA: Final = re.compile(
    _NAME + r"\s+(?P<what>[A-Za-z].*?)\s+METADATA(?:\s+FROM\s+'(?P<key>[^']+)')?(?:\s+VIRTUAL)?",
    re.DOTALL | re.IGNORECASE,
)
_PLAIN: Final = re.compile(_NAME + r"\s+(?P<what>[A-Za-z].*)", re.DOTALL)
_COMMENT: Final = re.compile(r"\s+COMMENT\s+'(?:[^']|'')*'\s*$", re.IGNORECASE)
_NO_NULLS: Final = re.compile(r"\s*\bNOT\s+NULL\s*$", re.IGNORECASE)
_NULLS: Final = re.compile(r"\s*\bNULL\s*$", re.IGNORECASE)
_ABOUT_NULLS: Final = re.compile(r"\b(COALESCE|IFNULL|NULLIF|NULL|CASE|IF|IS|TRY_\w+|JSON_\w+|TO_\w+)\b", re.IGNORECASE)
_TEXT: Final = re.compile(r"'(?:[^']|'')*'")
_WORD: Final = re.compile(r"`([^`]+)`|(\w+)")
_ALIASES: Final = {
    "INTEGER": "INT", "VARCHAR(2147483647)": "STRING", "TIMESTAMP(3)WITHLOCALTIMEZONE": "TIMESTAMP_LTZ(3)",
}  # fmt: skip
# what connectors give, in the order in which they give it
_GIVEN: Final[dict[str, dict[str, str]]] = {
    "kafka": {
        "topic": "STRING NOT NULL", "partition": "INT NOT NULL", "headers": "MAP<STRING,BYTES> NOT NULL",
        "leader-epoch": "INT", "offset": "BIGINT NOT NULL", "timestamp": "TIMESTAMP_LTZ(3) NOT NULL",
        "timestamp-type": "STRING NOT NULL",
    },
    "filesystem": {
        "file.path": "STRING NOT NULL", "file.name": "STRING NOT NULL", "file.size": "BIGINT NOT NULL",
        "file.modification-time": "TIMESTAMP_LTZ(3) NOT NULL",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `what` is its type, or the expression that computes it; `nulls` of a computed one is not known."""

    name: str
    what: str
    kind: Literal["plain", "computed", "metadata"] = "plain"
    nulls: bool = True
    key: str = ""  # of metadata

    @property
    def written(self) -> str:
        """The column as messages show it."""
        between = {"plain": " ", "computed": " AS ", "metadata": " "}[self.kind]
        return f"{self.name}{between}{self.what}{' METADATA' if self.kind == 'metadata' else ''}"


def column_in_sql(text: str) -> Column | None:
    """A column of CREATE TABLE; None where it is none that we know."""
    plain = _COMMENT.sub("", text)
    if (found := _COMPUTED.fullmatch(plain)) is not None:
        return Column(name=found["quoted"] or found["name"], what=found["what"].strip(), kind="computed")
    if (found := _METADATA.fullmatch(plain)) is not None:
        what, nulls = type_in_sql(found["what"])
        name = found["quoted"] or found["name"]
        return Column(name=name, what=what, kind="metadata", nulls=nulls, key=found["key"] or name)
    if (found := _PLAIN.fullmatch(plain)) is None:
        return None
    what, nulls = type_in_sql(found["what"])
    return Column(name=found["quoted"] or found["name"], what=what, nulls=nulls)


def type_in_sql(written: Any) -> tuple[str, bool]:
    """A type without what it says of nulls, and whether it has them."""
    text = str(written).strip()
    if _NO_NULLS.search(text):
        return _NO_NULLS.sub("", text), False
    return _NULLS.sub("", text), True


def computed_without_nulls(column: Column, others: list[Column]) -> bool | None:
    """Whether an expression never gives null; None where that takes Flink's planner to know."""
    if _ABOUT_NULLS.search(_TEXT.sub("", column.what)):
        return False if _is_plain_call(column.what) else None
    words = {quoted or word for quoted, word in _WORD.findall(_TEXT.sub("", column.what))}
    read = [other for other in others if other.name in words]
    return not any(other.nulls for other in read)


def _is_plain_call(expression: str) -> bool:
    """Whether it is a conversion that gives null for what it cannot read, as TO_TIMESTAMP is."""
    return (
        re.fullmatch(r"TO_(TIMESTAMP|TIMESTAMP_LTZ|DATE)\s*\(.*\)", expression, re.DOTALL | re.IGNORECASE) is not None
    )


def metadata_fits(connector: str, columns: tuple[Column, ...]) -> bool:
    """Whether the columns of metadata stand at the end, in the connector's order and with its types."""
    given = _GIVEN.get(connector, {})
    wanted = [column for column in columns if column.kind == "metadata"]
    if not wanted:
        return True
    stored = [column for column in columns if column.kind != "computed"]
    places = [list(given).index(column.key) for column in wanted if column.key in given]
    typed = all(
        _normal(column.what) + ("" if column.nulls else " NOT NULL") == given.get(column.key) for column in wanted
    )
    return typed and stored[-len(wanted) :] == wanted and places == sorted(places)


def unknown_metadata(connector: str, columns: tuple[Column, ...]) -> Column | None:
    """The first column of metadata that the connector is not known to give."""
    given = _GIVEN.get(connector, {})
    return next((column for column in columns if column.kind == "metadata" and column.key not in given), None)


def _normal(type_: str) -> str:
    short = re.sub(r"\s+", "", type_).upper()
    return _ALIASES.get(short, short)
