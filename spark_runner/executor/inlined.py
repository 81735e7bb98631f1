"""Functions of one expression, written into the loop instead of being called by it. Runs on executors.

A call costs more than most of these expressions. Nobody sees the difference: when one fails, the function itself is
called with the record, for the author's own exception and lines.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from spark_runner.executor.rows import row_class

__all__ = ["Inlined", "Parts", "Written", "surroundings", "written"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlined:
    """The expression that a function returns. `outer` are the names it reads from around it."""

    parameter: str
    expression: str
    outer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An expression over variables of the loop: one text, or one for each element of a tuple."""

    texts: tuple[str, ...]
    is_tuple: bool
    whole: bool = True  # it reads the record as a whole, and not only elements whose variables are known
    read: frozenset[str] = frozenset()  # the variables of elements that it reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Variables that stand for a record, one for each element, and the names that these have in a row."""

    variables: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def named(self, name: object, *, attribute: bool) -> str | None:
        """The variable of an element that is read by name."""
        if self.names.count(str(name)) != 1 or (attribute and str(name) not in vars(row_class(self.names))):
            return None
        return self.variables[self.names.index(str(name))]


def written(body: Inlined, variable: str, parts: Parts, prefix: str) -> Written:
    """The expression over `variable`, or over the variables of its elements; outer names get the prefix."""
    names = _Names(body, variable, parts, prefix)
    tree = names.visit(ast.parse(body.expression, mode="eval").body)
    is_tuple = isinstance(tree, ast.Tuple) and bool(tree.elts)
    texts = tuple(map(ast.unparse, tree.elts if is_tuple else [tree]))
    return Written(texts=texts, is_tuple=is_tuple, whole=names.whole, read=frozenset(names.read))


class _Names(ast.NodeTransformer):
    def __init__(self, body: Inlined, variable: str, parts: Parts, prefix: str) -> None:
        self.body, self.variable, self.parts, self.prefix = body, variable, parts, prefix
        self.whole = False
        self.read: set[str] = set()

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        found = None
        if self._is_record(node.value) and isinstance(node.slice, ast.Constant):
            at = node.slice.value
            if type(at) is int and 0 <= at < len(self.parts.variables):
                found = self.parts.variables[at]
            elif type(at) is str:
                found = self.parts.named(at, attribute=False)
        return self.generic_visit(node) if found is None else self._part(found)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        found = self.parts.named(node.attr, attribute=True) if self._is_record(node.value) else None
        return self.generic_visit(node) if found is None else self._part(found)

    def _is_record(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.body.parameter

    def _part(self, variable: str) -> ast.AST:
        self.read.add(variable)
        return ast.Name(variable, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self.body.parameter:
            self.whole = True
            return ast.Name(self.variable, ast.Load())
        return ast.Name(self.prefix + node.id, ast.Load())


def surroundings(function: Any, outer: tuple[str, ...]) -> dict[str, Any] | None:
    """What these names mean to a function; None where one of them means nothing."""
    if not isinstance(function, FunctionType):
        return None
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    try:
        closed: Mapping[str, Any] = {name: cell.cell_contents for name, cell in cells if name in outer}
    except ValueError:  # no value yet
        return None
    found: dict[str, Any] = {}
    for name in outer:
        place = next((one for one in (closed, function.__globals__, vars(builtins)) if name in one), None)
        if place is None:
            return None
        found[name] = place[name]
    return found
