"""HTML-like labels of Graphviz: text that is always safe in them, and the tables that cards, lanes and slots are."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Literal

import graphviz

from cli.render.pictures.palette import Theme
from cli.render.pictures.picture import Box, Frame

__all__ = [
    "anchor",
    "attribute",
    "box_label",
    "card",
    "frame_table",
    "frame_title",
    "label_text",
    "lane",
    "slot_lines",
    "slot_tile",
    "stacked",
    "wrapped",
]

# What XML cannot hold at all, and so neither can an HTML-like label or an SVG file.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Graphviz replaces these in every text, entities or not; an invisible word joiner after the backslash prevents it.
_ESCAPE = re.compile(r"\\(?=[NGETHL])")
NAME_WIDTH = 44  # characters of a line; longer names go on below
MOST_LINES = 4  # of one name
BLANK = "&#160;"
Align = Literal["LEFT", "CENTER"]


def label_text(text: str) -> str:
    """Text inside an HTML-like label: markup is escaped, line breaks kept."""
    return "<BR/>".join(html.escape(part).replace("\\", "&#92;") for part in _clean(text).splitlines()) or " "


def attribute(text: str) -> str:
    """Text of a plain attribute: backslashes are no escapes, and it is never read as a label of markup."""
    return str(graphviz.escape(_clean(text)))


def wrapped(text: str, width: int = NAME_WIDTH) -> list[str]:
    """A long name on several lines; only what does not fit on four is cut."""
    lines = [
        part
        for line in text.splitlines() or [""]
        for part in textwrap.wrap(line, width, break_long_words=True, break_on_hyphens=False) or [""]
    ]
    return (
        lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1][: width - 4]} ..."]
    )


def box_label(theme: Theme, title: str, lines: Iterable[str]) -> str:
    """A bold title and small lines below it."""
    bold = [f"<B>{label_text(part)}</B>" for part in wrapped(title)]
    small = [
        f'<FONT POINT-SIZE="9" COLOR="{theme.muted}">{label_text(part)}</FONT>'
        for text in lines
        if text
        for part in wrapped(text)
    ]
    return f"<{stacked([*bold, *small])}>" if small or len(bold) > 1 else f"<{bold[0]}>"


def stacked(lines: Sequence[str], align: Align = "CENTER") -> str:
    """Lines below each other with a little air between them, which line breaks do not leave."""
    rows = "".join(f'<TR><TD ALIGN="{align}">{text}</TD></TR>' for text in lines)
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">{rows}</TABLE>'


def frame_title(theme: Theme, cluster: Frame) -> str:
    """The title of a frame, its facts after it."""
    parts = [f'<FONT COLOR="{theme.ink}"><B>{_lines(cluster.title)}</B></FONT>'] if cluster.title else []
    parts += [f'<FONT POINT-SIZE="9">{_lines(cluster.subtitle, 60)}</FONT>'] if cluster.subtitle else []
    return f'<FONT POINT-SIZE="10" COLOR="{_beside(theme, cluster)}">{f"{BLANK * 2} ".join(parts)}</FONT>'


def _beside(theme: Theme, cluster: Frame) -> str:
    """The colour of what is said beside a name: on a hot frame the strong one, which can be read there."""
    return theme.muted if cluster.heat is None else theme.ink


def card(theme: Theme, cluster: Frame, boxes: Sequence[Box]) -> str:
    """A frame as a table: its title, then a row for each box with a stripe in the colour of its kind."""
    rows = [f'<TR><TD ALIGN="LEFT" CELLPADDING="4"{anchor(cluster)}>{frame_title(theme, cluster)}</TD></TR>']
    rows += [_row(theme, box) for box in boxes]
    return f"<{frame_table(theme, cluster, spacing=3)}{''.join(rows)}</TABLE>>"


def _row(theme: Theme, box: Box) -> str:
    fill = theme.boxes[box.kind]
    small = f'<FONT POINT-SIZE="9" COLOR="{theme.muted}">'
    facts = "".join(f"{small}{BLANK * 3}{_lines(text)}</FONT>" for text in box.lines if text)
    name = f"<I>{_lines(box.title)}</I>" if box.kind == "folded" else _lines(box.title)
    sign = f'<FONT COLOR="{theme.marks[box.mark]}"><B>{_sign(box)}</B></FONT>' if box.mark else ""
    border = (
        f'BORDER="2" COLOR="{theme.marks[box.mark]}"' if box.mark else f'BORDER="4" SIDES="L" COLOR="{fill.border}"'
    )
    return (
        f'<TR><TD ALIGN="LEFT" BALIGN="LEFT" CELLPADDING="3" {border} '
        f'BGCOLOR="{fill.inside}"{anchor(box)}>{BLANK * 4 * box.depth}{sign}{name}{facts}</TD></TR>'
    )


def _sign(box: Box) -> str:
    return {"added": "+ ", "removed": "− ", "changed": "~ "}[box.mark] if box.mark else ""


def lane(theme: Theme, cluster: Frame, boxes: Sequence[Box], *, upright: bool = False) -> str:
    """A frame as one row: its title on the left, its boxes side by side. Arrows above and below meet no text then.

    `upright`: its title on top, its boxes below each other, for arrows from the left to the right.
    """
    title = [f'<FONT POINT-SIZE="10"><B>{label_text(part)}</B></FONT>' for part in wrapped(cluster.title, 34)]
    below = [
        f'<FONT POINT-SIZE="9" COLOR="{_beside(theme, cluster)}">{label_text(part)}</FONT>'
        for text in cluster.subtitle.split("; ")
        for part in wrapped(text, 34)
    ]
    head = f'<TD ALIGN="LEFT" CELLPADDING="6"{anchor(cluster)}>{stacked([*title, *below], "LEFT")}</TD>'
    between = "</TR><TR>" if upright else ""
    cells = between.join([head, *(_cell(theme, box) for box in boxes)])
    return f"<{frame_table(theme, cluster, spacing=6)}<TR>{cells}</TR></TABLE>>"


def _cell(theme: Theme, box: Box) -> str:
    fill = theme.boxes[box.kind]
    style = "ROUNDED,DASHED" if box.kind == "folded" else "ROUNDED"
    return (
        f'<TD PORT="{box.id}" BORDER="1" WIDTH="40" CELLPADDING="6" STYLE="{style}" BGCOLOR="{fill.inside}" '
        f'COLOR="{fill.border}"{anchor(box)}>{box_label(theme, box.title, box.lines)[1:-1]}</TD>'
    )


def slot_tile(theme: Theme, box: Box, height: int = 0) -> str:
    """A slot: its name, and below it the subtasks in it; at least `height` lines, so that neighbours are as high."""
    fill = theme.boxes[box.kind]
    lines = slot_lines(box)
    text = "".join(f'{label_text(part)}<BR ALIGN="LEFT"/>' for part in lines)
    text += f'{BLANK}<BR ALIGN="LEFT"/>' * max(height - len(lines), 0) if lines else ""
    body = f'<TR><TD ALIGN="LEFT" BALIGN="LEFT" VALIGN="TOP">{text}</TD></TR>' if text else ""
    style = "ROUNDED,DASHED" if box.kind == "folded" else "ROUNDED"
    return (
        f'<TABLE BORDER="1" COLOR="{fill.border}" BGCOLOR="{theme.paper}" STYLE="{style}" CELLBORDER="0" '
        f'CELLSPACING="3" CELLPADDING="4"{anchor(box)}><TR><TD BGCOLOR="{fill.inside}" ALIGN="LEFT">'
        f"<B>{label_text(box.title)}</B></TD></TR>{body}</TABLE>"
    )


def slot_lines(box: Box) -> list[str]:
    """What stands in a slot, long names on several lines, each further one indented."""
    return [
        part if number == 0 else f"\u00a0\u00a0\u00a0{part}"
        for text in box.lines
        for number, part in enumerate(wrapped(text))
    ]


def frame_table(theme: Theme, cluster: Frame, *, spacing: int = 0) -> str:
    """The beginning of a frame's table."""
    fill = theme.clusters[cluster.kind]
    inside = fill.inside if cluster.heat is None else theme.heat_of(cluster.heat)
    border = theme.marks[cluster.mark] if cluster.mark else fill.border
    width = "2" if cluster.mark else "1"
    return (
        f'<TABLE BORDER="{width}" COLOR="{border}" BGCOLOR="{inside}" STYLE="ROUNDED" CELLBORDER="0" '
        f'CELLSPACING="{spacing}" CELLPADDING="4">'
    )


def anchor(part: Box | Frame) -> str:
    """The id and the tooltip of a cell or a table that can be selected."""
    tooltip = html.escape(_clean(part.tooltip or part.title)).replace("\\", "&#92;").replace("\n", "&#10;")
    return f' ID="{part.id}" TOOLTIP="{tooltip or " "}"'


def _lines(text: str, width: int = NAME_WIDTH) -> str:
    return "<BR/>".join(label_text(part) for part in wrapped(text, width))


def _clean(text: str) -> str:
    """Text without what XML cannot hold, and with Graphviz's own escapes (a node's name for `\\N`) taken apart."""
    return _ESCAPE.sub("\\\\\u2060", _NOT_XML.sub("\ufffd", text))
