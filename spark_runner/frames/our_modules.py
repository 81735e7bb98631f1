"""Which files of this project executors get: their own room, and of `planner` what user functions are made of.

A module beside the job may import more of `planner`; then it gets what that needs too. The driver of cluster mode
gets everything.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import planner

__all__ = ["PACKAGES", "files_for_driver", "files_for_executors"]

PACKAGES = ("planner", "spark_runner")
_ROOT = Path(__file__).parents[2]
_EXECUTOR = "spark_runner/executor"
# Base classes, state descriptors, rows and types, times: what a function may name that runs on a worker.
_OF_FUNCTIONS = (
    "planner.frontends.python.declared.functions",
    *(
        f"planner.frontends.python.values.{name}"
        for name in ("rows", "times", "triggers", "types", "watermarks", "windows")
    ),
)
_MENTIONS_US = re.compile(rb"^\s*(?:from|import)\s+planner\b", re.MULTILINE)


def files_for_executors(theirs: Iterable[Path], *, pyflink: bool = False) -> dict[str, Path]:
    """By their place in the zip; `theirs` are the job's modules, which executors import by name.

    Functions of a PyFlink script may name anything of PyFlink, so all of its stand-in goes with them.
    """
    if not _ROOT.is_dir():
        return {}  # this is the driver on a cluster: it runs from a zip that executors have already
    wanted = {*_OF_FUNCTIONS, *(_stand_in() if pyflink else ())}
    for path in theirs:
        content = path.read_bytes()
        if _MENTIONS_US.search(content):
            wanted.update(_imports(content))
    files = {_place(path): path for module in _with_imports(frozenset(wanted)) for path in _files_of(module)}
    own = (_ROOT / _EXECUTOR).rglob("*.py")
    return files | {_place(path): path for path in (_ROOT / "spark_runner" / "__init__.py", *own)}


@functools.cache
def _stand_in() -> tuple[str, ...]:
    found = (_ROOT / "planner" / "frontends" / "python").rglob("*.py")
    return tuple(_place(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in found)


@functools.cache
def files_for_driver() -> dict[str, Path]:
    """Everything that a driver needs which runs on the cluster."""
    return {_place(path): path for package in PACKAGES for path in (_ROOT / package).rglob("*.py")}


def _place(path: Path) -> str:
    return path.relative_to(_ROOT).as_posix()


@functools.cache
def _with_imports(modules: frozenset[str]) -> tuple[str, ...]:
    """The modules, and whatever of `planner` they import in turn."""
    found: dict[str, None] = {}
    open_modules = sorted(modules)
    while open_modules:
        module = open_modules.pop()
        path = _file_of(module)
        if module not in found and path is not None:
            found[module] = None
            open_modules += sorted(_imports(path.read_bytes()))
    return tuple(found)


def _files_of(module: str) -> Iterator[Path]:
    """A module's file and those of the packages around it."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        path = _file_of(".".join(parts[:end]))
        if path is not None:
            yield path


def _file_of(module: str) -> Path | None:
    place = _ROOT.joinpath(*module.split("."))
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def _imports(content: bytes) -> set[str]:
    """The modules of `planner` that a source imports when it runs."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(content)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name.partition(".")[0] == "planner")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "planner":
            found.add(node.module)
            found.update(_home(node.module, alias.name) for alias in node.names)
        pending += ast.iter_child_nodes(node)
    return found


def _home(module: str, name: str) -> str:
    """The module of `from module import name`: itself one, or where one of our public names is defined."""
    if module == "planner" and _file_of(f"planner.{name}") is None:
        return str(getattr(getattr(planner, name, None), "__module__", module))
    return f"{module}.{name}"
