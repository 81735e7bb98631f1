"""Reading JSON that others wrote: every field is checked, and a wrong one ends in a message that names it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from planner.errors import JobDefinitionError

JsonObject = Mapping[str, Any]
MOST_DIGITS = 18  # of a number: nothing that Flink counts is longer


def parse_json(text: str, where: str) -> Any:
    """The document in `text`, or an error that says where it stops being JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise JobDefinitionError(
            f"{where} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            hint="save the whole answer: a copy that was cut off cannot be read",
        ) from error
    except (ValueError, RecursionError) as error:
        raise JobDefinitionError(f"{where} is no JSON that Flink writes: {_short(error)}") from error


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def json_object(value: object, where: str) -> JsonObject:
    """The value as a JSON object."""
    if is_object(value):
        return value
    raise JobDefinitionError(f"{where} must be an object, and is {_kind(value)}")


def json_objects(holder: JsonObject, key: str, where: str) -> Iterator[tuple[JsonObject, str]]:
    """The objects of the list `holder[key]`, each with its place; a missing list is empty."""
    values = holder.get(key)
    if values is None:
        return
    if not isinstance(values, list):
        raise JobDefinitionError(f"{where}.{key} must be a list, and is {_kind(values)}")
    for number, value in enumerate(values):
        place = f"{where}.{key}[{number}]"
        yield json_object(value, place), place


def text(holder: JsonObject, key: str, where: str, default: str | None = None) -> str:
    """A field that holds text."""
    value = holder.get(key)
    if isinstance(value, str):
        return value
    if value is None and default is not None:
        return default
    raise JobDefinitionError(f"{where}.{key} must be text, and is {_kind(value)}")


def number(holder: JsonObject, key: str, where: str, default: int | None = None) -> int:
    """A field that holds a whole number; Flink writes some of them as text."""
    value = holder.get(key)
    if isinstance(value, str) and value.lstrip("-").isdecimal() and len(value) <= MOST_DIGITS:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**MOST_DIGITS:
        return value
    if value is None and default is not None:
        return default
    raise JobDefinitionError(f"{where}.{key} must be a whole number, and is {_kind(value)}")


def amount(holder: JsonObject, key: str) -> float | None:
    """A figure that may be missing: None for absent values and for Flink's "NaN"."""
    value = holder.get(key)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        return None
    return float(value) if abs(value) < 10**MOST_DIGITS else None


def _kind(value: object) -> str:
    if value is None:
        return "missing"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    shown = json.dumps(value, default=str)
    return f"{names.get(type(value), 'something else')}: {shown if len(shown) <= 60 else shown[:57] + '...'}"


def _short(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:100]
