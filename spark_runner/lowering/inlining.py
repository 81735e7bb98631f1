"""Finds functions of one plain expression, which the loop on a worker then computes without a call.

What an expression may call is listed here: functions and methods of Python's own types, without an effect outside.
So the function can be called once more for a record that failed, to tell its author about it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from types import FunctionType
from typing import Any

from spark_runner.executor.inlined import Inlined
from spark_runner.lowering.function_sources import FunctionNode, UnknownSource, source_of, surroundings

__all__ = ["inlined"]

_LONGEST = 1_000  # characters
_NODES = (
    *(ast.Attribute, ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.Constant, ast.Dict, ast.FormattedValue),
    *(ast.IfExp, ast.JoinedStr, ast.List, ast.Name, ast.Slice, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.keyword),
    *(ast.boolop, ast.cmpop, ast.operator, ast.unaryop, ast.expr_context),
)
_FUNCTIONS = frozenset(
    (
        *("abs", "bool", "chr", "dict", "divmod", "float", "hash", "int", "isinstance", "len", "list", "max", "min"),
        *("ord", "pow", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"),
    )
)
_TYPES = ("bool", "bytes", "dict", "float", "int", "list", "str", "tuple")  # that isinstance() may ask for
_METHODS = frozenset(
    name
    for kind in (str, bytes, int, float, tuple, frozenset)
    for name in vars(kind)
    if not name.startswith("_") and callable(getattr(kind, name))
) | {"as_dict", "get", "items", "keys", "values"}
_CONSTANTS = (bool, bytes, float, int, str, type(None))


def inlined(function: Any, kind: str) -> Inlined | None:
    """The one expression of the function of a map, filter or flat_map; None where it is more than that."""
    if not isinstance(function, FunctionType) or callable(getattr(function, kind, None)):
        return None
    code = function.__code__
    wide = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE)
    if code.co_argcount != 1 or code.co_kwonlyargcount or wide or function.__defaults__:
        return None
    try:
        expression = _expression(source_of(function))
        outer = None if expression is None else _outer_names(function, expression)
    except UnknownSource:
        return None
    if expression is None or outer is None:
        return None
    text = ast.unparse(expression)
    if len(text) > _LONGEST or "\n" in text:  # each line of the loop belongs to one operator
        return None
    return Inlined(parameter=code.co_varnames[0], expression=text, outer=outer)


def _expression(node: FunctionNode) -> ast.expr | None:
    if isinstance(node, ast.Lambda):
        return node.body
    match [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]:
        case [ast.Return(value=expression)]:
            return expression
    return None


def _outer_names(function: FunctionType, expression: ast.expr) -> tuple[str, ...] | None:
    """The names it reads from around it; None where it does something that must not happen twice, or may change."""
    called = [node.func for node in ast.walk(expression) if isinstance(node, ast.Call)]
    parameter, found = function.__code__.co_varnames[0], dict[str, None]()
    for node in ast.walk(expression):
        if not isinstance(node, _NODES) or (isinstance(node, ast.Attribute) and node.attr.startswith("__")):
            return None
        if isinstance(node, ast.Call) and not isinstance(node.func, ast.Name | ast.Attribute):
            return None
        if isinstance(node, ast.Attribute) and node in called and node.attr not in _METHODS:
            return None
        if isinstance(node, ast.Name) and node.id != parameter:
            if not _harmless(node.id, surroundings(function, node.id), node in called):
                return None
            found[node.id] = None
        elif isinstance(node, ast.Name) and node in called:
            return None  # the record itself is called
    return tuple(found)


def _harmless(name: str, value: Any, called: bool) -> bool:
    own = vars(builtins).get(name)
    if called:
        return name in _FUNCTIONS and value is own
    return type(value) in _CONSTANTS or (name in _TYPES and value is own)
