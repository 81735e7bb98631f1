"""The terminal: the only place that builds a Console, and that decides between styled and plain.

Rich is imported only where a terminal (or `--color always`) asks for it: piped output does not pay for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TextIO

from cli.render.styled import STYLES, Line, Span, line, plain, without_commands

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

ColorMode = Literal["auto", "always", "never"]
COLOR_MODES: tuple[ColorMode, ...] = ("auto", "always", "never")

_CONTINUED = 4  # columns by which the rest of a wrapped line is moved to the right
_NARROWEST = 24  # columns that a row must leave for its last cell: with fewer, it is not aligned
_color: ColorMode = "auto"


def set_color(mode: ColorMode) -> None:
    """Take the value of `--color`."""
    global _color
    _color = mode


def is_styled(stream: TextIO | None = None) -> bool:
    """Whether text for the stream (default: stdout) is styled: by `--color`, NO_COLOR, and whether a terminal reads."""
    if _color != "auto":
        return _color == "always"
    stream = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _without_commands(lines: Iterable[Line]) -> Iterator[Line]:
    for spans in lines:
        whole = "".join(text for text, _ in spans)
        harmless = without_commands(whole)
        yield spans if harmless == whole else ((harmless, ""),)


def build_console(*, stderr: bool = False) -> Console:
    """A Rich console on stdout or stderr that follows `--color`. Markup is off: a job's names are not markup."""
    from rich.console import Console
    from rich.theme import Theme

    stream = sys.stderr if stderr else sys.stdout
    styled = is_styled(stream)
    return Console(
        file=stream,
        force_terminal=True if styled else None,
        color_system="auto" if styled else None,
        no_color=not styled,
        highlight=False,
        markup=False,
        emoji=False,
        theme=Theme({f"plan.{name}": style for name, style in STYLES.items() if style}),
        width=None if stream.isatty() else 10_000,
    )


def write_lines(lines: Iterable[Line], *, stderr: bool = False) -> None:
    """Print styled lines: plain and unwrapped when piped, wrapped under their own indent on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    if os.environ.get("GITHUB_ACTIONS") == "true":
        lines = _without_commands(lines)
    if not is_styled(stream):
        stream.write(plain(lines))
        return
    console = build_console(stderr=stderr)
    for spans in lines:
        text = _text(spans)
        if text.cell_len <= console.width:
            console.print(text, soft_wrap=True)
        elif 0 < (column := _last_column(spans)) <= console.width - _NARROWEST:
            _write_wrapped(console, text, column)
        else:
            _write_wrapped(console, _text(_without_padding(spans)))


def _text(spans: Iterable[Span]) -> Text:
    from rich.text import Text

    text = Text()
    for piece, style in spans:
        text.append(piece, f"plan.{style}" if STYLES.get(style) else "")
    text.rstrip()
    return text


def _without_padding(spans: Line) -> Iterator[Span]:
    """The spans without what aligns them to other lines: a row that does not fit is not aligned to anything."""
    started = False
    for text, style in spans:
        yield (text if not started or text.strip() else text[:2]), style
        started = started or bool(text.strip())


def _last_column(spans: Line) -> int:
    """Where the last column of an aligned row begins: after padding; 0 where the line has no columns."""
    at = found = 0
    started = False
    for text, _ in spans:
        if started and len(text) > 1 and not text.strip():
            found = at + len(text)
        started = started or bool(text.strip())
        at += len(text)
    return found


def _write_wrapped(console: Console, text: Text, column: int = 0) -> None:
    """Print a line that is wider than the terminal: its rest under its last column, or further in than its start."""
    from rich.text import Text

    indent = column or min(len(text.plain) - len(text.plain.lstrip(" ")), console.width // 2)
    hanging = column or indent + _CONTINUED
    parts = text[indent:].wrap(console, max(console.width - hanging, 10), overflow="fold")
    for number, part in enumerate(parts):
        part.rstrip()
        before = Text(" " * hanging) if number else text[:indent]
        console.print(before + part, soft_wrap=True)


def write_text(text: str) -> None:
    """Print text as it is: a generated document, never styled."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def write_json(data: Any) -> None:
    """Print one JSON document, alone on stdout; key order is the data's."""
    import json

    write_text(json.dumps(data, indent=2, ensure_ascii=False))


def message(text: str, style: str = "") -> None:
    """Tell the user something beside the result: always on stderr."""
    write_lines([line((part, style)) for part in text.splitlines()], stderr=True)
