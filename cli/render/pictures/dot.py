"""Pictures as DOT source, built with the `graphviz` package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import graphviz

from cli.render.pictures import labels
from cli.render.pictures.labels import anchor, attribute, frame_table, frame_title, label_text, slot_lines, slot_tile
from cli.render.pictures.palette import FONT, STROKES, THEMES, Theme, ThemeName
from cli.render.pictures.picture import Arrow, Box, Frame, Picture
from planner.records import record

FEW_FRAMES = 2  # up to so many have their slots in more columns
FEW_SLOTS = 3  # up to so many stand below each other


def grid_label(theme: Theme, picture: Picture) -> str:
    """The whole picture as one label."""
    inside: dict[str | None, list[Box]] = {}
    for box in picture.boxes:
        inside.setdefault(box.cluster, []).append(box)
    loose = {box.id: box for box in inside.get(None, [])}
    rows = picture.rows or tuple((name,) for name in (*loose, *(frame.id for frame in picture.clusters)))
    tiles: dict[str, str] = {}
    for row in rows:
        height = max((len(slot_lines(loose[name])) for name in row if name in loose), default=0)
        tiles |= {name: slot_tile(theme, loose[name], height) for name in row if name in loose}
    managers = [(frame, inside.get(frame.id, [])) for frame in picture.clusters]
    return _table(rows, tiles | _manager_tiles(theme, managers))


def _table(rows: Sequence[Sequence[str]], tiles: Mapping[str, str]) -> str:
    lines = ["".join(f'<TD VALIGN="TOP" ALIGN="LEFT">{tiles[name]}</TD>' for name in row) for row in rows]
    body = "".join(f"<TR>{line}</TR>" for line in lines)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="8" CELLPADDING="0">{body}</TABLE>>'


def _manager_tiles(theme: Theme, managers: Sequence[tuple[Frame, list[Box]]]) -> dict[str, str]:
    """Task managers or hosts; slots of one row are as high in all of them."""
    most = max((sum(map(_is_tile, boxes)) for _, boxes in managers), default=0)
    columns = 1 if most <= FEW_SLOTS else 4 if len(managers) <= FEW_FRAMES and most > 2 * FEW_SLOTS else 2
    heights = [
        max((len(slot_lines(box)) for _, boxes in managers for box in boxes[at : at + columns]), default=0)
        for at in range(0, most, columns)
    ]
    return {frame.id: _manager_tile(theme, frame, boxes, columns, heights) for frame, boxes in managers}


def _is_tile(box: Box) -> bool:
    """Whether a box is drawn: what only counts others is said in the title."""
    return box.kind != "folded" or bool(box.lines)


def _manager_tile(theme: Theme, frame: Frame, boxes: Sequence[Box], columns: int, heights: Sequence[int]) -> str:
    """One frame: its name, in words what is free or left out, and its slots."""
    slots = [box for box in boxes if _is_tile(box)]
    facts = ", ".join([*filter(None, [frame.subtitle]), *(box.title for box in boxes if not _is_tile(box))])
    title = frame_title(theme, replace(frame, subtitle=facts))
    lines = [f'<TD COLSPAN="{columns}" ALIGN="LEFT" VALIGN="TOP"{anchor(frame)}>{title}</TD>']
    for number, at in enumerate(range(0, len(slots), columns)):
        row = [f"<TD>{slot_tile(theme, box, heights[number])}</TD>" for box in slots[at : at + columns]]
        lines.append("".join(row) + "<TD></TD>" * (columns - len(row)))
    body = "".join(f"<TR>{line}</TR>" for line in lines)
    return f"{frame_table(theme, frame, spacing=4)}{body}</TABLE>"


Direction = Literal["down", "right"]


@record
class Look:
    """How a picture is drawn: its colours, the way its arrows lead, and for whom."""

    theme: ThemeName = "light"
    direction: Direction = "down"
    bare: bool = False  # for a page that has a title, a background and tooltips of its own
    paper: tuple[float, float] | None = None  # inches: what is larger is scaled down to it


def to_dot(picture: Picture, look: Look | None = None) -> str:
    """The picture as one DOT document, the same bytes everywhere."""
    document = _Document(picture, look or Look())
    document.add(picture)
    return str(document.graph.source)


def to_wrapped_dot(parts: Sequence[Picture], title: Picture, look: Look | None = None) -> str:
    """The parts of one picture side by side, or below each other where arrows lead to the right."""
    document = _Document(title, look or Look())
    by_row = len(parts) if document.look.direction == "down" else 1
    document.graph.attr(pack="28", packmode=f"array_ut{by_row}")
    for number, part in enumerate(parts):
        document.add(part, number)
    return str(document.graph.source)


class _Document:
    """One picture on its way to DOT."""

    def __init__(self, picture: Picture, look: Look) -> None:
        self.picture = picture
        self.look = look
        self.theme: Theme = THEMES[look.theme]
        self.graph = graphviz.Digraph(
            name="plan",
            graph_attr=_graph_attributes(picture, look, self.theme),
            node_attr=_node_attributes(self.theme),
            edge_attr={"fontname": FONT, "fontsize": "10", "arrowsize": "0.7"},
        )
        self.inside: dict[str | None, list[Box]] = {}
        self.frame_of: dict[str, str | None] = {}
        self.ends: dict[str, str] = {}  # where frames are tables, arrows end at a card or at the cell of a lane
        self.arrows = 0

    def _end(self, box: Box) -> str:
        if box.cluster is None or self.picture.arrangement not in ("cards", "lanes"):
            return box.id
        return box.cluster if self.picture.arrangement == "cards" else f"{box.cluster}:{box.id}"

    def add(self, picture: Picture, part: int | None = None) -> None:
        """Add all boxes, frames and arrows. A part is held together by a heading that leads to where it begins."""
        self.inside = {}
        for box in picture.boxes:
            self.inside.setdefault(box.cluster, []).append(box)
        self.frame_of = {box.id: box.cluster for box in picture.boxes}
        self.ends = {box.id: self._end(box) for box in picture.boxes}
        if picture.arrangement == "grid":
            self.graph.node("grid", label=grid_label(self.theme, picture), shape="plain", style="")
            return
        for box in self.inside.get(None, ()):
            self.add_box(self.graph, box)
        for cluster in picture.clusters:
            self.add_frame(cluster, self.inside.get(cluster.id, []))
        if part is not None:
            self.add_heading(picture, part)
        for arrow in picture.arrows:
            self.add_arrow(self.arrows, arrow)
            self.arrows += 1

    def add_heading(self, picture: Picture, part: int) -> None:
        name = f"part{part}"
        label = f'<<FONT POINT-SIZE="10" COLOR="{self.theme.muted}"><B>part {part + 1}</B></FONT>>'
        self.graph.node(name, label=label, shape="plain", style="", sortv=str(part + 1))
        node = {box: end.partition(":")[0] for box, end in self.ends.items()}
        led_to = {node[a.target] for a in picture.arrows if node[a.source] != node[a.target]}
        for end in dict.fromkeys(node.values()):
            if end not in led_to:
                self.graph.edge(name, end, style="invis")

    def add_frame(self, cluster: Frame, boxes: Sequence[Box]) -> None:
        if self.picture.arrangement == "graph":
            self.add_cluster(cluster, boxes)
            return
        upright = self.look.direction == "right"
        if self.picture.arrangement == "cards":
            table = labels.card(self.theme, cluster, boxes)
        else:
            table = labels.lane(self.theme, cluster, boxes, upright=upright)
        self.graph.node(
            cluster.id,
            label=table,
            shape="plain",
            style="",
            id=cluster.id,
        )

    def add_cluster(self, cluster: Frame, boxes: Sequence[Box]) -> None:
        fill = self.theme.clusters[cluster.kind]
        with self.graph.subgraph(name=f"cluster_{cluster.id}") as inner:
            inner.attr(
                label="",
                style="rounded,filled",
                fillcolor=fill.inside if cluster.heat is None else self.theme.heat_of(cluster.heat),
                color=self.theme.marks[cluster.mark] if cluster.mark else fill.border,
                margin="10",
                id=cluster.id,
                **self.tooltip(cluster.tooltip or cluster.title),
            )
            for box in boxes:
                self.add_box(inner, box)

    def add_box(self, graph: graphviz.Digraph, box: Box) -> None:
        fill = self.theme.boxes[box.kind]
        dashed = box.kind in ("folded", "removed")
        graph.node(
            box.id,
            label=labels.box_label(self.theme, box.title, box.lines),
            fillcolor=fill.inside,
            color=self.theme.marks[box.mark] if box.mark else fill.border,
            id=box.id,
            **self.tooltip(box.tooltip or box.title),
            **({"style": "rounded,filled,dashed"} if dashed else {}),
            **({"penwidth": "2.5"} if box.mark else {}),
            **({"shape": "plain", "style": ""} if box.kind == "portal" else {}),
        )

    def add_arrow(self, number: int, arrow: Arrow) -> None:
        """A line; with a label, two lines and the label between them, which no other line crosses then."""
        source, target = self.ends[arrow.source], self.ends[arrow.target]
        if source == target:
            return  # rows of one card
        down = self.look.direction == "down"
        if self.picture.arrangement == "lanes":
            source += ":s" if ":" in source and down else ":e" if ":" in source else ""
            target += ":n" if ":" in target and down else ":w" if ":" in target else ""
        name = arrow.id or f"w{number}"
        if not arrow.label and not any(arrow.lines):
            self.graph.edge(source, target, id=f"{name}_{number}", **self.stroke(arrow))
            return
        middle = f"label{number}"
        self.add_label(middle, f"{name}_{number}l", arrow)
        stroke = {**self.stroke(arrow), "weight": "3"}  # straight through its label, where there is room
        self.graph.edge(source, middle, id=f"{name}_{number}a", **{**stroke, "arrowhead": "none"})
        self.graph.edge(middle, target, id=f"{name}_{number}b", **stroke)

    def add_label(self, node: str, name: str, arrow: Arrow) -> None:
        """The label as a node; inside a frame where both ends are."""
        frames = {self.frame_of.get(arrow.source), self.frame_of.get(arrow.target)}
        frame = frames.pop() if len(frames) == 1 and self.picture.arrangement == "graph" else None
        graph = graphviz.Digraph(name=f"cluster_{frame}") if frame else self.graph
        graph.node(
            node,
            label=self.label(arrow),
            shape="plaintext",
            style="",
            margin="0.04,0.03",
            width="0",
            height="0",
            id=name,
            **self.tooltip(arrow.tooltip or arrow.label),
            **{"class": "label"},
        )
        if frame:
            self.graph.subgraph(graph)

    def stroke(self, arrow: Arrow) -> dict[str, str]:
        stroke = STROKES[arrow.kind]
        return {
            "color": self.theme.marks[arrow.mark] if arrow.mark else self.theme.arrows[arrow.kind],
            "penwidth": str(stroke.width),
            "style": stroke.style,
            "class": arrow.kind,
            **self.tooltip(arrow.tooltip or arrow.label or stroke.meaning),
        }

    def tooltip(self, text: str) -> dict[str, str]:
        return {} if self.look.bare else {"tooltip": attribute(text or " ")}

    def label(self, arrow: Arrow) -> str:
        colour = self.theme.muted if arrow.kind == "wire" else self.theme.arrows[arrow.kind]
        bold = (
            [f'<FONT POINT-SIZE="10" COLOR="{colour}"><B>{label_text(arrow.label)}</B></FONT>'] if arrow.label else []
        )
        small = [f'<FONT POINT-SIZE="9" COLOR="{colour}">{label_text(text)}</FONT>' for text in arrow.lines if text]
        return f"<{labels.stacked([*bold, *small])}>"


def _node_attributes(theme: Theme) -> dict[str, str]:
    return {
        "shape": "box",
        "style": "rounded,filled",
        "fontname": FONT,
        "fontsize": "11",
        "fontcolor": theme.ink,
        "margin": "0.14,0.07",
    }


def _graph_attributes(picture: Picture, look: Look, theme: Theme) -> dict[str, str]:
    return {
        **({} if look.bare else {"label": _heading(picture, theme), "labelloc": "t", "tooltip": " "}),
        "fontname": FONT,
        "fontcolor": theme.ink,
        "bgcolor": "transparent" if look.bare else theme.paper,
        "nodesep": "0.3",
        "ranksep": "0.8" if picture.arrangement == "lanes" else "0.28",
        "pad": "0.1" if look.bare else "0.3",
        "rankdir": "LR" if look.direction == "right" else "TB",
        **({"size": f"{look.paper[0]},{look.paper[1]}"} if look.paper else {}),
    }


def _heading(picture: Picture, theme: Theme) -> str:
    title = "<BR/>".join(label_text(part) for part in labels.wrapped(picture.title, 60))
    rows = [
        f'<TR><TD><FONT POINT-SIZE="17"><B>{title}</B></FONT></TD></TR>',
        f'<TR><TD><FONT POINT-SIZE="10" COLOR="{theme.muted}">{label_text(picture.subtitle)}</FONT></TD></TR>',
    ]
    signs = {"solid": "━━", "dashed": "╍╍", "dotted": "┈┈"}
    parts = [
        f'<FONT COLOR="{theme.arrows[kind]}">{signs[STROKES[kind].style]}</FONT> '
        f'<FONT COLOR="{theme.muted}">{STROKES[kind].meaning}</FONT>'
        for kind in picture.legend
    ]
    if parts:
        rows.append(f'<TR><TD><FONT POINT-SIZE="9">{"     ".join(parts)}</FONT></TD></TR>')
    rows.append('<TR><TD HEIGHT="8"></TD></TR>')
    return f'<<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">{"".join(rows)}</TABLE>>'
