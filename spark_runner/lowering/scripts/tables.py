"""Tables that a script reads whole and takes as streams: `datagen` and `from_elements`."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from planner.frontends.python.table_columns import Column
from planner.frontends.python.table_definitions import Definition, parts_of
from planner.frontends.python.values.rows import Row
from planner.frontends.python.values.types import TupleTypeInfo
from planner.job import Operator, PythonRun, Reader, Sequence
from spark_runner.lowering.scripts.parts import refused

__all__ = ["ReadTable", "rows_of_elements", "table_source"]

# what a source is here: its own records, numbers that become rows, or a reader of Spark
ReadTable = tuple[list[Any] | Sequence | Reader, dict[str, Any]]

_TYPE = re.compile(r"\s*(?P<name>[A-Za-z_]+)\s*(?:[<(](?P<inner>.*)[>)])?\s*(?P<zone>WITH.*|WITHOUT.*)?", re.DOTALL)
_INTS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64}
_REALS = {"FLOAT": (1.4e-45, 3.4028234663852886e38), "DOUBLE": (4.9e-324, 1.7976931348623157e308)}
_TEXTS = ("CHAR", "VARCHAR", "STRING")
_BYTES = ("BINARY", "VARBINARY", "BYTES")
_ROWS_PER_SECOND = "10000"
_UNITS = {"ms": 1, "milli": 1, "s": 1000, "sec": 1000, "second": 1000, "m": 60_000, "min": 60_000, "minute": 60_000,
          "h": 3_600_000, "hour": 3_600_000, "d": 86_400_000, "day": 86_400_000}  # fmt: skip


def table_source(operator: Operator, definition: Definition) -> ReadTable:
    """What the source of a table is on Spark. Raises UnsupportedOnSpark where it is nothing."""
    changes = isinstance((operator.run or PythonRun()).record_type, TupleTypeInfo)
    if definition.records is not None:
        rows = rows_of_elements(definition)
        return [(True, row) for row in rows] if changes else rows, {}
    if definition.connector != "datagen":
        raise refused(
            operator, f"reads a table of connector {definition.connector!r}, which does not run on Spark",
            "tables of datagen and from_elements run; read files and Kafka with FileSource and KafkaSource",
        )  # fmt: skip
    table = _Datagen(operator, definition)
    fields = tuple(map(table.field, definition.columns))
    options = {"fields": fields, "row": Row, "changes": changes}
    count = table.count()
    if count is not None:
        return Sequence(start=0, end=count - 1), options
    rate = definition.options.get("rows-per-second", _ROWS_PER_SECOND)
    return Reader(format="rate", options=(("rowsPerSecond", rate),)), options


def rows_of_elements(definition: Definition) -> list[Any]:
    """The rows of `from_elements`."""
    assert definition.records is not None
    return [_element(record, definition.names) for record in definition.records]


def _element(record: Any, names: tuple[str, ...]) -> Any:
    if isinstance(record, Row):
        return Row(*(record.get_fields_by_names(list(names)) if hasattr(record, "_fields") else record))
    if isinstance(record, dict):
        return Row(*[record.get(name) for name in names])
    if isinstance(record, tuple | list):
        return Row(*record)
    return Row(*[vars(record).get(name) for name in names]) if hasattr(record, "__dict__") else Row(record)


class _Datagen:
    """The fields of a table of datagen, by its options."""

    def __init__(self, operator: Operator, definition: Definition) -> None:
        self.operator, self.columns, self.options = operator, definition.columns, definition.options

    def count(self) -> int | None:
        """How many rows there are; None: they never end."""
        limits = [self.number("number-of-rows")] if "number-of-rows" in self.options else []
        for column in self.columns:
            if self.is_sequence(column.name):
                first, last = self.ends(column.name)
                limits.append(max(0, last - first + 1))
        return min(limits, default=None)

    def is_sequence(self, name: str) -> bool:
        kind = self.options.get(f"fields.{name}.kind", "random")
        if kind not in ("random", "sequence"):
            self.refuse(f"fields.{name}.kind={kind}", "give random or sequence")
        return kind == "sequence"

    def ends(self, name: str) -> tuple[int, int]:
        for end in ("start", "end"):
            if f"fields.{name}.{end}" not in self.options:
                self.refuse(f"no option fields.{name}.{end}, which a sequence needs", "set it")
        return self.number(f"fields.{name}.start"), self.number(f"fields.{name}.end")

    def number(self, key: str) -> int:
        try:
            return int(self.options[key])
        except ValueError:
            self.refuse(f"{key}={self.options[key]}", "give a whole number")

    def field(self, column: Column) -> tuple[Any, ...]:
        """A field as workers make it."""
        if column.kind != "plain":
            self.refuse(f"a column {column.written}", "only plain columns run on Spark")
        name = column.name
        if self.is_sequence(name):
            return ("sequence", self.ends(name)[0], self.sequence_form(column))
        rate = float(self.options.get(f"fields.{name}.null-rate", 0))
        return ("random", rate, self.random(column.what, f"fields.{name}."))

    def sequence_form(self, column: Column) -> str:
        name, _ = _parsed(column.what)
        if name in _INTS:
            return "int"
        form = "str" if name in _TEXTS else "float" if name in _REALS else "decimal" if name in _DECIMALS else None
        if form is None:
            self.refuse(f"a sequence of type {column.what}", "numbers and texts can be counted")
        return form

    def random(self, what: str, option: str) -> tuple[Any, ...]:
        """A type with its bounds. Types inside others have options of their own."""
        name, inner = _parsed(what)
        if name in _INTS:
            half = 1 << (_INTS[name] - 1)
            return ("int", *self.bounds(option, -half, half - 1))
        if name in _REALS:
            return ("real", *self.bounds(option, *_REALS[name]), name == "FLOAT")
        if name in _DECIMALS:
            precision, scale = (*map(int, inner), 0)[:2] if inner else (10, 0)
            most = 10.0 ** (precision - scale) - 10.0**-scale
            return ("decimal", scale, *self.bounds(option, -most, most))
        if name in _TEXTS or name in _BYTES:
            return ("text" if name in _TEXTS else "bytes", *self.length(option, int(inner[0]) if inner else 100))
        if name in ("BOOLEAN", "DATE", "TIME"):
            return (name.lower().removesuffix("ean"),)
        if name in ("TIMESTAMP", "TIMESTAMP_LTZ"):
            return ("timestamp", _milliseconds(self.options.get(f"{option}max-past", "0 ms")))
        return self.nested(name, inner, what, option)

    def nested(self, name: str, inner: list[str], what: str, option: str) -> tuple[Any, ...]:
        """A type of several values."""
        if name == "ARRAY":
            return ("list", self.random(inner[0], f"{option}element."), *self.length(option, 3))
        if name == "MAP":
            key, value = self.random(inner[0], f"{option}key."), self.random(inner[1], f"{option}value.")
            return ("map", key, value, *self.length(option, 3))
        if name != "ROW":
            self.refuse(f"a column of type {what}", "leave that column out")
        fields = [_named(field) for field in inner]
        kinds = tuple(self.random(kind, f"{option}{field}.") for field, kind in fields)
        return ("row", Row, tuple(field for field, _ in fields), kinds)

    def length(self, option: str, declared: int) -> tuple[int, bool]:
        varies = self.options.get(f"{option}var-len", "false").lower() == "true"
        return int(self.options.get(f"{option}length", declared)), varies

    def bounds(self, option: str, least: float, most: float) -> tuple[float, float]:
        low, high = self.options.get(f"{option}min", least), self.options.get(f"{option}max", most)
        ends = type(least)(low), type(most)(high)
        if ends[0] > ends[1]:
            self.refuse(f"{option}min={low}, which is above {option}max={high}", "give the smaller one as min")
        return ends

    def refuse(self, what: str, hint: str) -> NoReturn:
        raise refused(self.operator, f"is a table of datagen with {what}", hint)


_DECIMALS = ("DECIMAL", "DEC", "NUMERIC")


def _parsed(what: str) -> tuple[str, list[str]]:
    """A type's name and what is inside its brackets: `ARRAY<INT>` as SQL writes it, `ARRAY(INT)` as DataTypes do."""
    found = _TYPE.fullmatch(what)
    if found is None:
        return what, []
    name = found["name"].upper()
    if name == "DOUBLE" and "PRECISION" in what.upper():
        name = "DOUBLE"
    inner = (found["inner"] or "").strip().removeprefix("[").removesuffix("]")
    if "LOCAL" in (found["zone"] or "").upper():
        name += "_LTZ"
    return name, parts_of(inner) if inner else []


def _named(field: str) -> tuple[str, str]:
    """A field of a row: `x INT`, or `FIELD(x, INT)`."""
    if field.upper().startswith("FIELD("):
        name, kind, *_ = parts_of(field[len("FIELD(") : -1])
        return name, kind
    name, _, kind = field.strip().partition(" ")
    return name.strip("`"), kind


def _milliseconds(span: str) -> int:
    found = re.fullmatch(r"\s*(\d+)\s*([a-z]*?)s?\s*", span.lower())
    if found is None:
        return 0
    return int(found[1]) * _UNITS.get(found[2] or "ms", _UNITS.get(f"{found[2]}s", 1))
