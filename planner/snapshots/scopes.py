"""Which names of a piece of code belong to it, and which it takes from around it. Read from its tree, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["COMPREHENSIONS", "FUNCTIONS", "arguments_of", "own_names", "taken_names", "variables_of"]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def arguments_of(function: _Scope) -> Iterator[ast.arg]:
    """All arguments of a function, in their order."""
    given = function.args
    yield from (*given.posonlyargs, *given.args, *given.kwonlyargs)
    yield from (one for one in (given.vararg, given.kwarg) if one is not None)


def variables_of(function: ast.AST) -> list[str]:
    """The variables that a function assigns, in their order; none that it declares global or nonlocal.

    Variables of functions, classes and comprehensions inside it are their own.
    """
    found: dict[str, None] = {}
    elsewhere: set[str] = set()
    for node in _inside(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found[node.id] = None
        elif isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
    return [name for name in found if name not in elsewhere]


def own_names(function: ast.AST) -> frozenset[str]:
    """Every name that a function binds: its arguments, its variables, and what is defined or caught inside it."""
    names = set(variables_of(function))
    if isinstance(function, FUNCTIONS):
        names.update(argument.arg for argument in arguments_of(function))
    for node in _inside(function):
        if isinstance(node, _NAMED) and node.name is not None:
            names.add(node.name)
    return frozenset(names)


def _inside(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's own scope. What is evaluated outside it (defaults, decorators) is left out."""
    body = function.body if isinstance(function, FUNCTIONS) else list(ast.iter_child_nodes(function))
    waiting: list[ast.AST] = list(reversed(body)) if isinstance(body, list) else [body]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, FUNCTIONS):
            waiting.extend(reversed(_around(node)))
        elif isinstance(node, ast.ClassDef):
            waiting.extend(reversed([*node.decorator_list, *node.bases, *node.keywords]))
        elif isinstance(node, COMPREHENSIONS):  # only `:=` binds outside it
            waiting.extend(one.target for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
            waiting.append(node.generators[0].iter)
        else:
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _around(function: _Scope) -> list[ast.AST]:
    """What a function's definition evaluates where it stands: decorators and defaults. Annotations compute nothing."""
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return [*decorators, *function.args.defaults, *(one for one in function.args.kw_defaults if one is not None)]


def taken_names(node: ast.AST, bound: frozenset[str] = frozenset()) -> Iterator[ast.Name | ast.Attribute]:
    """The names that code reads and does not bind, alone and with their attributes; `bound` are bound around it."""
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(node, bound)]
    while waiting:
        item, names = waiting.pop()
        inside: list[ast.AST]
        if isinstance(item, FUNCTIONS):
            waiting.extend((one, names) for one in reversed(_around(item)))
            names |= own_names(item)
            inside = list(item.body) if isinstance(item.body, list) else [item.body]
        elif isinstance(item, COMPREHENSIONS):
            names |= {one.id for each in item.generators for one in ast.walk(each.target) if isinstance(one, ast.Name)}
            inside = list(ast.iter_child_nodes(item))
        elif isinstance(item, ast.AnnAssign) and item.value is not None:
            inside = [item.target, item.value]
        else:
            inside = list(ast.iter_child_nodes(item))
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load) and item.id not in names:
            yield item
        elif isinstance(item, ast.Attribute):
            base = item.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id not in names:
                yield item
        waiting.extend((one, names) for one in reversed(inside))
