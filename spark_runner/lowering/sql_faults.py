"""What is surely wrong in SQL expressions, column types and formats, found without Spark: by --dry-run, before a start.

Only Spark knows all of its SQL: which arguments a function takes, and which types fit. What is not surely wrong here is
left to it, since a wrong guess would refuse a good job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from planner.spelling import did_you_mean
from spark_runner.lowering.ddl import declared_fields
from spark_runner.lowering.sql_functions import FUNCTIONS

__all__ = ["Fault", "expression_fault", "format_fault", "types_fault"]

Fault = tuple[str, str | None]  # what is wrong, and what to do


def _words(written: str) -> frozenset[str]:
    return frozenset(written.split())


_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<text>[rRxX]?'(?:[^'\\]|\\.|'')*' | [rR]?"(?:[^"\\]|\\.)*") | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[A-Za-z]{0,2}\b | \.\d+) | (?P<name>[A-Za-z_]\w*)
    | (?P<sign><=>|<>|!=|<=|>=|==|\|\||->|=>|::|<<|>>>|>>|[-+*/%=<>!(),.;:\[\]&|^~?@{}])
    )""",
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = {"(": ")", "[": "]"}, {")": "(", "]": "["}
_BETWEEN: Final = _words("= == <=> <> != < <= > >= || / % & | ^ << >> >>>")  # signs that need something on both sides
_BEFORE: Final = _words("+ - * ~ ! and or not like rlike ilike in is between")  # and that need it after them
# words that may stand before a bracket, and types with a length, besides functions
_WORDS: Final = _words(
    "and or not in is like ilike rlike regexp between when then else case end exists any some all as over from filter "
    "within group distinct escape by partition order rows range using interval cast try_cast extract overlay position "
    "trim substring timestampadd timestampdiff dateadd datediff values select where having on lateral table with "
    "decimal dec numeric varchar char character array map struct time timestamp date named_struct identifier"
)
_TYPES: Final = _words(
    "boolean tinyint byte smallint short int integer bigint long float real double date time timestamp timestamp_ntz "
    "timestamp_ltz string character char varchar binary decimal dec numeric void interval variant array struct map "
    "geometry geography"
)
_BEHIND_A_TYPE: Final = re.compile(
    r"(?i)\s*(?:$|not\b|null\b|comment\b|default\b|collate\b|generated\b|to\b|with|year|month|day|hour|minute|second)"
)
_FORMATS: Final = _words(
    "csv json parquet orc text avro xml binaryfile image libsvm jdbc kafka socket rate rate-micro-batch noop console "
    "memory hive delta iceberg hudi bigquery redis mongodb cassandra elasticsearch es snowflake"
)


def expression_fault(sql: str, *, functions: bool = True) -> Fault | None:
    """What is surely wrong with one SQL expression; `functions`: Spark has no others than its own."""
    if not sql.strip():
        return "it is empty", None
    if "--" in sql or "/*" in sql:  # comments
        return None
    tokens, rest = _tokens(sql)
    if rest:
        opened = rest[0] if rest[0] in "'\"`" else ""
        return (f"the quote {opened} is never closed", None) if opened else None
    return next(_faults(tokens, functions), None)


def _tokens(sql: str) -> tuple[list[tuple[str, str]], str]:
    """The tokens, and what is left where one cannot be read."""
    found: list[tuple[str, str]] = []
    at, end = 0, len(sql.rstrip())
    while at < end:
        match = _TOKEN.match(sql, at)
        if match is None:
            return found, sql[at:].lstrip()
        kind = str(match.lastgroup)
        found.append((kind, match[kind].lower() if kind == "name" else match[kind]))
        at = match.end()
    return found, ""


def _faults(tokens: Sequence[tuple[str, str]], functions: bool) -> Iterator[Fault]:
    opened: list[tuple[str, str]] = []  # each bracket, and the function it belongs to
    typed = any(kind == "name" and text in ("array", "map", "struct") for kind, text in tokens)  # < and > are brackets
    for at, (kind, text) in enumerate(tokens):
        before = tokens[at - 1] if at else ("", "")
        after = tokens[at + 1] if at + 1 < len(tokens) else ("", "")
        if kind == "sign":
            yield from _of_sign(text, before, after, opened, typed)
            if text in _OPEN:
                opened.append((text, before[1] if before[0] == "name" else ""))
            elif text in _CLOSE and opened:
                opened.pop()
        elif kind == "name" and before[1] != ".":
            yield from _of_name(text, before, after, opened, functions)
    if opened:
        yield f"a {opened[-1][0]} is never closed", None


def _of_sign(
    text: str, before: tuple[str, str], after: tuple[str, str], opened: Sequence[tuple[str, str]], typed: bool
) -> Iterator[Fault]:
    if text == ";":
        yield "a ; does not belong in an expression", "leave it out"
    if text in _CLOSE and (not opened or opened[-1][0] != _CLOSE[text]):
        yield f"a {text} closes nothing", None
    ends = after[1] in ("", ")", "]", ",") and after[0] in ("", "sign")
    begins = before[1] in ("", "(", "[", ",") and before[0] in ("", "sign")
    if text == "," and (ends or begins):
        yield "a value is missing beside a comma", None
    if text == "*" and (begins or before[1] == "."):  # count(*), all columns
        return
    if typed and text in ("<", ">", ">>", ">>>"):
        return
    if (text in _BETWEEN or text in _BEFORE) and (ends or (after[0] == "sign" and after[1] in _BETWEEN)):
        yield f"a value is missing after {text}", None
    if text in _BETWEEN and begins:
        yield f"a value is missing before {text}", None


def _of_name(
    text: str, before: tuple[str, str], after: tuple[str, str], opened: Sequence[tuple[str, str]], functions: bool
) -> Iterator[Fault]:
    operand = before[0] in ("text", "number", "quoted", "name") or before[1] in (")", "]")
    if text in _BEFORE and operand and after[1] in ("", ")", "]", ",") and after[0] in ("", "sign"):
        yield f"a value is missing after {text.upper()}", None
    is_type = before[1] == "::" or (before[1] == "as" and opened and opened[-1][1] in ("cast", "try_cast"))
    if is_type and text not in _TYPES:
        yield f"there is no type {text!r}", did_you_mean(text, _TYPES)
    elif functions and after == ("sign", "(") and not is_type and text not in FUNCTIONS and text not in _WORDS:
        yield (
            f"Spark has no function {text!r}",
            did_you_mean(text, FUNCTIONS) or "functions of packages need --packages",
        )


def types_fault(ddl: str) -> Fault | None:
    """What is surely wrong with the types of a DDL string: `name string, n bigint`."""
    fields = list(declared_fields(ddl))
    if len(fields) == 1 and not fields[0][1] and fields[0][0].lower() in _TYPES:
        return None  # a type alone
    while fields:
        name, written = fields.pop()
        match = re.match(r"\w+", written)
        if match is None:
            return f"the column {name!r} has no type", "write NAME TYPE, for example: word string, n bigint"
        base, rest = match[0].lower(), written[match.end() :].strip()
        if base not in _TYPES:
            return f"the column {name!r} has the unknown type {match[0]!r}", did_you_mean(base, _TYPES)
        if base in ("array", "map", "struct"):
            inner = rest[1 : rest.rfind(">")] if rest.startswith("<") and ">" in rest else None
            if inner is None:
                return f"the column {name!r}: {base} needs its types in <>", None
            parts = declared_fields(inner)
            if base == "struct":
                fields += parts
            else:  # types alone, which look like names
                fields += [(name, f"{first} {more}".strip()) for first, more in parts]
            rest = rest[rest.rfind(">") + 1 :]
        elif rest.startswith("("):
            rest = rest.partition(")")[2]
        if not _BEHIND_A_TYPE.match(rest):
            return f"the column {name!r}: there is more after its type: {rest.strip()}", "a comma parts columns"
    return None


def format_fault(format: str) -> Fault | None:
    """Why nothing can be read or written in a format."""
    if "." in format or format.lower() in _FORMATS:  # classes have dots
        return None
    near = did_you_mean(format.lower(), _FORMATS)
    return f"Spark has no format {format!r}", near or "formats of packages need --packages"
