"""Slots and task managers in aligned rows and columns: one table, which Graphviz need not lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cli.render.pictures.labels import anchor, frame_table, frame_title, slot_lines, slot_tile
from cli.render.pictures.palette import Theme
from cli.render.pictures.picture import Box, Cluster, Picture

__all__ = ["grid_label"]

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


def _manager_tiles(theme: Theme, managers: Sequence[tuple[Cluster, list[Box]]]) -> dict[str, str]:
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


def _manager_tile(theme: Theme, frame: Cluster, boxes: Sequence[Box], columns: int, heights: Sequence[int]) -> str:
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
