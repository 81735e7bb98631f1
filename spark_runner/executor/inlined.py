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

__all__ = ["Inlined", "Written", "surroundings", "written"]


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
    whole: bool  # it reads the record as a whole, and not only elements whose variables are known


def written(body: Inlined, variable: str, parts: tuple[str, ...], prefix: str) -> Written:
    """The expression over `variable`, or over the variables of its elements; outer names get the prefix."""
    names = _Names(body, variable, parts, prefix)
    tree = names.visit(ast.parse(body.expression, mode="eval").body)
    is_tuple = isinstance(tree, ast.Tuple) and bool(tree.elts)
    texts = tuple(map(ast.unparse, tree.elts if is_tuple else [tree]))
    return Written(texts=texts, is_tuple=is_tuple, whole=names.whole)


class _Names(ast.NodeTransformer):
    def __init__(self, body: Inlined, variable: str, parts: tuple[str, ...], prefix: str) -> None:
        self.body, self.variable, self.parts, self.prefix = body, variable, parts, prefix
        self.whole = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(at))) if (
                name == self.body.parameter and type(at) is int and 0 <= at < len(self.parts)
            ):
                return ast.Name(self.parts[at], ast.Load())
        return self.generic_visit(node)

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
