"""The types of the records that the state of an operator keeps, as far as the job says it: state is saved in them."""

from __future__ import annotations

import re
from typing import Final

from planner.kinds import KEEPS_COLUMNS
from planner.snapshots.function_text import gives_columns, joins, selection
from planner.snapshots.snapshot import OperatorSnapshot, Snapshot
from planner.topology import topological_order

_CAST: Final = re.compile(r"(?i)\b(?:try_)?cast\s*\(")
_AS_TYPE: Final = re.compile(r"(?is)^.*\bas\s+(.+)$")
_LITERAL: Final = re.compile(r"'(?:[^'\\]|\\.|'')*'|(?<![\w.`])\d{1,9}(?![\w.])")  # texts, and numbers that fit an int
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.|'')*'")
_NAME: Final = re.compile(r"(?:[A-Za-z_]\w*\.)?[A-Za-z_]\w*(?!\s*\()")
# These give text, whatever they are called with; others depend on their arguments, as concat does.
_TEXT: Final = re.compile(
    r"(?i)(?:upper|lower|ucase|lcase|trim|ltrim|rtrim|initcap|replace|regexp_replace|regexp_extract|translate|concat_ws|"
    r"format_string|date_format|hex|md5|sha1|sha2|base64)\s*\("
)
_NUMBERS: Final = ("int", "bigint", "double")  # the wider one is the type of a sum of both, as in Spark
_REDUCES: Final = frozenset({"reduce", "window_reduce"})
_UNTYPED = "any type"  # Python objects are saved pickled, whatever they are


def kept_types(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """For every operator, the types of the records that its state keeps, by input."""
    inputs: list[list[tuple[int, int]]] = [[] for _ in snapshot.operators]
    for edge in snapshot.edges:
        inputs[edge.target].append((edge.input, edge.source))
    leaving = [_UNTYPED] * len(snapshot.operators)
    kept: list[tuple[str, ...]] = [() for _ in snapshot.operators]
    ends = [(edge.source, edge.target) for edge in snapshot.edges]
    for at in topological_order(range(len(snapshot.operators)), ends):
        operator = snapshot.operators[at]
        entering = tuple(text for _, text in sorted({(number, leaving[source]) for number, source in inputs[at]}))
        leaving[at] = _leaving(operator, entering)
        kept[at] = _kept(operator, entering)
    return kept


def _kept(operator: OperatorSnapshot, entering: tuple[str, ...]) -> tuple[str, ...]:
    """A function that declares its states keeps those, an aggregate its accumulator: each is a fact of its own."""
    facts = {name.rpartition(": ")[2]: value for name, value in (operator.declared or {}).items()}
    if any(name.startswith(("state.", "states ")) for name in facts) or facts.get("window.form") == "aggregate":
        return ()
    reduces = operator.kind in _REDUCES and "window.form" not in facts  # of a script: the type of its window function
    return (*entering, operator.output) if reduces and operator.output is not None else entering


def _leaving(operator: OperatorSnapshot, entering: tuple[str, ...]) -> str:
    if operator.output is not None:
        return operator.output
    if operator.does is not None and gives_columns(operator.does):
        return _selected(operator.does, [_columns_of(text) for text in entering])
    if joins(operator.does):
        return ", ".join(entering)
    return entering[0] if operator.kind in KEEPS_COLUMNS and len(entering) == 1 else _UNTYPED


def _columns_of(types: str) -> dict[str, str]:
    """The columns of records by name, each with its type; none where only a single value or nothing is known."""
    named = (part.strip().partition(" ") for part in _parts(types))
    return {name.strip("`").lower(): kind.strip() for name, _, kind in named if kind}


def _selected(does: str, inputs: list[dict[str, str]]) -> str:
    """The columns that a select gives, with their types as far as they are known.

    A column has the type it came with, a cast its type, a function of text gives text. Of any other expression the
    type is not known: it counts as the same while the expression, but for its literals, and the types of the columns in
    it are.
    """
    columns = []
    for part in _parts(selection(does)):
        expression, _, name = part.strip().rpartition(" as ")
        columns.append(f"{name} {_type(expression, inputs)}")
    return ", ".join(columns)


def _type(expression: str, inputs: list[dict[str, str]]) -> str:
    known = _column_type(expression, inputs) or _arithmetic(expression, inputs)
    if known is not None:
        return known
    call = _TEXT.match(expression.strip())
    if call is not None and _closing(expression.strip(), call.end()) == len(expression.strip()) - 1:
        return "string"
    text = _types_in(expression)
    types = {name: _column_type(name, inputs) for name in _NAME.findall(_QUOTED.sub("", expression))}
    read = [f"{name} {kind}" for name, kind in sorted(types.items()) if kind is not None]
    cast = not _NAME.search(_QUOTED.sub("", text)) or _CAST.match(expression.strip()) is not None
    return text if cast else f"typeof({', '.join([text, *read])})"


def _arithmetic(expression: str, inputs: list[dict[str, str]]) -> str | None:
    """The type of sums, differences and products of columns, casts and whole numbers whose types are numbers."""
    widest = -1
    for operand in _parts(expression, "+-*"):
        text = operand.strip()
        cast = _CAST.match(text)
        as_type = (
            _AS_TYPE.match(text[cast.end() : -1]) if cast and _closing(text, cast.end()) == len(text) - 1 else None
        )
        kind = "int" if _LITERAL.fullmatch(text) else _column_type(text, inputs)
        found = (as_type[1].strip().lower() if as_type else kind) if not text.startswith("'") else None
        if found not in _NUMBERS:
            return None
        widest = max(widest, _NUMBERS.index(found))
    return _NUMBERS[widest] if widest >= 0 else None


def _column_type(name: str, inputs: list[dict[str, str]]) -> str | None:
    side, dot, column = name.strip().replace("`", "").lower().rpartition(".")
    sides = {"left": inputs[:1], "right": inputs[1:2]}.get(side, []) if dot else inputs
    return next((columns[column] for columns in sides if column in columns), None)


def _parts(text: str, separators: str = ",") -> list[str]:
    """A list in SQL, split at its own commas: not at those in brackets, angles or quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'`\"":
            quote = letter
        elif letter in "(<[":
            depth += 1
        elif letter in ")>]":
            depth -= 1
        elif letter in separators and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in (*parts, text[start:]) if part.strip()]


def _types_in(sql: str) -> str:
    """An expression as far as its type depends on it: a cast is its type, a literal any of its kind."""
    parts, at = [], 0
    while (found := _CAST.search(sql, at)) is not None:
        end = _closing(sql, found.end())
        given = _AS_TYPE.match(sql[found.end() : end])
        parts += [_without_literals(sql[at : found.start()]), given[1].strip() if given else sql[found.start() : end]]
        at = end + 1
    return "".join([*parts, _without_literals(sql[at:])])


def _without_literals(sql: str) -> str:
    return _LITERAL.sub(lambda literal: "''" if literal[0].startswith("'") else "1", sql)


def _closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened before a place."""
    depth, quoted = 1, False
    for place in range(at, len(text)):
        quoted ^= text[place] == "'"
        if not quoted:
            depth += (text[place] == "(") - (text[place] == ")")
            if depth == 0:
                return place
    return len(text)
