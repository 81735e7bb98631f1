"""The type of the records that reach an operator, as far as the job says it: state is saved in that type."""

from __future__ import annotations

import re
from typing import Final

from planner.kinds import KEEPS_COLUMNS
from planner.snapshots.function_text import gives_columns
from planner.snapshots.snapshot import OperatorSnapshot, Snapshot
from planner.topology import topological_order

_CAST: Final = re.compile(r"(?i)\b(?:try_)?cast\s*\(")
_AS_TYPE: Final = re.compile(r"(?is)^.*\bas\s+(.+)$")
_LITERAL: Final = re.compile(r"'(?:[^'\\]|\\.|'')*'|(?<![\w.`])\d{1,9}(?![\w.])")  # texts, and numbers that fit an int
_UNTYPED = "any type"  # Python objects are saved pickled, whatever they are


def entering_types(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """For every operator, the types of what it reads, by input."""
    inputs: list[list[tuple[int, int]]] = [[] for _ in snapshot.operators]
    for edge in snapshot.edges:
        inputs[edge.target].append((edge.input, edge.source))
    leaving = [_UNTYPED] * len(snapshot.operators)
    entering: list[tuple[str, ...]] = [() for _ in snapshot.operators]
    ends = [(edge.source, edge.target) for edge in snapshot.edges]
    for at in topological_order(range(len(snapshot.operators)), ends):
        read = {(number, leaving[source]) for number, source in inputs[at]}
        entering[at] = tuple(text for _, text in sorted(read))
        leaving[at] = _leaving(snapshot.operators[at], entering[at])
    return entering


def _leaving(operator: OperatorSnapshot, entering: tuple[str, ...]) -> str:
    if operator.output is not None:
        return operator.output
    if operator.does is not None and gives_columns(operator.does):
        return _types_in(operator.does)
    return entering[0] if operator.kind in KEEPS_COLUMNS and len(entering) == 1 else _UNTYPED


def _types_in(does: str) -> str:
    """A select as far as the types of its columns depend on it: a cast is its type, a literal any of its kind."""
    parts, at = [], 0
    while (found := _CAST.search(does, at)) is not None:
        end = _closing(does, found.end())
        given = _AS_TYPE.match(does[found.end() : end])
        parts += [_without_literals(does[at : found.start()]), given[1].strip() if given else does[found.start() : end]]
        at = end + 1
    return "".join([*parts, _without_literals(does[at:])])


def _without_literals(sql: str) -> str:
    return _LITERAL.sub(lambda literal: "''" if literal[0].startswith("'") else "1", sql)


def _closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened in front of a place."""
    depth, quoted = 1, False
    for place in range(at, len(text)):
        quoted ^= text[place] == "'"
        if not quoted:
            depth += (text[place] == "(") - (text[place] == ")")
            if depth == 0:
                return place
    return len(text)
