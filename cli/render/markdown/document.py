"""Markdown from text that nobody checked: names cannot break out of their place, and a document ends in time.

Names of operators, messages and paths are user text. In a sentence every character that Markdown or HTML could read is
written as an entity; in code spans the fence is longer than any in the text. Mentions, references and links (@user, #1)
are cut by an invisible character, so that nobody is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planner.records import record

__all__ = ["LIMIT", "Section", "block", "code", "details", "document", "table", "tables", "text"]
__all__ += ["with_names"]

LIMIT = 60_000  # characters; a comment on GitHub holds 65,536, and the caller may add some of its own
_SPECIAL = re.compile(r"[\\`*\[\]<|~&$]|(?<!\w)_|_(?!\w)")  # inside a word an underscore means nothing
_AT_START = re.compile(r"^(\s*)([#+=>-]|\d+(?=[.)]))")  # headings, quotes and lists
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A link, a mention, a reference to an issue, an emoji: GitHub looks for them in the finished text.
_ALIVE = re.compile(r"(?i)\b(?:https?|ftp|www)(?=[:.])|@(?=\w)|#(?=\d)|\bgh-(?=\d)|:(?=[a-z0-9_+-]+:)|!(?=\d)")
_NOTICE = 1_500  # characters kept free for what is left out
_JOINER = "\u200b"  # a blank of no width: what looks like a mention or a link is none


def text(words: str) -> str:
    """A piece of a sentence, exactly as it is written: no markup, no mention, one line."""
    clean = _ALIVE.sub(lambda match: f"{match.group()}{_JOINER}", _CONTROL.sub(_shown, words))
    clean = _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", clean)
    return _AT_START.sub(lambda match: f"{match[1]}{_JOINER}{match[2]}", clean)


def with_names(words: str, names: Iterable[str]) -> str:
    """A sentence with the names in it as code spans, the longest first: one may be a part of another."""
    wanted = sorted({name for name in names if name}, key=len, reverse=True)
    if not wanted:
        return text(words)
    pieces = re.split(f"({'|'.join(map(re.escape, wanted))})", words)
    return "".join(code(piece) if piece in wanted else text(piece) for piece in pieces)


def code(words: str) -> str:
    """A code span that its content cannot leave, in tables too."""
    clean = _CONTROL.sub(_shown, words) or " "
    if "|" in clean:  # a table's cell ends at a bar even inside a code span, and the escape is seen outside of tables
        return f"<code>{text(clean)}</code>"
    longest = max((len(run) for run in re.findall("`+", clean)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if clean[:1] in "` " or clean[-1:] in "` " else ""
    return f"{fence}{blank}{clean}{blank}{fence}"


def _shown(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """A table of cells that are Markdown already; the columns `right` are aligned to the right."""
    ranged = set(right)
    rules = ["---:" if number in ranged else "---" for number in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rules, *rows))


def tables(head: Sequence[str], rows: Sequence[Sequence[str]], *, most: int = 40) -> list[str]:
    """The rows as tables of at most so many: a document that has no room for all of them keeps the first."""
    return [table(head, rows[start : start + most]) for start in range(0, len(rows), most)]


def block(words: str) -> str:
    """Plain text as a code block that its lines cannot end."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}text\n{words.rstrip()}\n{fence}"


def details(summary: str, body: str, *, open_it: bool = False) -> str:
    """A part that is folded away; `summary` is Markdown of one line that HTML may stand around."""
    return f"<details{' open' if open_it else ''}><summary>{summary}</summary>\n\n{body}\n\n</details>"


@record(kw_only=False)
class Section:
    """A part of a document: what it says in short is kept as long as possible, the rest while there is room."""

    short: str
    rest: str = ""
    title: str = ""  # Markdown: what is named where it is left out


def document(sections: Sequence[Section], *, limit: int = LIMIT) -> str:
    """The sections one after another. Details that do not fit any more are left out, then whole sections, and named."""
    room = limit - _NOTICE
    shorts: list[Section] = []
    for section in sections:
        room -= len(section.short) + 2
        if room < 0:
            break
        shorts.append(section)
    parts: list[str] = []
    left_out = [section.title for section in sections[len(shorts) :]]
    for section in shorts:
        parts.append(section.short)
        if len(section.rest) + 2 <= room:
            parts.append(section.rest)
            room -= len(section.rest) + 2
        else:
            left_out.append(f"details of {section.title}")
    if left_out:
        parts.append(_notice(left_out, limit))
    return "\n\n".join(part for part in parts if part) + "\n"


def _notice(left_out: Sequence[str], limit: int) -> str:
    words = f"> Left out, since a comment holds at most {limit} characters: "
    end = ". Run the command with `--format text` to see everything."
    named: list[str] = []
    for title in left_out[:12]:
        if len(words) + len(", ".join([*named, title])) + len(end) + 20 > _NOTICE:
            break
        named.append(title)
    more = len(left_out) - len(named)
    return words + ", ".join([*named, *([f"{more} more" if named else f"{more} parts"] if more else [])]) + end
