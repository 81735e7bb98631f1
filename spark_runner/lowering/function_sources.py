"""Finds the source of a function and proves that it is the function: it compiles to the very same code."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from types import CodeType, FunctionType
from typing import Any

__all__ = ["FunctionNode", "UnknownSource", "source_of", "surroundings"]

FunctionNode = ast.FunctionDef | ast.Lambda


class UnknownSource(Exception):
    """What a function does cannot be read from its source."""


def source_of(function: FunctionType) -> FunctionNode:
    """The function as a tree. Raises UnknownSource where its source cannot be read."""
    code = function.__code__
    if code in _codes(code.co_filename):  # equal also in the columns of every instruction
        for node in _functions(code.co_filename):
            if _encloses(node, code):
                return node
    raise UnknownSource("its source cannot be read")


def surroundings(function: FunctionType, name: str) -> Any:
    """The value of a name that a function reads from around it. Raises UnknownSource where it might change."""
    code, values = function.__code__, function.__closure__ or ()
    if _assigned_elsewhere(code.co_filename, name):
        raise UnknownSource(f"it reads {name}, which the job's file changes with a global or nonlocal statement")
    if name in code.co_freevars:
        try:
            return values[code.co_freevars.index(name)].cell_contents
        except ValueError:
            raise UnknownSource(f"it reads {name}, which has no value yet") from None
    if name in function.__globals__:
        return function.__globals__[name]
    builtins = function.__globals__.get("__builtins__")
    found = builtins if isinstance(builtins, dict) else vars(builtins) if builtins is not None else {}
    if name not in found:
        raise UnknownSource(f"it reads {name}, which is not defined")
    return found[name]


@functools.lru_cache(maxsize=64)
def _tree(file: str) -> ast.Module | None:
    lines = linecache.getlines(file)
    try:
        return ast.parse("".join(lines)) if lines else None
    except (SyntaxError, ValueError):
        return None


@functools.lru_cache(maxsize=64)
def _functions(file: str) -> tuple[FunctionNode, ...]:
    tree = _tree(file)
    if tree is None:
        return ()
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda))
    return tuple(node for node in found if isinstance(node, ast.Lambda) or not node.decorator_list)


@functools.lru_cache(maxsize=64)
def _changed_names(file: str) -> frozenset[str]:
    tree = _tree(file)
    statements = () if tree is None else (n for n in ast.walk(tree) if isinstance(n, ast.Global | ast.Nonlocal))
    return frozenset(name for one in statements for name in one.names)


def _assigned_elsewhere(file: str, name: str) -> bool:
    return name in _changed_names(file)


@functools.lru_cache(maxsize=64)
def _codes(file: str) -> frozenset[CodeType]:
    """All functions of a file as Python compiles them."""
    tree = _tree(file)
    if tree is None:
        return frozenset()
    found: set[CodeType] = set()
    waiting = [compile(tree, file, "exec", dont_inherit=True)]
    while waiting:
        inner = [one for one in waiting.pop().co_consts if inspect.iscode(one)]
        found.update(inner)
        waiting += inner
    return frozenset(found)


def _encloses(node: FunctionNode, code: CodeType) -> bool:
    """Whether the function's instructions come from this node, and from no function inside or around it."""
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    if node.lineno != code.co_firstlineno or name != code.co_name:
        return False
    first = node.body[0] if isinstance(node.body, list) else node.body
    last = node.body[-1] if isinstance(node.body, list) else node.body
    begin, end = (first.lineno, first.col_offset), (last.end_lineno or 0, last.end_col_offset or 0)
    places = [one for one in code.co_positions() if None not in one and (one[0], one[2]) != (code.co_firstlineno, 0)]
    return bool(places) and all(begin <= (p[0], p[2]) and (p[1], p[3]) <= end for p in places)
