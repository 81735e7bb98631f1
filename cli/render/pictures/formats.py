"""A picture in the format that was asked for: DOT, Mermaid, SVG, PNG or PDF, in one piece or in parts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

from cli.render.pictures.dot import Look, to_dot, to_wrapped_dot
from cli.render.pictures.picture import Arrow, Box, Picture
from planner.errors import OptionError
from planner.records import record
from planner.topology import longest_ways

LONG = 26.0  # in heights of one frame with one row: what is shorter is drawn in one piece
_WIDTH = 2.2  # how wide a frame is, in the same unit


@record
class _Ranks:
    """The frames and loose boxes of a picture by their distance from the sources."""

    of: Mapping[str, int]
    lengths: tuple[float, ...]  # of each rank
    widest: int


def parts_wanted(picture: Picture) -> int:
    """Into how many parts a picture should be broken: 1 where it is short, or has no arrows to follow."""
    if picture.arrangement == "grid":
        return 1
    ranks = _ranks(picture)
    length = sum(ranks.lengths)
    if length < LONG:
        return 1
    return max(min(round(sqrt(length / (_WIDTH * min(ranks.widest, 8)))), len(ranks.lengths)), 1)


def in_parts(picture: Picture, wanted: int) -> list[Picture]:
    """The picture in about `wanted` parts of equal length."""
    ranks = _ranks(picture)
    part_of_rank = _cut(ranks.lengths, wanted)
    unit_of = {box.id: box.cluster or box.id for box in picture.boxes}
    part_of = {box.id: part_of_rank[ranks.of[unit_of[box.id]]] for box in picture.boxes}
    count = max(part_of_rank, default=0) + 1
    boxes: list[list[Box]] = [[] for _ in range(count)]
    arrows: list[list[Arrow]] = [[] for _ in range(count)]
    for box in picture.boxes:
        boxes[part_of[box.id]].append(box)
    crossing = _Crossing(_names(picture), unit_of, part_of)
    for arrow in picture.arrows:
        if part_of[arrow.source] == part_of[arrow.target]:
            arrows[part_of[arrow.source]].append(arrow)
        else:
            crossing.add(arrow, boxes, arrows)
    frames = {box.cluster: part_of[box.id] for box in picture.boxes if box.cluster}
    return [
        replace(
            picture,
            subtitle=f"{picture.subtitle}; part {number + 1} of {count}",
            boxes=tuple(boxes[number]),
            arrows=tuple(arrows[number]),
            clusters=tuple(cluster for cluster in picture.clusters if frames.get(cluster.id) == number),
        )
        for number in range(count)
    ]


class _Crossing:
    """Arrows from one part to another: each ends at a note in its own part, and starts at one in the other."""

    def __init__(self, names: Mapping[str, str], unit_of: Mapping[str, str], part_of: Mapping[str, int]) -> None:
        self.names = names
        self.unit_of = unit_of
        self.part_of = part_of
        self.seen: set[tuple[str, str]] = set()

    def add(self, arrow: Arrow, boxes: list[list[Box]], arrows: list[list[Arrow]]) -> None:
        source, target = self.part_of[arrow.source], self.part_of[arrow.target]
        onward = self.note(boxes[source], arrow.target, f"part{source}_to", "to", target)
        behind = self.note(boxes[target], arrow.source, f"part{target}_from", "from", source)
        if self.first(arrow.source, onward):
            arrows[source].append(replace(arrow, target=onward))
        if self.first(behind, arrow.target):
            arrows[target].append(replace(arrow, source=behind, label="", lines=()))

    def note(self, boxes: list[Box], box: str, prefix: str, word: str, part: int) -> str:
        """The note in this part that stands for a frame or box in another one."""
        name = f"{prefix}_{self.unit_of[box]}"
        if self.first(name, ""):
            title = f"{word} {self.names[self.unit_of[box]]}"
            boxes.append(Box(id=name, title=title, lines=(f"in part {part + 1}",), kind="portal"))
        return name

    def first(self, source: str, target: str) -> bool:
        """Whether this is met for the first time: wires between two frames are one line to a note."""
        new = (source, target) not in self.seen
        self.seen.add((source, target))
        return new


def _names(picture: Picture) -> dict[str, str]:
    boxes = {box.id: box.title for box in picture.boxes}
    return boxes | {cluster.id: cluster.title for cluster in picture.clusters}


def _ranks(picture: Picture) -> _Ranks:
    """Longest ways from the sources, over frames and loose boxes."""
    unit_of = {box.id: box.cluster or box.id for box in picture.boxes}
    links = {(unit_of[a.source], unit_of[a.target]) for a in picture.arrows if unit_of[a.source] != unit_of[a.target]}
    return _measured(picture, longest_ways(dict.fromkeys(unit_of.values()), sorted(links)))


def _measured(picture: Picture, rank: Mapping[str, int]) -> _Ranks:
    rows: dict[str, int] = {}
    for box in picture.boxes:
        rows[box.cluster or box.id] = rows.get(box.cluster or box.id, 0) + 1
    per_row = {"cards": 0.35, "graph": 1.0, "lanes": 0.0, "grid": 0.0}[picture.arrangement]
    lengths = [0.0] * (max(rank.values(), default=-1) + 1)
    widths = [0] * len(lengths)
    for unit, at in rank.items():
        lengths[at] = max(lengths[at], 1 + per_row * (rows[unit] - 1) + 0.6)
        widths[at] += 1
    return _Ranks(of=rank, lengths=tuple(lengths), widest=max(widths, default=1))


def _cut(lengths: Sequence[float], wanted: int) -> list[int]:
    """The part of every rank: each about as long as the others."""
    each = sum(lengths) / max(wanted, 1)
    parts: list[int] = []
    part, filled = 0, 0.0
    for length in lengths:
        if filled and filled + length / 2 > each and part < wanted - 1:
            part, filled = part + 1, 0.0
        parts.append(part)
        filled += length
    return parts


def as_pages(pages: Iterable[bytes]) -> bytes:
    """One PDF document with a page for each."""
    try:
        from pypdf import PdfReader, PdfWriter
    except ImportError:
        raise OptionError(
            "a PDF of several pages needs the pypdf package",
            hint="pip install 'plan-inspector[draw]', or add --no-wrap for one long page",
        ) from None
    writer = PdfWriter()
    for page in pages:
        writer.append(PdfReader(io.BytesIO(page)))
    whole = io.BytesIO()
    writer.write(whole)
    return whole.getvalue()


PictureFormat = Literal["svg", "png", "pdf", "dot", "mermaid"]


def in_format(picture: Picture, format: PictureFormat, look: Look, *, wrap: bool | None = None) -> str | bytes:
    """The picture. `wrap`: in parts; None does that where it is long, and never in source text."""
    if format == "mermaid":
        from cli.render.pictures.mermaid import to_mermaid

        return to_mermaid(picture, look.theme, look.direction)
    wanted = parts_wanted(picture) if wrap or (wrap is None and format != "dot") else 1
    parts = in_parts(picture, wanted) if wanted > 1 else [picture]
    if format == "pdf" and len(parts) > 1:
        return _pages(parts, look)
    source = to_wrapped_dot(parts, picture, look) if len(parts) > 1 else to_dot(picture, look)
    if format == "dot":
        return source
    from cli.render.pictures.image import draw

    return draw(source, format)


def _pages(parts: list[Picture], look: Look) -> bytes:
    """Every part on a page that a printer takes: scaled down to A4 where it is larger."""
    from cli.render.pictures.image import draw

    paper = replace(look, paper=(7.2, 10.6) if look.direction == "down" else (10.6, 7.2))
    return as_pages(draw(to_dot(part, paper), "pdf") for part in parts)
