"""Every declared value of a job, changed one at a time, with the level that `plan diff` must give the change.

`yaml_mutations` walks a job of the YAML format, `script_mutations` the constants and the telling names of a Python
file. Each mutation says where it is and which levels are right. `RIGHTLY_IGNORED` is the written list of what is no
change, and `EXPECTED` the one of what is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ANY = frozenset({"state-breaking", "result", "performance", "safe"})
STATE = frozenset({"state-breaking"})
RESULT = frozenset({"result"})
COST = frozenset({"performance"})
# What decides where records go, and with it whether state still means the same.
WIRING = frozenset({"state-breaking", "result", "performance"})

# Keys of the YAML format whose change is no change of the job, with the reason.
RIGHTLY_IGNORED = {
    "id": "an id is only how the file refers to an operator",
    "description": "a text for people",
    "ignore": "a word to lint",
    "$schema": "a word to editors",
}

# By key of the YAML format: the levels that are right. Among the reported changes one must have such a level.
EXPECTED: Mapping[str, frozenset[str]] = {
    "name": frozenset({"safe"}),
    "type": WIRING,
    "uid": ANY,  # by the state of the operator: a uid of no state is safe
    "uid_hash": ANY,
    "input": WIRING | STATE,
    "inputs": WIRING | STATE,
    "from": WIRING | STATE,
    "partition": RESULT | COST | frozenset({"safe"}),  # safe: a later partition overrides it
    "exchange": COST,
    "side_output": WIRING,
    "key": RESULT,
    "key_by": STATE | RESULT,
    "parallelism": frozenset({"performance", "state-breaking", "safe"}),
    "max_parallelism": frozenset({"state-breaking", "safe"}),
    "slot_sharing_group": COST,
    "co_location_group": COST,
    "buffer_timeout": COST,
    "chaining": COST,
    "chain_different_max_parallelism": COST,
    "chain_sources": COST,
    "runtime_mode": frozenset({"state-breaking", "safe"}),
    "restart_strategy": COST,
    "options": RESULT | COST | STATE | frozenset({"safe"}),
    "legacy": STATE | RESULT,
    "parallel": COST,
    "bounded": RESULT,
    "collection": RESULT,
    "schema": RESULT,
    "format": RESULT,
    "path": RESULT,
    "mode": RESULT,
    "time": RESULT,
    "watermark": RESULT,
    "function": RESULT,
    "output": RESULT,
    "select": RESULT,
    "where": RESULT,
    "explode": RESULT,
    "as": RESULT,
    "field": RESULT,
    "join": RESULT,
    "capacity": COST,
    "timeout": RESULT,
    "window": RESULT | STATE,
    "api": WIRING,
    "committer": WIRING,
}

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "partition": ("rebalance", "rescale", "shuffle", "broadcast", "global"),
    "exchange": ("pipelined", "batch"),
    "chaining": ("start_new", "disable"),
    "runtime_mode": ("streaming", "batch", "automatic"),
    "join": ("inner", "left", "right", "full"),
    "mode": ("error", "overwrite", "append"),
    "api": ("v1", "v2"),
}
_KINDS = ("map", "flat_map", "filter", "process", "sum", "min", "max", "reduce", "window_reduce", "sink", "print")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One changed value: where it is, the job with it, and the levels that are right; none: rightly ignored."""

    where: str
    make: Callable[[], Any]  # most mutations are only counted, and making one copies the whole job
    levels: frozenset[str]
    lines: frozenset[int] = frozenset()  # of a Python file: where the value is used
    call: str = ""

    @property
    def job(self) -> Any:
        """The changed job."""
        return self.make()


def yaml_mutations(job: Mapping[str, Any]) -> Iterator[Mutation]:
    """Every value of a job in the YAML format's shape, changed in turn; some of the results are no valid jobs."""
    for path in _leaves(job, ()):
        key = _deciding_key(path)
        value = _at(job, path)
        for other in _others(job, path, key, value):
            yield Mutation(
                where=f"{'.'.join(map(str, path))}: {value!r} -> {other!r}",
                make=partial(_changed, job, path, other, is_id=key == "id"),
                levels=frozenset() if key in RIGHTLY_IGNORED else EXPECTED[key],
            )


def _changed(job: Mapping[str, Any], path: tuple[Any, ...], other: Any, *, is_id: bool) -> dict[str, Any]:
    changed = copy.deepcopy(dict(job))
    _put(changed, path, other)
    return _renamed(changed, _at(job, path), other) if is_id else changed


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and not (path and path[-1] == "collection"):
        for at, inner in enumerate(value):
            yield from _leaves(inner, (*path, at))
    elif value is not None:
        yield path


def _deciding_key(path: tuple[Any, ...]) -> str:
    """The key of the format that a value belongs to: `options.kafka.topic` is one of the options."""
    for part in path:
        if part in ("options", "select", "window", "restart_strategy", "ignore", "collection", "key_by"):
            return str(part)
    named = [part for part in path if isinstance(part, str)]
    return str(named[-1])


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def _put(value: Any, path: tuple[Any, ...], other: Any) -> None:
    for part in path[:-1]:
        value = value[part]
    value[path[-1]] = other


def _others(job: Mapping[str, Any], path: tuple[Any, ...], key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield [*value, value[-1]] if value else [1]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    elif path[-1] in ("input", "from") or (len(path) > 1 and path[-2] in ("input", "inputs", "from")):
        yield next((each["id"] for each in job["operators"] if each["id"] != value), value)
    elif key == "type":
        yield from (kind for kind in _KINDS if kind != value)
    elif path[-1] == "partition" or (key in _CHOICES and value in _CHOICES[key]):
        yield from (choice for choice in _CHOICES[key] if choice != value)
    elif key == "uid_hash":
        yield "fedcba9876543210" * 2
    elif (
        isinstance(value, str) and value[:1].isdigit() and key in ("watermark", "timeout", "window", "restart_strategy")
    ):
        yield f"1{value}"
    elif key == "function":
        yield value.replace(":", ":other_")
    else:
        yield f"{value}x"


def _renamed(job: dict[str, Any], before: str, after: str) -> dict[str, Any]:
    """The job with every reference to an id changed with it."""

    def walk(value: Any, reference: bool) -> Any:
        if isinstance(value, dict):
            return {key: walk(inner, key in ("input", "inputs", "from")) for key, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner, reference) for inner in value]
        return after if reference and value == before else value

    renamed: dict[str, Any] = walk(job, False)
    return renamed


# --- Python files -----------------------------------------------------------------------------------------------------

# Calls whose arguments are no change of the job, with the reason.
IGNORED_CALLS = {
    "set_description": "a text for people",
    "get": "the name of an environment variable: what counts is the value that it gives",
}
# What a script writes and Flink never gets, with the rule that tells so.
LOST = {
    "uid": "PL120: merging keeps the uid of the first operator",
    "slot_sharing_group": "PL126: merging keeps the group of the first operator",
    "print": "PL125: PyFlink forgets the identifier of a keyed stream",
    "set_buffer_timeout": "PyFlink keeps the smaller one of merged operators",
    "set_max_parallelism": "merging keeps that of the first operator",
    "set_parallelism": "an environment's parallelism that every later operator overrides",
}
# By the call that a constant is an argument of: the levels that are right. Everything else: the result, or worse.
CALLS: Mapping[str, frozenset[str]] = {
    "name": frozenset({"safe"}),
    "execute": frozenset({"safe"}),
    "execute_async": frozenset({"safe"}),
    "execute_and_collect": ANY,
    "uid": ANY,
    "set_uid_hash": ANY,
    "set_parallelism": frozenset({"performance", "state-breaking", "safe"}),
    "set_max_parallelism": frozenset({"state-breaking", "safe"}),
    "slot_sharing_group": COST,
    "set_co_location_group": COST,
    "set_buffer_timeout": COST,
    "enable_checkpointing": COST,
    "fixed_delay_restart": COST,
    "ordered_wait": RESULT | COST,
    "unordered_wait": RESULT | COST,
    "set_string": ANY,
    "set_integer": ANY,
    "set_boolean": ANY,
    "OutputTag": WIRING,
    "from_source": RESULT | frozenset({"safe"}),  # the name of the source, or its strategy and type
}
# Settings that leave the operator before them the one that `.name()` names.
_OF_AN_OPERATOR = frozenset({"uid", "set_parallelism", "set_max_parallelism", "slot_sharing_group", "disable_chaining"})
# Names that stand for one another.
SWAPPED = {
    "earliest": "latest",
    "latest": "earliest",
    "ordered_wait": "unordered_wait",
    "unordered_wait": "ordered_wait",
    "LONG": "STRING",
    "INT": "LONG",
    "STRING": "LONG",
    "DOUBLE": "LONG",
    "TumblingEventTimeWindows": "TumblingProcessingTimeWindows",
    "TumblingProcessingTimeWindows": "TumblingEventTimeWindows",
    "SlidingEventTimeWindows": "SlidingProcessingTimeWindows",
    "SlidingProcessingTimeWindows": "SlidingEventTimeWindows",
    "for_monotonous_timestamps": "no_watermarks",
    "AT_LEAST_ONCE": "EXACTLY_ONCE",
    "EXACTLY_ONCE": "AT_LEAST_ONCE",
    "BATCH": "STREAMING",
    "seconds": "minutes",
    "minutes": "hours",
    "of_seconds": "of_minutes",
    "of_millis": "of_seconds",
}


def script_mutations(text: str) -> Iterator[Mutation]:
    """Every constant and telling name of a Python job that the job uses, changed in turn."""
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    around = _calls_around(tree)
    skipped = _unused(tree) | _documentation(tree) | _imports(tree) | _overridden(tree)
    uses = _uses(tree)
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.Constant | ast.Attribute | ast.Name):
            continue
        other = _other(node)
        if other is None:
            continue
        call = around.get(id(node), "")
        at = node.end_col_offset if isinstance(node, ast.Attribute) else None
        yield Mutation(
            where=f"line {node.lineno}: {ast.unparse(node)} -> {other} in {call or 'the file'}()",
            make=partial(_replaced, lines, node, other, at),
            levels=frozenset() if call in IGNORED_CALLS else CALLS.get(call, RESULT | STATE),
            lines=uses.get(id(node), frozenset({node.lineno})),
            call=call,
        )


def _other(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return SWAPPED.get(node.attr)
    if isinstance(node, ast.Name):
        return SWAPPED.get(node.id) if isinstance(node.ctx, ast.Load) else None
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return repr(not value)
    if isinstance(value, int | float):
        return repr(value + 1)
    return repr(value + "x") if isinstance(value, str) and value not in ("__main__",) else None


def _replaced(lines: list[str], node: Any, other: str, end: int | None) -> str:
    """The text with one place of it replaced; places count bytes, and tests write plain ASCII lines."""
    changed = list(lines)
    row = (node.end_lineno if end is not None else node.lineno) - 1
    raw = lines[row].encode()
    if end is not None:
        start, stop = end - len(node.attr.encode()), end
    else:
        start, stop = node.col_offset, node.end_col_offset
        if node.end_lineno != node.lineno:
            return "".join(lines)  # a text over several lines stays
    changed[row] = (raw[:start] + other.encode() + raw[stop:]).decode()
    return "".join(changed)


def _calls_around(tree: ast.AST) -> dict[int, str]:
    """By node, the innermost call that it is an argument of; nothing where that lies in the body of a function."""
    around: dict[int, str] = {}
    for call in ast.walk(tree):  # outer calls first
        if isinstance(call, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            for number, argument in enumerate((*call.args, *(keyword.value for keyword in call.keywords))):
                for inner in ast.walk(argument):
                    around[id(inner)] = "" if name == "get" and number else name  # the default of a variable counts
    for function in ast.walk(tree):
        if isinstance(function, ast.Lambda | ast.ClassDef):
            for inner in ast.walk(function):
                around.pop(id(inner), None)
    return around


def _unused(tree: ast.Module) -> set[int]:
    """The nodes of classes and functions that the file defines and does not use."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    unused = [each for each in tree.body if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name not in names]
    return {id(node) for each in unused for node in ast.walk(each)}


def _overridden(tree: ast.Module) -> set[int]:
    """The name of a source that `.name()` replaces, and keys that nothing reads before the next key_by."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    found = set()
    for call in calls:
        read = call.func.value if call.func.attr == "name" else None
        while isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute) and read.func.attr in _OF_AN_OPERATOR:
            read = read.func.value
        if isinstance(read, ast.Call) and getattr(read.func, "attr", "") == "from_source":
            found |= {id(argument) for argument in read.args if isinstance(argument, ast.Constant)}
    keyed_again = {id(call.func.value) for call in calls if call.func.attr == "key_by"}
    loads = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    names = {node.id for node in loads if id(node) not in keyed_again}  # read by anything but another key_by
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value in calls:
            (target, *_) = node.targets
            if node.value.func.attr == "key_by" and isinstance(target, ast.Name) and target.id not in names:
                found |= {id(inner) for argument in node.value.args for inner in ast.walk(argument)}
                found |= {id(inner) for each in node.value.keywords for inner in ast.walk(each)}
    return found


def _uses(tree: ast.Module) -> dict[int, frozenset[int]]:
    """By node inside a class of the file, the lines that name the class."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    found: dict[int, frozenset[int]] = {}
    for each in tree.body:
        if isinstance(each, ast.ClassDef):
            lines = frozenset(node.lineno for node in names if node.id == each.name)
            found |= {id(node): lines for node in ast.walk(each)}
    return found


def _documentation(tree: ast.AST) -> set[int]:
    expressions = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    return {id(each.value) for each in expressions if isinstance(each.value, ast.Constant)}


def _imports(tree: ast.AST) -> set[int]:
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for inner in ast.walk(node)
    }


def write(folder: Path, text: str) -> Path:
    """A script in a folder of its own."""
    path = folder / "job.py"
    path.write_text(text, encoding="utf-8")
    return path
