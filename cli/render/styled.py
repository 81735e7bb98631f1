"""Text with styles, as plain data: what the text renderers produce and the console prints.

A line is a tuple of spans, a span a piece of text with the name of a style. Piped, only the pieces are printed; on a
terminal Rich prints them with the styles of `STYLES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TextIO

STYLES = {
    "": "",
    "title": "bold",
    "chained": "green",
    "broken": "bold red",
    "needed": "yellow",
    "code": "cyan",
    "operator": "bold",
    "place": "dim",
    "dim": "dim",
    "good": "green",
    "bad": "red",
    "change": "cyan",
    "error": "bold red",
    "warning": "yellow",
    "note": "cyan",
    "number": "",
}

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_COMMAND = re.compile(r"^(\s*)::|##\[", re.MULTILINE)  # what GitHub's runner reads as a command

Span = tuple[str, str]  # (text, style)
Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of plain strings and (text, style) pairs; control characters in a job's names are shown, not obeyed."""
    spans = ((part, "") if isinstance(part, str) else part for part in parts)
    return tuple((escaped(text), style) for text, style in spans)


def escaped(text: str) -> str:
    """The text with control characters as Python writes them: a terminal would obey them."""
    return text if text.isprintable() else _CONTROL.sub(_shown, text)


def for_terminal(text: str, stream: TextIO) -> str:
    """The text with control characters shown, not obeyed, where a terminal reads; a pipe gets it as it is."""
    if text.isprintable() or not stream.isatty():
        return text
    return re.sub(r"[^\n\t]+", lambda match: escaped(match.group()), text)


def without_commands(text: str) -> str:
    """The text with nothing in it that GitHub's runner would carry out: names in a job come from anybody."""
    return _COMMAND.sub(lambda match: "#\\#[" if match.group() == "##[" else f"{match.group(1)}\\::", text)


def _shown(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


def indented(lines: Iterable[Line], by: int = 2) -> list[Line]:
    """The lines moved to the right; empty ones stay empty."""
    return [((" " * by, ""), *spans) if spans else spans for spans in lines]


def plain(lines: Iterable[Line]) -> str:
    """The lines without their styles, each ended, without blanks at their ends."""
    return "".join("".join(text for text, _ in spans).rstrip() + "\n" for spans in lines)


def table(rows: Sequence[Sequence[str | Span]], *, gap: int = 2, right: Iterable[int] = ()) -> list[Line]:
    """Rows with their columns aligned, the columns `right` to the right; columns without any text are left out.

    A row may have fewer cells than others.
    """
    cells = [[line(cell)[0] for cell in row] for row in rows]
    if not cells:
        return []
    most = max(map(len, cells))
    cells = [[*row, *[("", "")] * (most - len(row))] for row in cells]
    filled = [column for column in range(most) if any(row[column][0] for row in cells)]
    cells = [[row[column] for column in filled] for row in cells]
    widths = [max(_cells(row[column][0]) for row in cells) for column in range(len(filled))]
    ranged = {filled.index(column) for column in right if column in filled}
    lines: list[Line] = []
    for row in cells:
        spans: list[Span] = []
        for column, (text, style) in enumerate(row):
            blank = " " * (widths[column] - _cells(text))
            space = " " * gap if column < len(row) - 1 else ""
            before, after = (blank, space) if column in ranged else ("", blank + space)
            spans += [(before, ""), (text, style), (after, "")]
        lines.append(tuple(span for span in spans if span[0]))
    return lines


def _cells(text: str) -> int:
    """How many cells of a terminal the text takes: most letters one, East Asian ones and emoji two, accents none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)
