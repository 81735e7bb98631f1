"""Which saved states the operators of a new job read, as far as the job shows it.

Flink gives an operator its saved states by name. A state that the new operator does not ask for is dropped without a
message. Flink's own operators have fixed names; those of a user's function stand in its source code.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from planner.graphs.stream_graph import StreamNode
from planner.job import Operator, PythonFunction
from planner.savepoints.state_names import NamedState

__all__ = ["declared_states", "reads_state"]

_AGGREGATES = frozenset({"sum", "min", "max", "reduce"})
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


def reads_state(node: StreamNode, state: NamedState, *, keyed: bool) -> bool | None:
    """Whether the operator asks for a saved state of this name; None where the job does not show it."""
    if state.kind in _KEYED and not keyed:
        return False  # keyed state is there on a keyed stream only
    if state.timers:
        return None
    built_in = _reads_built_in(node, state.name)
    if built_in is not None:
        return built_in
    if node.operator.kind in (*_AGGREGATES, "window_reduce", "watermarks", "print"):
        return False
    declared = declared_states(node.operator)
    if declared is None or state.kind == "OPERATOR":
        return None
    return state.name.removeprefix(_PYTHON_PREFIX) in declared or state.name in declared


def _reads_built_in(node: StreamNode, name: str) -> bool | None:
    """Whether the operator is the one of Flink's that uses this name; None for names of users."""
    operator = node.operator
    match name:
        case "SourceReaderState":
            return operator.kind == "source" and not operator.legacy
        case "writer_raw_states":
            return operator.kind == "sink" and operator.api == "v2" and node.role == "writer"
        case "streaming_committer_raw_states":
            return node.role == "committer"
        case "_op_state":
            return operator.kind in _AGGREGATES
        case "window-contents":
            return operator.kind == "window_reduce"
        case _:
            return None


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
