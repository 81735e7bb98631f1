"""What a value of the YAML format may be: a check that converts it, and the JSON Schema of the same thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from planner.job import Window
from planner.records import record
from planner.settings.durations import LONGEST, parse_duration
from planner.spelling import did_you_mean

__all__ = [
    "ANY_LIST",
    "CHOICE",
    "COLUMNS",
    "DURATION",
    "EXPRESSION",
    "FIELD",
    "FLAG",
    "FUNCTION",
    "IGNORES",
    "INPUT",
    "INPUTS",
    "LABEL",
    "NUMBER",
    "OPTIONS",
    "RAW_OPTIONS",
    "SELECT",
    "TEXT",
    "UID_HASH",
    "WHOLE",
    "WINDOW",
    "WINDOW_SHAPES",
    "Fault",
    "ValueType",
    "describe",
    "from_text",
]


class Fault(Exception):
    """What is wrong with a value, before it is known where the value stands.

    The message continues the sentence "`key` ...". A fault deeper inside names the container and key it is about.
    """

    def __init__(self, message: str, hint: str | None = None, container: Any = None, key: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.container = container
        self.key = key


@record(kw_only=False)
class ValueType:
    """One kind of value: how it is read and how JSON Schema describes it."""

    read: Callable[[Any], Any]
    schema: Mapping[str, Any]


def from_text(type: ValueType, text: str) -> Any:
    """A value that was written as text, on a command line or in Flink's options, checked by its type."""
    kind, written = type.schema.get("type"), text.strip()
    value: Any = text
    if kind == "integer" and re.fullmatch(r"[+-]?\d{1,19}", written):
        value = int(written)
    elif kind == "boolean":
        value = {"true": True, "false": False}.get(written.lower(), text)
    elif "enum" in type.schema:
        value = written.lower()
    return type.read(value)


def describe(value: Any) -> str:
    """A value as a message calls it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {_short(value)!r}"
    if isinstance(value, (int, float)):
        return f"the number {_short(repr(value))}"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _label(value: Any) -> str:
    if not isinstance(value, str):
        hint = (
            f'write it in quotes: "{value}"'
            if isinstance(value, (int, float)) and not isinstance(value, bool)
            else None
        )
        raise Fault(f"must be text, found {describe(value)}", hint)
    return value


LABEL: Final = ValueType(_label, {"type": "string"})  # Flink takes empty names and groups too


def _text(value: Any) -> str:
    if type(value) is str and value and not value.isspace():  # first, since most values are texts
        return value
    if not _label(value).strip():
        raise Fault("must not be empty", "give it a value or remove the key")
    return str(value)


TEXT: Final = ValueType(_text, {"type": "string", "pattern": r"\S"})


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Fault(f"must be true or false, found {describe(value)}", "write true or false, without quotes")
    return value


FLAG: Final = ValueType(_flag, {"type": "boolean"})


def WHOLE(least: int, most: int) -> ValueType:
    """A whole number between two bounds."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            digits = isinstance(value, str) and value.lstrip("-").isdigit()
            raise Fault(f"must be a whole number, found {describe(value)}", "remove the quotes" if digits else None)
        if value < least or value > most:
            bounds = f"at least {least}" if value < least else f"at most {most}"
            raise Fault(f"must be {bounds}, found {_short(str(value))}")
        return value

    return ValueType(read, {"type": "integer", "minimum": least, "maximum": most})


def NUMBER(least: float) -> ValueType:
    """A number, whole or not, from a bound on."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Fault(f"must be a number, found {describe(value)}")
        if not value >= least:
            raise Fault(f"must be at least {least}, found {_short(str(value))}")
        return float(value)

    return ValueType(read, {"type": "number", "minimum": least})


def CHOICE(*words: str) -> ValueType:
    """One of a few words."""

    def read(value: Any) -> str:
        if value not in words:
            hint = did_you_mean(value, words) if isinstance(value, str) else None
            raise Fault(f"must be one of {', '.join(words)}, found {describe(value)}", hint)
        return str(value)

    return ValueType(read, {"enum": list(words)})


def _duration(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Fault(f"must be a duration such as 5s or 100ms, found {describe(value)}")
    if isinstance(value, int):
        if not 0 <= value <= LONGEST:
            raise Fault("must not be negative")
        return value
    try:
        return parse_duration(value)
    except ValueError as error:
        raise Fault(f"is not a duration: {error}") from None


DURATION: Final = ValueType(
    _duration,
    {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": r"^\s*([0-9]+\s*[A-Za-z]*\s*)+$"}]},
)


def _expression(value: Any) -> str:
    """SQL; a bare number or truth value is an expression too."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else _text(value)


EXPRESSION: Final = ValueType(_expression, {"type": ["string", "number", "boolean"]})


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Fault(f"must be a mapping of {what}, found {describe(value)}")
    return value


def _pairs(value: Any, what: str, read: Callable[[Any], str]) -> tuple[tuple[str, str], ...]:
    mapping = _mapping(value, what)
    if not mapping:
        raise Fault(f"must have at least one entry ({what})")
    pairs = []
    for key, item in mapping.items():
        try:
            pairs.append((_text(key), read(item)))
        except Fault as fault:
            raise Fault(f"has `{key}`, which {fault.message}", fault.hint, mapping, key) from None
    return tuple(pairs)


SELECT: Final = ValueType(
    lambda value: _pairs(value, "column: expression", _expression),
    {"type": "object", "minProperties": 1, "additionalProperties": EXPRESSION.schema},
)
OPTIONS: Final = ValueType(
    lambda value: _pairs(value, "option: value", _expression) if value != {} else (),
    {"type": "object", "additionalProperties": EXPRESSION.schema},
)
IGNORES: Final = ValueType(
    lambda value: _pairs(value, "lint code: reason", _text),
    {"type": "object", "minProperties": 1, "additionalProperties": TEXT.schema},
)
RAW_OPTIONS: Final = ValueType(lambda value: dict(_mapping(value, "option: value")), {"type": "object"})


def _columns(value: Any) -> tuple[Any, ...]:
    """Key columns: one name, several, or for two inputs one entry per side (each a name or a list of names)."""
    if isinstance(value, str):
        return (_text(value),)
    if not isinstance(value, list) or not value:
        raise Fault(f"must be a column or a list of columns, found {describe(value)}")
    columns: list[Any] = []
    for index, item in enumerate(value):
        try:
            columns.append(_columns(item) if isinstance(item, list) else _text(item))
        except Fault as fault:
            raise Fault(fault.message, fault.hint, value, index) from None
    return tuple(columns)


_NAMES: Final = {"type": "array", "minItems": 1, "items": TEXT.schema}
COLUMNS: Final = ValueType(
    _columns,
    {"anyOf": [TEXT.schema, {"type": "array", "minItems": 1, "items": {"anyOf": [TEXT.schema, _NAMES]}}]},
)


def _field(value: Any) -> str | int:
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise Fault(f"must be a column's name or its position from 0, found {value}")
        return value
    return _text(value)


FIELD: Final = ValueType(_field, {"anyOf": [TEXT.schema, {"type": "integer", "minimum": 0}]})

_HASH: Final = r"[0-9A-Fa-f]{32}"


def _uid_hash(value: Any) -> str:
    if not re.fullmatch(_HASH, _text(value)):
        raise Fault(f"must be 32 hexadecimal digits, found {describe(value)}", "to name an operator freely, use `uid`")
    return str(value)


UID_HASH: Final = ValueType(_uid_hash, {"type": "string", "pattern": f"^{_HASH}$"})

_FUNCTION: Final = r"[^:]+:[A-Za-z_][A-Za-z0-9_.]*"


def _function(value: Any) -> str:
    if not re.fullmatch(_FUNCTION, _text(value)):
        raise Fault(
            f"must name a Python function, found {describe(value)}", "write package.module:name or ./file.py:name"
        )
    return str(value)


FUNCTION: Final = ValueType(_function, {"type": "string", "pattern": f"^{_FUNCTION}$"})


def _any_list(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise Fault(f"must be a list of records, found {describe(value)}")
    return tuple(value)


ANY_LIST: Final = ValueType(_any_list, {"type": "array"})

_ASSIGNERS: Final = ("tumbling", "sliding", "session")
_WINDOW_KEYS: Final = (*_ASSIGNERS, "every", "offset")


WINDOW_SHAPES: Final = "{tumbling: 5s}, {sliding: 10s, every: 5s} or {session: 30s}"
_WINDOW_HINT: Final = f"write {WINDOW_SHAPES}; the first two also take `offset`"


def _window(value: Any) -> Window:
    if not isinstance(value, Mapping):
        raise Fault(f"must be a mapping, found {describe(value)}", _WINDOW_HINT)
    mapping: Mapping[str, Any] = value
    for key in mapping:
        if key not in _WINDOW_KEYS:
            near = did_you_mean(str(key), _WINDOW_KEYS)
            raise Fault(
                f"has the unknown key `{key}`", f"{near}\n{_WINDOW_HINT}" if near else _WINDOW_HINT, mapping, key
            )
    chosen: list[Any] = [key for key in mapping if key in _ASSIGNERS]
    if len(chosen) != 1:
        raise Fault(f"must have exactly one of {', '.join(_ASSIGNERS)}", _WINDOW_HINT)
    durations = {key: _positive(mapping, key) for key in mapping}
    assigner = chosen[0]
    if (assigner == "sliding") != ("every" in durations):
        raise Fault("must have `every` if it is sliding, and only then", _WINDOW_HINT)
    if assigner == "session" and "offset" in durations:
        raise Fault("must not have an `offset`: session windows have none", None, mapping, "offset")
    return Window(
        assigner=assigner, size=durations[assigner], slide=durations.get("every"), offset=durations.get("offset", 0)
    )


def _positive(mapping: Mapping[str, Any], key: str) -> int:
    try:
        milliseconds = _duration(mapping[key])
    except Fault as fault:
        raise Fault(f"has `{key}`, which {fault.message}", fault.hint, mapping, key) from None
    if milliseconds == 0 and key != "offset":
        raise Fault(f"has `{key}`, which must be positive", None, mapping, key)
    return milliseconds


WINDOW: Final = ValueType(
    _window,
    {
        "type": "object",
        "properties": dict.fromkeys(_WINDOW_KEYS, DURATION.schema),
        "additionalProperties": False,
        "oneOf": [{"required": [key]} for key in _ASSIGNERS],
        "dependentRequired": {"sliding": ["every"], "every": ["sliding"]},
    },
)

# References are read by planner.frontends.yaml.inputs, which needs the whole document; here they pass as they are.
INPUT: Final = ValueType(lambda value: value, {"$ref": "#/$defs/input"})
INPUTS: Final = ValueType(lambda value: value, {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/input"}})
