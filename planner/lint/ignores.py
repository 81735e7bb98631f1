"""Ignores with reasons: `# plan: ignore[PL102] reason` in Python, `ignore: {PL102: reason}` on an operator in YAML.

A comment holds for the operator on its line, for the one whose call or settings (`.uid(...)`, `.set_parallelism(...)`)
the line belongs to, or, standing alone, for the next one.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planner.job import JobDefinition, Location
from planner.lint.finding import Finding

_COMMENT = re.compile(r"#\s*plan:\s*ignore\b\s*(?:\[([^\]]*)\])?\s*:?\s*(.*)", re.IGNORECASE)
_MARK = re.compile(r"plan:\s*ignore", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class Ignore:
    """One ignore as it was written, and which of its codes were of use."""

    location: Location
    codes: tuple[str, ...]
    reason: str
    lines: frozenset[int] = frozenset()  # Python: the lines of the operators it holds for
    operator_id: int | None = None  # YAML: the operator it stands on
    used: set[str] = field(default_factory=set)

    @property
    def complete(self) -> bool:
        """Whether it says both what is ignored and why."""
        return bool(self.codes and self.reason)

    def matches(self, finding: Finding) -> bool:
        """Whether it holds for a finding of its own file."""
        if not self.complete or finding.code not in self.codes:
            return False
        if self.operator_id is not None:
            return finding.operator_id == self.operator_id
        return not self.lines.isdisjoint((finding.location.line, *finding.lines))


def yaml_ignores(job: JobDefinition) -> Iterator[Ignore]:
    """The ignores written on a YAML job's operators; in Python the comments of the whole file are read instead."""
    for operator in job.operators:
        if operator.location.file.endswith(".py"):
            continue
        for code, reason in operator.ignores:
            yield Ignore(
                location=operator.location,
                codes=(code.strip().upper(),),
                reason=reason.strip(),
                operator_id=operator.id,
            )


def python_ignores(file: str, places: Iterable[int]) -> list[Ignore]:
    """The ignore comments of a Python file; `places` are the lines of the operators that it defines."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    if not _MARK.search(text):
        return []
    statements = _statements(text)
    lines = sorted(set(places))
    return [_ignore(file, token, found, statements, lines) for token, found in _comments(text)]


def _ignore(
    file: str, token: tokenize.TokenInfo, found: re.Match[str], statements: Sequence[range], lines: Sequence[int]
) -> Ignore:
    line, column = token.start
    alone = not token.line[:column].strip()
    return Ignore(
        location=Location(file, line, column + 1),
        codes=tuple(code.strip().upper() for code in (found[1] or "").split(",") if code.strip()),
        reason=found[2].strip(),
        lines=frozenset(_held_lines(line, alone, statements, lines)),
    )


def _comments(text: str) -> Iterator[tuple[tokenize.TokenInfo, re.Match[str]]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if found:
                yield token, found
    except (tokenize.TokenError, IndentationError):
        return


def _statements(text: str) -> list[range]:
    """The lines of every simple statement."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    simple = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.AugAssign)
    return [range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in ast.walk(tree) if isinstance(n, simple)]


def _held_lines(line: int, alone: bool, statements: Sequence[range], lines: Sequence[int]) -> Iterator[int]:
    """The operator lines a comment holds for: its own; the last one before it in its statement; alone, the next one."""
    at = bisect_right(lines, line)
    if alone:
        if at < len(lines):
            yield lines[at]
        return
    if at and lines[at - 1] == line:
        yield line
        return
    around = [statement for statement in statements if line in statement]
    nearest = max(around, key=lambda statement: statement.start, default=range(0))
    if at and lines[at - 1] in nearest:
        yield lines[at - 1]


def apply_ignores(
    findings: Sequence[tuple[int, Finding]],
    comments: Mapping[str, Sequence[Ignore]],
    written: Mapping[int, Sequence[Ignore]],
) -> tuple[list[Finding], int]:
    """The findings that remain, and how many were ignored.

    Findings come with the number of their job: `written` are the YAML ignores by job, `comments` the others by file.
    """
    remaining: list[Finding] = []
    for job, finding in findings:
        around = [*comments.get(finding.location.file, ()), *written.get(job, ())]
        held = [ignore for ignore in around if ignore.matches(finding)]
        for ignore in held:
            ignore.used.add(finding.code)
        if not held:
            remaining.append(finding)
    return remaining, len(findings) - len(remaining)
