"""A SQL script as its statements, each with its place: what Flink's SQL client does before it asks Flink.

Flink compiles one statement at a time. Splitting, `SET`, `RESET` and statement sets are the client's own.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from planner.job import Location
from planner.records import record

__all__ = ["Statement", "find_unclosed", "read_statements", "table_definitions"]

Kind = Literal["set", "reset", "begin", "end", "definition", "job", "compile", "execute_plan", "skip", "stop"]

_STRING = r"'(?:[^']|'')*'"
_TOKEN = re.compile(rf"--[^\n]*|/\*.*?\*/|{_STRING}|`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\"|;", re.DOTALL)
_SET = re.compile(rf"SET\s+({_STRING}|[\w.-]+)\s*=\s*({_STRING}|.+)", re.IGNORECASE | re.DOTALL)
_RESET = re.compile(rf"RESET(?:\s+({_STRING}|[\w.-]+))?", re.IGNORECASE)
_OPEN_SET = re.compile(r"(?:EXECUTE|(?:EXPLAIN|COMPILE)\b.*?)\s+STATEMENT\s+SET\s+BEGIN\b", re.IGNORECASE | re.DOTALL)
_END = re.compile(r";\s*END\s*$", re.IGNORECASE)  # not that of a CASE
_PLAN_FILE = re.compile(
    rf"(?:COMPILE\s+(?:AND\s+EXECUTE\s+)?|EXECUTE\s+)PLAN\s+(?:IF\s+NOT\s+EXISTS\s+)?({_STRING})", re.IGNORECASE
)
# By the words that a statement begins with, the first that fits.
_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"SET\s*$", "skip"),
    (r"SET\b", "set"),
    (r"RESET\b", "reset"),
    (r"BEGIN\s+STATEMENT\s+SET\s*$", "begin"),
    (r"END\s*$", "end"),
    (r"COMPILE\b", "compile"),
    (r"EXECUTE\s+PLAN\b", "execute_plan"),
    (r"HELP|CLEAR|(?:SHOW|DESC|DESCRIBE|STOP)\s+JOBS?", "skip"),
    (r"TRUNCATE|CALL|ANALYZE", "skip"),  # they change data, or run something, and give no job
    (r"QUIT|EXIT", "stop"),
    (r"INSERT|UPSERT|SELECT|WITH|VALUES|TABLE|EXECUTE|UPDATE|DELETE", "job"),
)
_NAME = r"(?:`(?:[^`]|``)+`|\w+)"
_TABLE = re.compile(
    rf"CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMPORARY\s+)?(?:TABLE|VIEW|MATERIALIZED\s+TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    rf"({_NAME}(?:\s*\.\s*{_NAME}){{0,2}})",
    re.IGNORECASE,
)


@record
class Statement:
    """One statement of a script, without its comments: they became blanks, so that places stay as they were."""

    text: str
    kind: Kind
    line: int  # of its first word, from 1
    column: int

    def place(self, file: str, line: int = 1, column: int = 1) -> Location:
        """Where in the file a line and a column of the statement are."""
        return Location(file, self.line + line - 1, column if line > 1 else self.column + column - 1)

    def to_dict(self) -> dict[str, Any]:
        """The statement as the other side takes it."""
        document: dict[str, Any] = {"kind": self.kind, "text": self.text}
        if self.kind == "set" and (found := _SET.fullmatch(self.text)):
            document |= {"key": _unquoted(found[1]), "value": _unquoted(found[2].strip())}
        elif self.kind == "reset" and (found := _RESET.fullmatch(self.text)):
            document |= {"key": _unquoted(found[1])} if found[1] else {}
        elif self.kind in ("compile", "execute_plan") and (found := _PLAN_FILE.match(self.text)):
            document |= {"file": _unquoted(found[1]), "file_begin": found.start(1), "file_end": found.end(1)}
        elif self.kind in ("set", "reset", "compile", "execute_plan"):
            document["kind"] = "job"  # written some other way: what is wrong is for Flink to say
        return document


def read_statements(text: str) -> list[Statement]:
    """The statements of a script, up to QUIT."""
    found: list[Statement] = []
    for begin, statement in _split(text):
        kind = _kind(statement)
        if kind == "stop":
            break
        line = text.count("\n", 0, begin) + 1
        column = begin - (text.rfind("\n", 0, begin) + 1) + 1
        found.append(Statement(text=statement, kind=kind, line=line, column=column))
    return found


def find_unclosed(text: str, file: str) -> tuple[str, Location] | None:
    """What is opened and never closed: a quote or a comment, and where."""
    rest = _TOKEN.sub(lambda token: " " * len(token[0]), text)
    found = re.search(r"['`\"]|/\*", rest)
    if found is None:
        return None
    begin = found.start()
    line, column = text.count("\n", 0, begin) + 1, begin - (text.rfind("\n", 0, begin) + 1) + 1
    return "comment" if found[0] == "/*" else "quote", Location(file, line, column)


def table_definitions(statements: list[Statement]) -> dict[str, Statement]:
    """By the last part of its name, the statement that first creates a table or a view."""
    found: dict[str, Statement] = {}
    for statement in statements:
        created = _TABLE.match(statement.text)
        if created is not None:
            name = re.findall(_NAME, created[1])[-1].strip("`").replace("``", "`")
            found.setdefault(name, statement)
    return found


def _split(text: str) -> list[tuple[int, str]]:
    """The statements with the offset that each begins at; a semicolon inside of a statement set ends none."""
    blanked, ends = list(text), []
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word == ";":
            ends.append(token.start())
        elif word.startswith(("--", "/*")) and not word.startswith("/*+"):
            blanked[token.start() : token.end()] = [one if one == "\n" else " " for one in word]
    clean, found, begin = "".join(blanked), [], 0
    for end in [*ends, len(text)]:
        statement = clean[begin:end]
        if _OPEN_SET.match(statement.lstrip()) and not _END.search(statement) and end < len(text):
            continue
        if statement.strip():
            found.append((begin + len(statement) - len(statement.lstrip()), statement.strip()))
        begin = end + 1
    return found


def _kind(statement: str) -> Kind:
    if statement.startswith("("):
        return "job"
    for words, kind in _KINDS:
        if re.match(rf"(?:{words})(?!\w)", statement, re.IGNORECASE):
            return kind
    return "definition"


def _unquoted(word: str) -> str:
    return word[1:-1].replace("''", "'") if word[:1] == "'" else word
