"""The reference pages under docs/reference, written from the code (`make docs`)."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import planner

__all__ = ["reference_pages", "write_reference_pages"]

_NOTE = "<!-- Written by `make docs` from the code; change it there. -->"
_ON_EVERY_OPERATOR = "On every operator"
_PLURALS = {"text": "texts", "an input": "inputs", "an operator": "operators"}
_CLASSES = (
    "StreamExecutionEnvironment",
    "DataStream",
    "KeyedStream",
    "WindowedStream",
    "ConnectedStreams",
    "AsyncDataStream",
    "DataStreamSink",
    "WatermarkStrategy",
    "Types",
)


def reference_pages() -> dict[str, str]:
    """Every reference page by its file name."""
    return {"yaml.md": "\n".join(_yaml_page()), "python.md": "\n".join(_python_page())}


def write_reference_pages(folder: Path) -> None:
    """Write all reference pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in reference_pages().items():
        (folder / name).write_text(text, encoding="utf-8")


# --- YAML


def _yaml_page() -> Iterator[str]:
    schema = planner.job_schema()
    kinds = {kind["title"]: kind for kind in schema["$defs"]["operator"]["oneOf"]}
    shared = set.intersection(*(set(kind["properties"]) for kind in kinds.values()))
    yield from ("# YAML: operator types and keys", "", _NOTE, "")
    yield "`plan schema` prints the same as JSON Schema, for editors. Keys in **bold** are required."
    yield from ("", "## The job", "", *_keys(schema, skip=set()))
    yield from ("", "### restart_strategy", "", *_keys(schema["properties"]["restart_strategy"], skip=set()))
    yield from ("", f"## {_ON_EVERY_OPERATOR}", "", *_keys(next(iter(kinds.values())), only=shared))
    yield from ("", "## Inputs", "")
    yield "An input is the id of an operator, a list of inputs (a union), or a mapping with these keys:"
    yield from ("", *_keys(schema["$defs"]["input"]["anyOf"][2], skip=set()))
    yield from ("", "## Operator types", "", f"Each takes its own keys, and those under *{_ON_EVERY_OPERATOR}*.")
    for name, kind in kinds.items():
        yield from ("", f"### {name}", "", *_keys(kind, skip=shared))
    yield ""


def _keys(schema: Mapping[str, Any], *, skip: set[str] | None = None, only: set[str] | None = None) -> Iterator[str]:
    yield from ("| key | value | meaning |", "| --- | --- | --- |")
    for name, value in schema["properties"].items():
        if name in (skip or ()) or (only is not None and name not in only) or name == "$schema":
            continue
        shown = f"**`{name}`**" if name in schema.get("required", ()) else f"`{name}`"
        yield f"| {shown} | {_value(value)} | {_cell(value.get('description', ''))} |"


def _value(schema: Mapping[str, Any]) -> str:
    """What may be written for a key, in a few words."""
    if "enum" in schema:
        return ", ".join(f"`{_literal(choice)}`" for choice in schema["enum"])
    if "const" in schema:
        return "the type's name"
    if "anyOf" in schema or "oneOf" in schema:
        words = dict.fromkeys(_value(one) for one in schema.get("anyOf", schema.get("oneOf", ())))
        return " or ".join(words)
    if "$ref" in schema:
        return f"an {schema['$ref'].rsplit('/', 1)[-1]}"
    if schema.get("type") == "array":
        return f"a list of {_PLURALS.get(_value(schema['items']), 'values')}" if schema.get("items") else "a list"
    known = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "`true` or `false`"}
    return known.get(str(schema.get("type")), "a mapping" if schema.get("type") == "object" else "any value")


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- Python


def _python_page() -> Iterator[str]:
    yield from ("# Python: classes and methods", "", _NOTE, "")
    yield "Everything is imported from `planner`. Names and arguments are those of PyFlink's DataStream API."
    for name in _CLASSES:
        yield from ("", f"## {name}", "", *_methods(getattr(planner, name)))
    yield from ("", "## Everything else that can be imported", "", "| name | what it is |", "| --- | --- |")
    for name in sorted(set(planner.__all__) - set(_CLASSES), key=lambda name: (name.lower(), name)):
        yield f"| `{name}` | {_summary(getattr(planner, name))} |"
    yield ""


def _methods(kind: type) -> Iterator[str]:
    yield from (_summary(kind), "", "| method | what it does |", "| --- | --- |")
    for name, value in inspect.getmembers(kind):
        if name.startswith("_") or not callable(value):
            continue
        yield f"| `{_cell(name + _arguments(value))}` | {_summary(value)} |"


def _arguments(function: Any) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    names = [_argument(one) for one in signature.parameters.values() if one.name not in ("self", "cls")]
    return f"({', '.join(names)})"


def _argument(parameter: inspect.Parameter) -> str:
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    star = stars.get(parameter.kind, "")
    given = "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
    return f"{star}{parameter.name}{given}"


def _summary(value: object) -> str:
    """The first sentence of a docstring."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return _cell(text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    write_reference_pages(Path(sys.argv[1]))
