"""The JSON Schema of the YAML format, made from the same tables the loader checks with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from planner.kinds import NEEDS_KEY, TWO_INPUTS
from planner.settings.job_format import (
    JOB_KEYS,
    KIND_KEYS,
    OPERATOR_KEYS,
    REFERENCE_KEYS,
    RESTART_KEYS,
    Key,
)  # fmt: skip

__all__ = ["job_schema"]


def job_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a job file."""
    job = _object(JOB_KEYS, ["operators"])
    job["properties"]["operators"] |= {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/operator"}}
    job["properties"]["restart_strategy"] |= _object(RESTART_KEYS, ["type"])
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A streaming job for plan",
        **job,
        "$defs": {"input": _input(), "operator": {"oneOf": [_operator(kind) for kind in KIND_KEYS]}},
    }
    copied: dict[str, Any] = json.loads(json.dumps(schema))  # callers may change it without changing the tables
    return copied


def _object(keys: Mapping[str, Key], required: Iterable[str]) -> dict[str, Any]:
    properties = {name: {**key.type.schema, "description": key.doc} for name, key in keys.items()}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _input() -> dict[str, Any]:
    several = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/input"}}
    return {"anyOf": [{"type": "string", "minLength": 1}, several, _object(REFERENCE_KEYS, ["from"])]}


def _operator(kind: Any) -> dict[str, Any]:
    required = ["id", "type"]
    if kind in TWO_INPUTS or kind == "multi_input":
        required.append("inputs")
    elif kind != "source":
        required.append("input")
    if kind in NEEDS_KEY:
        required.append("key_by")
    schema = _object({**OPERATOR_KEYS, **KIND_KEYS[kind]}, required)
    schema["properties"]["type"] = {"const": kind, "description": OPERATOR_KEYS["type"].doc}
    if kind in TWO_INPUTS:
        schema["properties"]["inputs"] |= {"minItems": 2, "maxItems": 2}
    if kind == "multi_input":
        schema["properties"]["inputs"]["minItems"] = 1
    return {"title": kind, **schema}
