"""One entry of `operators` as the fields of an Operator, without its inputs (see inputs.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from planner.frontends.yaml.fields import Fields
from planner.job import (
    Aggregate,
    Behaviour,
    Collection,
    Explode,
    Join,
    OperatorKind,
    PythonFunction,
    Reader,
    Select,
    Watermarks,
    Where,
    Window,
    Writer,
)
from planner.kinds import NEEDS_KEY, SINKS, TWO_INPUTS
from planner.settings.boundedness import is_bounded
from planner.settings.job_format import KIND_KEYS, OPERATOR_KEYS

__all__ = ["check_operator", "key_columns", "operator_fields"]

# By kind, the keys whose value goes into a field of Operator as it is.
_FIELDS: Final = {
    kind: {name: key.field for name, key in {**OPERATOR_KEYS, **keys}.items() if key.field}
    for kind, keys in KIND_KEYS.items()
}

# Keys that say where an operator stands, and nothing about itself: a large job has few others.
_PLACE: Final = frozenset({"id", "type", "input", "inputs", "key_by"})


def operator_fields(kind: OperatorKind, fields: Fields) -> dict[str, Any]:
    """The arguments of Operator that one entry gives, beside its id, key, kind, location and inputs."""
    values = fields.values
    if values.keys() <= _PLACE:
        return {}
    plain = _FIELDS[kind]
    arguments: dict[str, Any] = {plain[key]: value for key, value in values.items() if key in plain}
    if kind == "source":
        arguments.update(_source(fields))
    behaviour = _BEHAVIOURS[kind](fields) if kind in _BEHAVIOURS else _function(fields)
    if behaviour is not None:
        arguments["behaviour"] = behaviour
    return arguments


def check_operator(kind: OperatorKind, fields: Fields) -> None:
    """Refuse what the keys say together and Flink has no call for."""
    if kind in NEEDS_KEY and "key_by" not in fields.values:
        raise fields.error("type", f"`{kind}` needs a keyed stream", "add `key_by: COLUMN`")
    if kind == "source":
        _check_source(fields)
    if kind in SINKS:
        _check_sink(fields)


def _check_source(fields: Fields) -> None:
    if "parallel" in fields and not fields.get("legacy"):
        raise fields.error(
            "parallel", "`parallel` is only for legacy sources", "add `legacy: true`, or set `parallelism: 1`"
        )
    if fields.get("parallel") is False and fields.get("parallelism", 1) != 1:
        raise fields.error(
            "parallelism", f"a source that is not parallel has one subtask, found {fields.get('parallelism')}",
            "remove `parallelism`, or remove `parallel: false`",
        )  # fmt: skip


def _check_sink(fields: Fields) -> None:
    if fields.get("chaining") == "start_new":
        raise fields.error(
            "chaining", "Flink's sinks cannot start a new chain", "use `chaining: disable`, or remove it"
        )
    if fields.get("committer") and fields.get("api") != "v2":
        raise fields.error("committer", "only a v2 sink has a committer", "add `api: v2`")
    if "uid_hash" in fields and fields.get("api") == "v2":
        raise fields.error(
            "uid_hash", "Flink takes no `uid_hash` on a v2 sink, which becomes several operators", "use `uid`"
        )


def key_columns(kind: OperatorKind, fields: Fields) -> tuple[tuple[str, ...], ...]:
    """The key columns of each input; () where the operator is not keyed."""
    if "key_by" not in fields.values:
        return ()
    columns: tuple[Any, ...] = fields.get("key_by")
    if kind not in TWO_INPUTS:
        if any(not isinstance(column, str) for column in columns):
            raise fields.error("key_by", "`key_by` must be a column or a list of columns")
        return (columns,)
    if isinstance(fields.raw["key_by"], str):
        return (columns, columns)
    if len(columns) != 2:
        raise fields.error(
            "key_by", f"`key_by` of two inputs is one column for both or one for each side, found {len(columns)}",
            "write `key_by: id` or `key_by: [left_id, right_id]`",
        )  # fmt: skip
    sides = tuple((side,) if isinstance(side, str) else side for side in columns)
    if any(not isinstance(column, str) for side in sides for column in side):
        raise fields.error("key_by", "`key_by` must be a column or a list of columns for each side")
    return sides


# --- behaviours -------------------------------------------------------------------------------------------------------


def _one_way(fields: Fields, *keys: str) -> None:
    """Refuse an operator that says in two ways what it does."""
    given = [key for key in keys if key in fields]
    if len(given) > 1:
        raise fields.error(
            given[1], f"`{given[0]}` and `{given[1]}` both say what the operator does", "keep one of them"
        )


def _needs(fields: Fields, key: str, *owners: str) -> None:
    """Refuse a key that means nothing without one of the others."""
    if key in fields and not any(owner in fields for owner in owners):
        raise fields.error(key, f"`{key}` needs `{'` or `'.join(owners)}`", f"add `{owners[0]}`, or remove `{key}`")


def _function(fields: Fields) -> PythonFunction | None:
    return PythonFunction(reference=fields.get("function")) if "function" in fields else None


def _source(fields: Fields) -> dict[str, Any]:
    legacy = fields.get("legacy", False)
    arguments: dict[str, Any] = {
        "bounded": is_bounded(fields.get("format"), legacy=legacy, said=fields.get("bounded")),
    }
    if "time" in fields or "watermark" in fields:
        _needs(fields, "watermark", "time")
        arguments["watermarks"] = Watermarks(time=fields.get("time"), out_of_orderness=fields.get("watermark", 0))
    return arguments


def _source_behaviour(fields: Fields) -> Behaviour | None:
    _one_way(fields, "collection", "format")
    for key in ("path", "options"):
        _needs(fields, key, "format")
    if "collection" in fields:
        return Collection(records=fields.get("collection"))
    if "format" in fields:
        return Reader(format=fields.get("format"), path=fields.get("path"), options=fields.get("options", ()))
    return None


def _map(fields: Fields) -> Behaviour | None:
    _one_way(fields, "function", "select")
    return Select(columns=fields.get("select")) if "select" in fields else _function(fields)


def _flat_map(fields: Fields) -> Behaviour | None:
    _one_way(fields, "function", "explode")
    _needs(fields, "as", "explode")
    _needs(fields, "explode", "as")
    if "explode" in fields:
        return Explode(expression=fields.get("explode"), column=fields.get("as"))
    return _function(fields)


def _filter(fields: Fields) -> Behaviour | None:
    _one_way(fields, "function", "where")
    return Where(condition=fields.get("where")) if "where" in fields else _function(fields)


def _aggregate(fields: Fields) -> Behaviour | None:
    return Aggregate(field=fields.get("field")) if "field" in fields else None


def _watermarks(fields: Fields) -> Behaviour | None:
    _one_way(fields, "function", "time")
    if not any(key in fields for key in ("time", "function", "watermark")):
        return None
    return Watermarks(time=fields.get("time"), assigner=_function(fields), out_of_orderness=fields.get("watermark", 0))


def _window(fields: Fields) -> Behaviour | None:
    for key in ("time", "watermark"):
        _needs(fields, key, "window")
    window: Window | None = fields.get("window")
    if window is None:
        return _function(fields)
    return replace(window, time=fields.get("time"), watermark=fields.get("watermark", 0), function=_function(fields))


def _co_process(fields: Fields) -> Behaviour | None:
    _one_way(fields, "function", "join")
    _needs(fields, "select", "join")
    _needs(fields, "join", "key_by")
    return Join(how=fields.get("join"), select=fields.get("select")) if "join" in fields else _function(fields)


def _sink(fields: Fields) -> Behaviour | None:
    _one_way(fields, "function", "format")
    for key in ("path", "options", "mode"):
        _needs(fields, key, "format")
    if "format" not in fields:
        return _function(fields)
    return Writer(
        format=fields.get("format"),
        path=fields.get("path"),
        mode=fields.get("mode", "error"),
        options=fields.get("options", ()),
    )


_BEHAVIOURS: Final[Mapping[str, Callable[[Fields], Behaviour | None]]] = {
    "source": _source_behaviour,
    "map": _map,
    "flat_map": _flat_map,
    "filter": _filter,
    "watermarks": _watermarks,
    "sum": _aggregate,
    "min": _aggregate,
    "max": _aggregate,
    "window_reduce": _window,
    "co_process": _co_process,
    "sink": _sink,
}
