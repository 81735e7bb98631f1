"""Rows as JSON, the way Flink's JsonRowDeserializationSchema reads them and its counterpart writes them. On workers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from spark_runner.executor.conversion import Form
from spark_runner.executor.formats.java_text import java_text
from spark_runner.executor.formats.java_times import parsed_time, time_text

__all__ = ["json_reader", "json_writer"]

Read = Callable[[Any], Any]


class Missing(ValueError):
    """A field that a message lacks."""


def json_reader(form: Form, options: dict[str, Any]) -> Callable[[bytes], Any]:
    """What reads a row; None where a message that cannot be read is to be skipped."""
    lenient = bool(options.get("lenient"))
    read = _reader(form, strict=bool(options.get("strict")), lenient=lenient)

    def convert(message: bytes) -> Any:
        try:
            node = json.loads(bytes(message), parse_float=Decimal)
            if not isinstance(node, dict):
                raise TypeError(f"the message is no JSON object: {bytes(message)[:80]!r}")
            return read(node)
        except (ValueError, TypeError, ArithmeticError):
            if lenient:
                return None
            raise

    return convert


def _reader(form: Form, *, strict: bool, lenient: bool) -> Read:
    read = _READERS.get(form[0], _natural)(form, strict, lenient)

    def nullable(node: Any) -> Any:
        if node is None:
            return None
        try:
            return read(node)
        except Missing:
            raise
        except (ValueError, TypeError, ArithmeticError):
            if lenient:
                return None
            raise

    return nullable


def _row(form: Form, strict: bool, lenient: bool) -> Read:
    _, row_class, names, types = form
    fields = [(name, _reader(kind, strict=strict, lenient=lenient)) for name, kind in zip(names, types, strict=True)]

    def read(node: Any) -> Any:
        if not isinstance(node, dict):
            raise TypeError(f"{node!r} is no JSON object")
        if strict:
            for name in names:
                if name not in node:
                    raise Missing(f"Could not find field with name '{name}'.")
        made = row_class(*[convert(node.get(name)) for name, convert in fields])
        made.set_field_names(list(names))
        return made

    return read


def _list(form: Form, strict: bool, lenient: bool) -> Read:
    inner = _reader(form[1], strict=strict, lenient=lenient)

    def read(node: Any) -> Any:
        if not isinstance(node, list):
            raise TypeError(f"{node!r} is no JSON array")
        return [inner(one) for one in node]

    return read


def _map(form: Form, strict: bool, lenient: bool) -> Read:
    inner = _reader(form[2], strict=strict, lenient=lenient)
    return lambda node: {key: inner(value) for key, value in node.items()}


def _leaf(convert: Read) -> Callable[[Form, bool, bool], Read]:
    return lambda form, strict, lenient: convert


def _natural(form: Form, strict: bool, lenient: bool) -> Read:
    return _plain


def _plain(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(one) for one in node]
    return float(node) if isinstance(node, Decimal) else node


def _string(node: Any) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, bool):
        return "true" if node else "false"
    if isinstance(node, Decimal):
        return str(node.normalize())
    return str(node) if isinstance(node, int) else json.dumps(_plain(node), ensure_ascii=False, separators=(",", ":"))


def _bool(node: Any) -> bool:
    return node if isinstance(node, bool) else _string(node).strip().lower() == "true"


def _int(node: Any) -> int:
    if isinstance(node, bool):
        raise TypeError(f"{node} is no number")
    return int(node) if isinstance(node, int | Decimal) else int(_string(node).strip())


def _whole(form: Form, strict: bool, lenient: bool) -> Read:
    limit = 1 << (form[1] - 1)

    def read(node: Any) -> int:
        number = _int(node)
        if not -limit <= number < limit:
            raise OverflowError(f"{number} is too large for its declared type of {form[1]} bits")
        return number

    return read


def _float(node: Any) -> float:
    if isinstance(node, bool):
        raise TypeError(f"{node} is no number")
    return float(node if isinstance(node, int | Decimal) else _string(node).strip())


def _decimal(node: Any) -> Decimal:
    return node.normalize() if isinstance(node, Decimal) else Decimal(_string(node).strip())


_READERS: dict[str, Callable[[Form, bool, bool], Read]] = {
    "row": _row,
    "list": _list,
    "map": _map,
    "str": _leaf(_string),
    "bool": _leaf(_bool),
    "int": _whole,
    "big int": _leaf(_int),
    "float": _leaf(_float),
    "double": _leaf(_float),
    "decimal": _leaf(_decimal),
    "bytes": _leaf(lambda node: base64.b64decode(node)),
    "date": _leaf(lambda node: date.fromisoformat(node)),
    "time": _leaf(lambda node: parsed_time(_in_utc(node))),
    "timestamp": _leaf(lambda node: datetime.fromisoformat(_in_utc(node))),
}


def _in_utc(text: str) -> str:
    if not text.endswith("Z"):
        raise ValueError(f"Text '{text}' could not be parsed: times end with Z")
    whole, _, fraction = text[:-1].partition(".")
    return f"{whole}.{fraction[:6]}" if fraction else whole


# --- writing ----------------------------------------------------------------------------------------------------------


def json_writer(form: Form, options: dict[str, Any]) -> Callable[[Any], bytes]:
    """What writes a row, in one line without spaces."""
    return lambda row: _written(row, form).encode()


def _written(value: Any, form: Form) -> str:
    if value is None:
        return "null"
    return _WRITERS.get(form[0], _any)(value, form)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _any(value: Any, form: Form) -> str:
    if isinstance(value, str | int | float | bool | list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    raise TypeError(f"{value!r} has a type that JSON rows do not have")


def _written_row(value: Any, form: Form) -> str:
    _, _, names, types = form
    parts = list(value)  # by position, as Flink does: the record has its type's names, and its type may have others
    if len(parts) < len(names):
        raise ValueError(f"a row of {len(parts)} fields where its schema has {len(names)}")
    pairs = (f"{_quoted(name)}:{_written(part, kind)}" for name, part, kind in zip(names, parts, types, strict=False))
    return "{" + ",".join(pairs) + "}"


_WRITERS: dict[str, Callable[[Any, Form], str]] = {
    "row": _written_row,
    "list": lambda value, form: "[" + ",".join(_written(one, form[1]) for one in value) + "]",
    "map": lambda value, form: (
        "{" + ",".join(f"{_quoted(str(key))}:{_written(one, form[2])}" for key, one in value.items()) + "}"
    ),
    "str": lambda value, form: _quoted(value),
    "bool": lambda value, form: "true" if value else "false",
    "int": lambda value, form: str(int(value)),
    "big int": lambda value, form: str(int(value)),
    "float": java_text,
    "double": java_text,
    "decimal": lambda value, form: format(value, "f"),
    "bytes": lambda value, form: _quoted(base64.b64encode(bytes(value)).decode()),
    "date": lambda value, form: _quoted(value.isoformat()),
    "time": lambda value, form: _quoted(time_text(value) + "Z"),
    "timestamp": lambda value, form: _quoted(f"{value.date().isoformat()}T{time_text(value.time())}Z"),
}
