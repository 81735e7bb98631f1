"""The colours of every picture, in one place: calm for what is well, red only for what a change would chain."""

from __future__ import annotations

from dataclasses import dataclass

from cli.render.pictures.picture import ArrowKind, BoxKind, ClusterKind

INK = "#1f2933"
MUTED = "#66727f"
FONT = "DejaVu Sans,Verdana,Helvetica,sans-serif"  # the first two are equally wide: text fits its box everywhere


@dataclass(frozen=True, slots=True)
class Fill:
    """The inside and the border of a shape."""

    inside: str
    border: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """An arrow's colour, width and style, and what it means."""

    color: str
    width: float
    style: str
    meaning: str


BOXES: dict[BoxKind, Fill] = {
    "source": Fill("#e5f3ea", "#4d9a6c"),
    "operator": Fill("#ffffff", "#8ba3bd"),
    "keyed": Fill("#fdf3d8", "#cf9d2c"),
    "sink": Fill("#efe8f8", "#8a6abb"),
    "subtask": Fill("#ffffff", "#8ba3bd"),
    "folded": Fill("#f5f6f8", "#aab4bf"),
    "hub": Fill("#eaf1fb", "#4b78b8"),
    "slot": Fill("#f4f7fb", "#8ba3bd"),
}
CLUSTERS: dict[ClusterKind, Fill] = {
    "chain": Fill("#f0f5fa", "#a9bfd6"),
    "faint": Fill("#f8fafc", "#d5dee8"),
    "task-manager": Fill("#fafafa", "#7b8794"),
}
ARROWS: dict[ArrowKind, Stroke] = {
    "chained": Stroke("#4d9a6c", 1.4, "solid", "chained"),
    "broken": Stroke("#d12f2f", 3.0, "solid", "not chained, a change would chain it"),
    "needed": Stroke("#4b78b8", 1.6, "dashed", "not chained, the exchange is needed"),
    "fixed": Stroke("#7b8794", 1.6, "dashed", "not chained, nothing to change"),
    "wire": Stroke("#8796a6", 1.0, "solid", "channel"),
}
