"""Write down every public name of an installed PyFlink's DataStream API, with the arguments of every call.

FLINK_PYTHON benchmarks/pyflink/api_names.py > api.json
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import pkgutil
import sys
from typing import Any

SKIPPED = ("tests", "j_", "_")


def arguments(function: Any) -> list[str] | None:
    """The names of a call's arguments; a star in front of those that take several."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [stars.get(parameter.kind, "") + parameter.name for parameter in found]
    return [name for name in names if name != "self" and not name.startswith("j_")]


def members(kind: type) -> dict[str, Any]:
    """The public members of a class."""
    found: dict[str, Any] = {}
    if issubclass(kind, enum.Enum):
        return dict.fromkeys(kind.__members__)
    for name, member in inspect.getmembers(kind):
        if name.startswith(SKIPPED) or "java" in name:
            continue
        found[name] = arguments(member) if callable(member) and not inspect.isclass(member) else None
    if "__init__" in vars(kind):
        found["__init__"] = arguments(kind)
    return found


def module_names(module: Any) -> dict[str, Any]:
    """The public names that a module defines."""
    found: dict[str, Any] = {}
    for name, value in vars(module).items():
        own = getattr(value, "__module__", "").startswith("pyflink.")
        if name.startswith("_") or not own or not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        found[name] = members(value) if inspect.isclass(value) else arguments(value)
    return found


def main() -> None:
    """Print the names of all modules."""
    found: dict[str, Any] = {}
    for top in ("pyflink.common", "pyflink.datastream", "pyflink.metrics"):
        package = importlib.import_module(top)
        names = [top, *(m.name for m in pkgutil.walk_packages(package.__path__, f"{top}."))]
        for name in names:
            if ".tests" not in name:
                found[name] = module_names(importlib.import_module(name))
    json.dump(found, sys.stdout, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
