"""Rows as lines of CSV, the way Flink's CsvRowDeserializationSchema reads them and its counterpart writes them.

Runs on workers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from spark_runner.executor.conversion import Form
from spark_runner.executor.formats.java_text import java_text
from spark_runner.executor.formats.java_times import parsed_time, time_text

__all__ = ["csv_reader", "csv_writer", "field_reader"]

_ALWAYS_QUOTED = 24  # longer text is quoted without a look at it, as Jackson does
Convert = Callable[[str], Any]


# --- reading ----------------------------------------------------------------------------------------------------------


def csv_reader(form: Form, options: dict[str, Any]) -> Callable[[bytes], Any]:
    """What reads a row; None where a line that cannot be read is to be skipped."""
    _, row_class, names, types = form
    fields = [field_reader(kind, options) for kind in types]
    lenient, comments = bool(options.get("lenient")), bool(options.get("comments"))

    def convert(message: bytes) -> Any:
        text = bytes(message).decode(errors="replace")
        try:
            if comments and text.startswith("#"):
                raise ValueError("the message is a comment, and holds no row")
            parts = _parts(text, options)
            if len(parts) > len(fields) or (len(parts) < len(fields) and not lenient):
                raise ValueError(f"Row length mismatch. {len(fields)} fields expected but was {len(parts)}.")
            given = [read(part) for read, part in zip(fields, parts, strict=False)]
            made = row_class(*given, *[None] * (len(fields) - len(given)))
        except (ValueError, TypeError, ArithmeticError):
            if lenient:
                return None
            raise
        made.set_field_names(list(names))
        return made

    return convert


def _parts(text: str, options: dict[str, Any]) -> list[str]:
    quote = options.get("quote", '"')
    lines = csv.reader(
        io.StringIO(text, newline=""), delimiter=options.get("delimiter", ","), quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE, escapechar=options.get("escape"),
        doublequote=options.get("escape") is None,
    )  # fmt: skip
    return next(lines, [])


def field_reader(form: Form, options: dict[str, Any]) -> Convert:
    """What reads one field."""
    read = _READERS.get(form[0]) or _array(form, options)
    null, lenient = options.get("null"), bool(options.get("lenient"))

    def convert(text: str) -> Any:
        if null is not None and text == null and form[0] != "list":
            return None
        try:
            return read(text)
        except (ValueError, TypeError, ArithmeticError):
            if lenient:
                return None
            raise

    return convert


def _array(form: Form, options: dict[str, Any]) -> Convert:
    if form[0] != "list":
        raise TypeError(f"CSV rows have no {form[0]} fields")
    inner = field_reader(form[1], options)
    return lambda text: [inner(one) for one in text.split(options.get("elements", ";"))] if text else []


def _timestamp(text: str) -> datetime:
    if "T" in text:
        raise ValueError("Timestamp format must be yyyy-mm-dd hh:mm:ss[.fffffffff]")
    return datetime.fromisoformat(text)


def _double(text: str) -> float:
    return float(text.strip())


_READERS: dict[str, Convert] = {
    "str": lambda text: text,
    "bool": lambda text: text.strip().lower() == "true",
    "int": lambda text: int(text.strip()),
    "big int": lambda text: int(text.strip()),
    "float": _double,
    "double": _double,
    "decimal": lambda text: Decimal(text.strip()),
    "date": lambda text: date.fromisoformat(text.strip()),
    "time": lambda text: parsed_time(text.strip()),
    "timestamp": lambda text: _timestamp(text.strip()),
}


# --- writing ----------------------------------------------------------------------------------------------------------


def csv_writer(form: Form, options: dict[str, Any]) -> Callable[[Any], bytes]:
    """What writes a row as one line."""
    _, _, _, types = form
    delimiter, line = options.get("delimiter", ","), options.get("line", "\n")

    def convert(row: Any) -> bytes:
        written = (_written(part, kind, options) for part, kind in zip(list(row), types, strict=True))  # by position
        return bytes((delimiter.join(written) + line).encode())

    return convert


def _written(value: Any, form: Form, options: dict[str, Any]) -> str:
    if value is None:
        return str(options.get("null") or "")
    if form[0] == "list":
        joined = options.get("elements", ";").join(_plain(one, form[1]) for one in value)
        return _quoted(joined, options)
    return _quoted(_plain(value, form), options) if form[0] in _TEXTS else _plain(value, form)


_TEXTS = frozenset({"str", "date", "time", "timestamp"})


def _plain(value: Any, form: Form) -> str:
    if form[0] == "timestamp":
        return f"{value.date().isoformat()} {time_text(value.time())}"
    if form[0] == "time":
        return time_text(value)
    return value.isoformat() if form[0] == "date" else java_text(value, form)


def _quoted(text: str, options: dict[str, Any]) -> str:
    """Text in quotes where it may need them: Jackson looks at short text only, and quotes all low characters."""
    quote, escape = options.get("quote", '"'), options.get("escape")
    if not quote:
        return text
    lowest = max(map(ord, (options.get("delimiter", ","), quote, "\n", "\r"))) + 1
    if len(text) <= _ALWAYS_QUOTED and all(ord(one) >= lowest and one != escape for one in text):
        return text
    inside = text.replace(escape, escape * 2) if escape else text
    return f"{quote}{inside.replace(quote, quote * 2)}{quote}"
