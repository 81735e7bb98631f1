"""Which saved states the operators of a new job read, as far as the job shows it.

Flink gives an operator its saved states by name. A state that the new operator does not ask for is dropped without a
message. Flink's own operators have fixed names; those of a user's function stand in its source code.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from planner.graphs.stream_graph import StreamNode
from planner.job import Operator, PythonFunction
from planner.kinds import AGGREGATES
from planner.savepoints.state_names import NamedState

__all__ = ["declared_states", "why_dropped"]

_AGGREGATES = AGGREGATES | {"reduce"}
_OF_FLINK = _AGGREGATES | {"window_reduce", "watermarks", "print"}
_KEYED = frozenset({"KEY_VALUE", "KEY_VALUE_V2", "PRIORITY_QUEUE"})
_TYPES = {
    "ValueStateDescriptor": "VALUE",
    "ListStateDescriptor": "LIST",
    "MapStateDescriptor": "MAP",
    "ReducingStateDescriptor": "REDUCING",
    "AggregatingStateDescriptor": "AGGREGATING",
}
_GETTERS = frozenset({"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state"})
_PYTHON_PREFIX = "python-state-"  # PyFlink puts it before the names of a Python function's states
_NAMED_ANEW = re.compile(rf"({_PYTHON_PREFIX})?_reduce_state[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")


def why_dropped(node: StreamNode, state: NamedState, *, keyed: bool) -> str | None:
    """Why the operator does not ask for a saved state; None where it does, or where the job does not show it."""
    if state.kind in _KEYED and not keyed:
        return "it is keyed state, and the operator is not on a keyed stream"
    if state.timers:
        return None
    if _NAMED_ANEW.fullmatch(state.name):
        return "PyFlink names the state of reduce, sum, min and max anew at every start, and never finds it again"
    if state.name in _BUILT_IN:
        owner, owns = _BUILT_IN[state.name]
        return None if owns(node) else f"it belongs to {owner}"
    return _not_declared(node.operator, state)


def _not_declared(operator: Operator, state: NamedState) -> str | None:
    """Why a state that a user's function named is not asked for."""
    name = state.name.removeprefix(_PYTHON_PREFIX)
    if operator.kind in _OF_FLINK:
        # PyFlink makes its own operators of Python functions, with states that are not listed here.
        return None if name != state.name else f"it belongs to a function, and {operator.kind} is Flink's own operator"
    declared = declared_states(operator)
    if declared is None or state.kind == "OPERATOR" or name in declared:
        return None
    has = f"has {', '.join(repr(each) for each in declared)} only" if declared else "has no state"
    return f"the function {has}: the state was renamed or removed"


def _is_new_source(node: StreamNode) -> bool:
    return node.operator.kind == "source" and not node.operator.legacy


def _is_writer(node: StreamNode) -> bool:
    return node.operator.kind == "sink" and node.operator.api == "v2" and node.role == "writer"


# The states of Flink's own operators: whose they are, and whether a node is one.
_BUILT_IN: dict[str, tuple[str, Callable[[StreamNode], bool]]] = {
    "SourceReaderState": ("a source of the new kind", _is_new_source),
    "writer_raw_states": ("the writer of a v2 sink", _is_writer),
    "streaming_committer_raw_states": ("the committer of a v2 sink", lambda node: node.role == "committer"),
    "_op_state": ("a sum, min, max or reduce", lambda node: node.operator.kind in _AGGREGATES),
    "window-contents": ("a window", lambda node: node.operator.kind == "window_reduce"),
}


def declared_states(operator: Operator) -> dict[str, str] | None:
    """The keyed states that the operator's function declares, by name with their type; None where that is not visible.

    An expression and a plain function have none: only an object can keep one from its `open` on.
    """
    behaviour = operator.behaviour
    if behaviour is None:
        return None
    if not isinstance(behaviour, PythonFunction):
        return {}
    target = behaviour.target
    if target is None:
        return None
    if inspect.isfunction(target) or inspect.isbuiltin(target):
        return {}
    found: dict[str, str] = {}
    for kind in type(target).__mro__[:-1]:
        if kind.__module__.startswith(("planner.", "pyflink.", "builtins")):
            continue
        declared = _declared_in(kind)
        if declared is None:
            return None
        found.update(declared)
    return found


def _declared_in(kind: type) -> dict[str, str] | None:
    if not any(inspect.isfunction(each) for each in vars(kind).values()):
        return {}  # without methods there is nobody to ask for a state
    tree = _definition(kind)
    if tree is None:
        return None
    asked = sum(_called(call) in _GETTERS for call in _calls(tree))
    declared: dict[str, str] = {}
    for call in _calls(tree):
        type_ = _TYPES.get(_called(call))
        if type_ is None:
            continue
        name = _first_argument(call)
        if name is None:
            return None  # the name is made when the job runs
        declared[name] = type_
    return declared if len(declared) == asked else None


def _definition(kind: type) -> ast.ClassDef | None:
    """The class in its source file, found by the place of one of its methods."""
    code = next((each.__code__ for each in vars(kind).values() if inspect.isfunction(each)), None)
    if code is None:
        return None
    try:
        tree = ast.parse(Path(code.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            if any(code.co_firstlineno in (each.lineno, *_decorated(each)) for each in methods):
                return node
    return None


def _decorated(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[int]:
    return (decorator.lineno for decorator in method.decorator_list)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _first_argument(call: ast.Call) -> str | None:
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "name")]
    first = given[0] if given else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
