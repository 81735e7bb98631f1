"""What an operator computes, as one short text that survives reformatting, comments and moved lines.

The text tells operators apart that share kind and name, and shows where a key or an aggregate was changed. It is taken
from the definition: SQL, column names, paths, a function's name; a lambda is read back from its source file.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from planner.job import (
    Aggregate,
    Behaviour,
    Collection,
    Explode,
    Join,
    Operator,
    Partition,
    PythonFunction,
    Reader,
    Select,
    Sequence,
    Watermarks,
    Where,
    Window,
    Writer,
)
from planner.settings.durations import format_duration

# How descriptions begin that are read again: by `gives_columns`, `selection` and `modern`.
_SELECT, _EXPLODE = "select ", "explode "
_JOINED = re.compile(rf"\w+ join {_SELECT}")
_QUERY = re.compile(r"\[\d+\]:(?=\w+[(\[])")  # `[4]:Calc(select=[id])`: what Flink's SQL planner calls an operator
_TIMED = ("tumbling ", "sliding ", "session ", "watermarks ")


def describe_behaviour(operator: Operator) -> str | None:
    """What the operator does when it runs; None where the job does not say."""
    if operator.merged:
        return ", ".join(describe_behaviour(part) or part.kind for part in operator.merged)
    return None if operator.behaviour is None else _behaviour(operator.behaviour)


def sql_query(description: str | None) -> str | None:
    """What a SQL operator computes, without its number, which depends on the statements before."""
    found = _QUERY.match(description or "")
    return (description or "")[found.end() :] if found else None


def describe_key(partitions: tuple[Partition, ...]) -> str | None:
    """The key of a keyed operator, one part per input."""
    parts = [_key(p) for p in partitions]
    return " | ".join(part for part in parts if part) or None if len(set(parts)) != 1 else parts[0]


def function_text(function: PythonFunction | None) -> str | None:
    """A function by its reference or name, a lambda by its source."""
    if function is None:
        return None
    if function.reference is not None:
        return function.reference
    return callable_text(function.target)


def _key(partition: Partition) -> str | None:
    if partition.key_columns:
        return ", ".join(partition.key_columns)
    return function_text(partition.key_selector)


def _columns(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{expression} as {name}" for name, expression in columns)


def _behaviour(behaviour: Behaviour) -> str | None:
    match behaviour:
        case PythonFunction():
            return function_text(behaviour)
        case Where():
            return f"where {behaviour.condition}"
        case Select():
            return f"{_SELECT}{_columns(behaviour.columns)}"
        case Explode():
            return f"{_EXPLODE}{behaviour.expression} as {behaviour.column}"
        case Aggregate():
            return f"field {behaviour.field}"
        case Join():
            return f"{behaviour.how} join" + (f" select {_columns(behaviour.select)}" if behaviour.select else "")
        case Window():
            return _window(behaviour)
        case Watermarks():
            lateness = format_duration(behaviour.out_of_orderness)
            return f"watermarks {behaviour.time or function_text(behaviour.assigner)} {lateness}"
        case Collection():
            return "collection"
        case Sequence():
            return f"sequence {behaviour.start}..{behaviour.end}"
        case Reader() | Writer():
            return f"{behaviour.format} {behaviour.path or ''}".rstrip()


def _window(window: Window) -> str:
    slide = f" every {format_duration(window.slide)}" if window.slide is not None else ""
    offset = f" offset {format_duration(window.offset)}" if window.offset else ""
    function = function_text(window.function)
    size = format_duration(window.size)
    return f"{window.assigner} {size}{slide}{offset} {window.form}" + (f" {function}" if function else "")


def gives_columns(does: str | None) -> bool:
    """Whether a described behaviour names the columns of its result."""
    return does is not None and (does.startswith((_SELECT, _EXPLODE)) or _JOINED.match(does) is not None)


def joins(does: str | None) -> bool:
    """Whether a described behaviour is a join that keeps the columns of both sides."""
    return does is not None and re.fullmatch(r"\w+ join", does) is not None


def selection(does: str) -> str:
    """The columns of a behaviour that names them: `n + 1 as n, user as user`."""
    joined = _JOINED.match(does)
    return does[joined.end() :] if joined else does.removeprefix(_SELECT).removeprefix(_EXPLODE)


def modern(does: str | None) -> str | None:
    """A description as it is written today; older baselines have all durations in milliseconds."""
    if does is None or not does.startswith(_TIMED):
        return does
    return re.sub(r"(?<= )(\d{1,18})ms(?= |$)", lambda found: format_duration(int(found[1])), does)


def callable_text(target: Any) -> str | None:
    code = getattr(target, "__code__", None)
    if isinstance(code, CodeType) and code.co_name == "<lambda>":
        return _lambda(code)
    name = getattr(target, "__qualname__", None) or type(target).__qualname__
    return str(name)


def _lambda(code: CodeType) -> str:
    """The lambda's source in canonical form, found by the place of its body; `lambda` where the source is gone."""
    positions = [
        (line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None
    ]
    places = _lambdas_of(code.co_filename)
    for line, column in positions:
        found = places.get((line, column))
        if found is not None:
            return found
    return "lambda"


def _lambdas_of(file: str) -> dict[tuple[int, int], str]:
    try:
        status = Path(file).stat()
    except OSError:
        return {}
    return _lambdas(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _lambdas(file: str, changed: int, size: int) -> dict[tuple[int, int], str]:
    """Every lambda of a file, by the place of every expression in its body that may be evaluated first."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[tuple[int, int], str] = {}
    for node in ast.walk(tree):  # outer lambdas first, so that an inner one takes its own places over
        if isinstance(node, ast.Lambda):
            text = _canonical(node)
            for inner in ast.walk(node.body):
                if isinstance(inner, ast.expr):
                    found[inner.lineno, inner.col_offset] = text
    return found


def _canonical(node: ast.Lambda) -> str:
    """A lambda with its parameters numbered, so that renaming them changes nothing."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    names = {argument.arg: f"_{number}" for number, argument in enumerate(arguments, start=1)}
    copy = ast.parse(ast.unparse(node), mode="eval").body
    assert isinstance(copy, ast.Lambda)
    renamed = _Renamed(names)
    copy.body = renamed.visit(copy.body)
    for argument in ast.walk(copy.args):
        if isinstance(argument, ast.arg):  # a default means a name outside
            renamed.visit_arg(argument)
    return ast.unparse(copy)


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node
