"""Events and figures as JSON-ready data and back: what a driver on the cluster tells."""

from __future__ import annotations

import functools
import itertools
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from spark_runner.figures.results import (
    ActionFinished,
    ActionStarted,
    Event,
    PrintedRecord,
    SinkWritten,
    StreamBatch,
    VertexFinished,
    WritingAside,
)

__all__ = ["data_of", "event_data", "event_of", "value_of"]

_EVENTS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        ActionStarted,
        ActionFinished,
        VertexFinished,
        SinkWritten,
        WritingAside,
        PrintedRecord,
        StreamBatch,
    )
}
_T = TypeVar("_T")


def event_data(event: Event) -> dict[str, Any]:
    """An event with its name."""
    return {"event": type(event).__name__, **data_of(event)}


def event_of(data: dict[str, Any]) -> Event:
    """The event that `event_data` gave."""
    values = dict(data)
    return value_of(_EVENTS[values.pop("event")], values)


def data_of(value: Any) -> Any:
    """Plain data of a dataclass, of a tuple of them, or of a mapping to them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: data_of(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [data_of(item) for item in value]
    if isinstance(value, dict):
        return {str(key): data_of(item) for key, item in value.items()}
    return value


def value_of(kind: type[_T], data: Any) -> _T:
    """The value of this type that `data_of` gave. Raises ValueError for anything else."""
    value: _T = _value(kind, data)
    return value


def _value(kind: Any, data: Any) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(data, dict):
            raise ValueError(f"{data!r} is no {kind}")
        hints = _hints(kind)
        return kind(**{name: _value(hints[name], item) for name, item in data.items()})
    if origin is tuple:
        kinds = arguments if arguments[-1] is not Ellipsis else itertools.repeat(arguments[0])
        return tuple(_value(one, item) for one, item in zip(kinds, data, strict=False))
    if origin is dict:
        return {_value(arguments[0], key): _value(arguments[1], item) for key, item in data.items()}
    if origin is types.UnionType:
        return None if data is None else _value(next(one for one in arguments if one is not types.NoneType), data)
    return kind(data)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
