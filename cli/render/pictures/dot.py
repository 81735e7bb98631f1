"""Pictures as DOT source, built with the `graphviz` package."""

from __future__ import annotations

import html
import re
from itertools import pairwise

import graphviz

from cli.render.pictures.palette import ARROWS, BOXES, CLUSTERS, FONT, INK, MUTED
from cli.render.pictures.picture import Arrow, Box, Cluster, Picture

__all__ = ["to_dot"]

# What XML cannot hold at all, and so neither can an HTML-like label or an SVG file.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Graphviz replaces these in every text, entities or not; an invisible word joiner behind the backslash prevents it.
_ESCAPE = re.compile(r"\\(?=[NGETHL])")


def to_dot(picture: Picture) -> str:
    """The picture as one DOT document, the same bytes everywhere."""
    graph = graphviz.Digraph(name="plan", graph_attr=_graph_attributes(picture), node_attr=_NODE, edge_attr=_EDGE)
    inside: dict[str, list[Box]] = {}
    for box in picture.boxes:
        if box.cluster is None:
            _add_box(graph, box)
        else:
            inside.setdefault(box.cluster, []).append(box)
    add_cluster = _add_table if picture.in_order else _add_cluster
    for cluster in picture.clusters:
        add_cluster(graph, cluster, inside.get(cluster.id, []))
    cells = {box.id: f"{box.cluster}:{box.id}" for box in picture.boxes if box.cluster and picture.in_order}
    for arrow in picture.arrows:
        _add_arrow(graph, arrow, cells)
    _add_rows(graph, picture.rows)
    for column in picture.columns:
        for above, below in pairwise(column):
            graph.edge(above, below, style="invis")
    return str(graph.source)


_NODE = {
    "shape": "box",
    "style": "rounded,filled",
    "fontname": FONT,
    "fontsize": "11",
    "fontcolor": INK,
    "margin": "0.14,0.07",
}
_EDGE = {"fontname": FONT, "fontsize": "10", "arrowsize": "0.7"}


def _graph_attributes(picture: Picture) -> dict[str, str]:
    return {
        "label": _heading(picture),
        "labelloc": "t",
        "fontname": FONT,
        "fontcolor": INK,
        "bgcolor": "white",
        "compound": "true",
        "nodesep": "0.3",
        "ranksep": "0.45",
        "pad": "0.3",
        "rankdir": "TB",
        "tooltip": " ",
        **({"splines": "line", "ranksep": "0.9"} if picture.in_order else {}),
    }


def _heading(picture: Picture) -> str:
    rows = [
        f'<TR><TD><FONT POINT-SIZE="17"><B>{_text(picture.title)}</B></FONT></TD></TR>',
        f'<TR><TD><FONT POINT-SIZE="10" COLOR="{MUTED}">{_text(picture.subtitle)}</FONT></TD></TR>',
    ]
    if picture.legend:
        parts = [
            f'<FONT COLOR="{ARROWS[kind].color}">{"━━" if ARROWS[kind].style == "solid" else "╍╍"}</FONT> '
            f'<FONT COLOR="{MUTED}">{ARROWS[kind].meaning}</FONT>'
            for kind in picture.legend
        ]
        rows.append(f'<TR><TD><FONT POINT-SIZE="9">{"     ".join(parts)}</FONT></TD></TR>')
    return f'<<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">{"".join(rows)}</TABLE>>'


def _add_box(graph: graphviz.Digraph, box: Box) -> None:
    fill = BOXES[box.kind]
    graph.node(
        box.id,
        label=_table_label(box) if box.kind == "slot" else _label(box.title, box.lines),
        fillcolor=fill.inside,
        color=fill.border,
        tooltip=_attribute(box.tooltip or box.title),
        id=box.id,
        **({"style": "rounded,filled,dashed"} if box.kind == "folded" else {}),
        **({"shape": "plain", "style": ""} if box.kind == "slot" else {}),
    )


def _table_label(box: Box) -> str:
    """A slot: its name, and a row for each subtask in it."""
    fill = BOXES[box.kind]
    rows = [f'<TR><TD BGCOLOR="{fill.inside}"><B>{_text(box.title)}</B></TD></TR>']
    rows += [f'<TR><TD ALIGN="LEFT" BGCOLOR="white">{_text(text)}</TD></TR>' for text in box.lines]
    return (
        f'<<TABLE BORDER="1" COLOR="{fill.border}" STYLE="ROUNDED" CELLBORDER="0" CELLSPACING="1" CELLPADDING="4">'
        f"{''.join(rows)}</TABLE>>"
    )


def _label(title: str, lines: tuple[str, ...]) -> str:
    below = "".join(f'<BR/><FONT POINT-SIZE="9" COLOR="{MUTED}">{_text(text)}</FONT>' for text in lines if text)
    return f"<<B>{_text(title)}</B>{below}>"


def _add_table(graph: graphviz.Digraph, cluster: Cluster, boxes: list[Box]) -> None:
    """A frame whose boxes keep their order: one node, a table with a cell a box, where arrows end at cells."""
    fill = CLUSTERS[cluster.kind]
    title = f'<B>{_text(cluster.title)}</B>  <FONT POINT-SIZE="9">{_text(cluster.subtitle)}</FONT>'
    cells = "".join(_cell(box) for box in boxes)
    graph.node(
        cluster.id,
        label=f'<<TABLE BORDER="1" COLOR="{fill.border}" BGCOLOR="{fill.inside}" STYLE="ROUNDED" CELLBORDER="0" '
        f'CELLSPACING="0" CELLPADDING="6"><TR><TD ALIGN="LEFT"><FONT POINT-SIZE="10" COLOR="{MUTED}">{title}</FONT>'
        f'</TD></TR><TR><TD><TABLE BORDER="0" CELLBORDER="1" CELLSPACING="10" CELLPADDING="6"><TR>{cells}</TR></TABLE>'
        f"</TD></TR></TABLE>>",
        shape="plain",
        style="",
        tooltip=_attribute(cluster.tooltip or cluster.title),
        id=cluster.id,
    )


def _cell(box: Box) -> str:
    fill = BOXES[box.kind]
    style = "ROUNDED,DASHED" if box.kind == "folded" else "ROUNDED"
    content = _label(box.title, box.lines)[1:-1]
    return (
        f'<TD PORT="{box.id}" WIDTH="44" STYLE="{style}" BGCOLOR="{fill.inside}" COLOR="{fill.border}">{content}</TD>'
    )


def _add_cluster(graph: graphviz.Digraph, cluster: Cluster, boxes: list[Box]) -> None:
    fill = CLUSTERS[cluster.kind]
    with graph.subgraph(name=f"cluster_{cluster.id}") as inner:
        subtitle = (
            f'  <FONT POINT-SIZE="9" COLOR="{MUTED}">{_text(cluster.subtitle)}</FONT>' if cluster.subtitle else ""
        )
        inner.attr(
            label=f'<<FONT POINT-SIZE="10"><B>{_text(cluster.title)}</B></FONT>{subtitle}>',
            labeljust="l",
            style="rounded,filled",
            fillcolor=fill.inside,
            color=fill.border,
            fontcolor=MUTED,
            margin="12",
            tooltip=_attribute(cluster.tooltip or cluster.title),
            id=cluster.id,
        )
        for box in boxes:
            _add_box(inner, box)


def _add_arrow(graph: graphviz.Digraph, arrow: Arrow, cells: dict[str, str]) -> None:
    stroke = ARROWS[arrow.kind]
    label = ""
    if arrow.label or any(arrow.lines):
        # Blanks on both sides keep the text off the line it belongs to.
        small = "<BR/>".join(f'<FONT POINT-SIZE="9">&#160; {_text(text)} &#160;</FONT>' for text in arrow.lines if text)
        bold = f"<B>&#160; {_text(arrow.label)} &#160;</B>" if arrow.label else ""
        label = f"<{bold}{'<BR/>' if bold and small else ''}{small}>"
    graph.edge(
        f"{cells[arrow.source]}:s" if arrow.source in cells else arrow.source,
        f"{cells[arrow.target]}:n" if arrow.target in cells else arrow.target,
        color=stroke.color,
        fontcolor=stroke.color if arrow.kind != "wire" else MUTED,
        penwidth=str(stroke.width),
        style=stroke.style,
        tooltip=_attribute(arrow.tooltip or arrow.label or stroke.meaning),
        **({"label": label, "labeltooltip": _attribute(arrow.tooltip or arrow.label)} if label else {}),
    )


def _add_rows(graph: graphviz.Digraph, rows: tuple[tuple[str, ...], ...]) -> None:
    """Side by side within a row, the rows below each other: invisible lines hold them there."""
    for row in rows:
        with graph.subgraph() as line:
            line.attr(rank="same")
            for left, right in pairwise(row):
                line.edge(left, right, style="invis")
    for above, below in pairwise(rows):
        graph.edge(above[0], below[0], style="invis")


def _text(text: str) -> str:
    """Text inside an HTML-like label: markup is escaped, line breaks kept."""
    return "<BR/>".join(html.escape(part).replace("\\", "&#92;") for part in _clean(text).splitlines()) or " "


def _attribute(text: str) -> str:
    """Text of a plain attribute: backslashes are no escapes, and it is never read as a label of markup."""
    return str(graphviz.escape(_clean(text)))


def _clean(text: str) -> str:
    """Text without what XML cannot hold, and with Graphviz's own escapes (a node's name for `\\N`) taken apart."""
    return _ESCAPE.sub("\\\\\u2060", _NOT_XML.sub("\ufffd", text))
