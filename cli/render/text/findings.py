"""Findings for people: place, message, the source line with a caret, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from cli.render.styled import Line, line
from planner.lint.engine import Report
from planner.lint.finding import SEVERITIES, Finding

_WIDTH = 80  # columns of a usual terminal: a source line fits beside its number
_BEFORE = 16  # columns shown in front of the place
_CUT = " ..."


def report_lines(report: Report) -> list[Line]:
    """All findings, then one line that counts them; nothing where there are none."""
    lines = [spans for finding in report.findings for spans in (*finding_lines(finding), ())]
    return [*lines, line(summary(report))] if report.findings else []


def finding_lines(finding: Finding) -> list[Line]:
    """One finding."""
    return [
        line((str(finding.location), "place"), ": ", (finding.code, "code"), f" {finding.slug} ",
             (finding.severity, finding.severity)),
        *(line("  ", text) for text in finding.message.splitlines()),
        *_source(finding),
        *_fix(finding),
    ]  # fmt: skip


def _fix(finding: Finding) -> Iterable[Line]:
    first, *rest = (finding.fix or "").splitlines() or [""]
    return [line("  fix: ", (first, "change")), *(line("  ", text) for text in rest)] if first else []


def _source(finding: Finding) -> Iterable[Line]:
    """The line of the user's file, and carets under what is meant: from the column, or the whole of it."""
    lines = _read(finding.location.file)
    if finding.location.line > len(lines):
        return []
    text = lines[finding.location.line - 1].expandtabs(4).rstrip()
    if not text:
        return []
    start = max((finding.location.column or 0) - 1, len(text) - len(text.lstrip()))
    number = str(finding.location.line)
    shown, start = _part(text, start, _WIDTH - len(f"  {number} | "))
    carets = "^" * max(len(shown) - start - len(_CUT) * shown.endswith(_CUT), 1)
    return [
        line((f"  {number} | ", "dim"), shown),
        line((f"  {' ' * len(number)} | ", "dim"), " " * start, (carets, finding.severity)),
    ]


def _part(text: str, start: int, longest: int) -> tuple[str, int]:
    """The part of a long line from a column on, and where the column is in that part."""
    if len(text) <= longest:
        return text, start
    if start > _BEFORE + len(_CUT):
        text, start = _CUT + text[start - _BEFORE :], _BEFORE + len(_CUT)
    return (text if len(text) <= longest else text[: longest - len(_CUT)] + _CUT), start


@lru_cache(maxsize=8)
def _read(file: str) -> Sequence[str]:
    if file.endswith(".jar"):
        return ()
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()


def summary(report: Report) -> str:
    """How many findings there are, in how many files."""
    counts = Counter(finding.severity for finding in report.findings)
    parts = [f"{counts[level]} {level}{'s' if counts[level] != 1 else ''}" for level in SEVERITIES if counts[level]]
    ignored = f", {report.ignored} ignored" if report.ignored else ""
    files = f"{len(report.files)} file{'s' if len(report.files) != 1 else ''}"
    return f"{', '.join(parts) or 'no findings'} in {files}{ignored}"
