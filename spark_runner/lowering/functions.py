"""Finds user functions by reference, before anything starts, and looks at how they want to be called."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any, Literal

from planner.errors import JobDefinitionError
from planner.job import Operator, PythonFunction

WindowForm = Literal["reduce", "aggregate", "process"]


def resolve(function: PythonFunction, owner: Operator, folder: Path) -> PythonFunction:
    """The function with its target loaded. References are `package.module:name` or `./file.py:name`."""
    if function.reference is None or function.target is not None:
        return function
    place, _, name = function.reference.rpartition(":")
    if not place or not name:
        raise JobDefinitionError(
            f"operator {owner.key!r}: {function.reference!r} names no function",
            location=owner.location,
            hint="write package.module:name or ./file.py:name",
        )
    try:
        module = _load(place, folder)
        target: Any = module
        for part in name.split("."):
            target = getattr(target, part)
    except Exception as error:
        raise JobDefinitionError(
            f"operator {owner.key!r}: cannot load {function.reference!r}: {type(error).__name__}: {error}",
            location=owner.location,
        ) from error
    return PythonFunction(target=target, reference=function.reference)


_elsewhere: dict[Path, Any] = {}  # files that no import finds by their name, already run


def _load(place: str, folder: Path) -> Any:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = (folder / place).resolve()
    if path in _elsewhere:
        return _elsewhere[path]
    loaded = sys.modules.get(path.stem)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    found_by_name = path.parent == folder and loaded is None
    module = _run(path, keep=found_by_name)
    if not found_by_name:
        _elsewhere[path] = module
    return module


def _run(path: Path, *, keep: bool) -> Any:
    """A file as a module. One that is not kept under its name is pickled by value: executors would not find it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module
    kept = False
    try:
        spec.loader.exec_module(module)
        kept = keep
    finally:
        if not kept:
            del sys.modules[path.stem]
            if before is not None:
                sys.modules[path.stem] = before
    return module


def window_form(target: Any, asked: WindowForm) -> WindowForm:
    """How a window calls its function: as asked, or as the class that a YAML job names wants to be called."""
    if asked == "reduce" and not callable(getattr(target, "reduce", None)):
        if callable(getattr(target, "create_accumulator", None)):
            return "aggregate"
        if callable(getattr(target, "process", None)) or callable(getattr(target, "apply", None)):
            return "process"
    return asked


def opens(function: PythonFunction) -> bool:
    """Whether a function has an open() of its own, where keyed state would be asked for."""
    target = function.target if isinstance(function.target, type) else type(function.target)
    opening = getattr(target, "open", None)
    return callable(opening) and not getattr(opening, "__module__", "").startswith("planner.frontends.")
