"""The project's own source files, and what each of them imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("planner", "cli", "spark_runner")


def sources(*packages: str) -> list[Path]:
    """All Python files of these packages."""
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def relative(path: Path) -> str:
    """A file's path in the repository."""
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    """The package a file lies in."""
    return relative(path.parent).replace("/", ".")


@cache  # each file is read once, and asked about several times
def imported_modules(path: Path, *, top_level: bool = False) -> frozenset[str]:
    """The modules a file imports, anywhere or when it is itself imported; never those for types alone."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if _typing_only(node) or (top_level and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)):
            continue
        found.update(_imported(node))
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def imported_packages(path: Path, *, top_level: bool = False) -> set[str]:
    """The top packages a file imports."""
    return {name.split(".")[0] for name in imported_modules(path, top_level=top_level)}


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
