"""The colours of every picture, in one place: calm for what is well, red only for what a change would chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from cli.render.pictures.picture import ArrowKind, BoxKind, ClusterKind, Mark
from planner.records import record

__all__ = ["FONT", "STROKES", "THEMES", "Fill", "Stroke", "Theme", "ThemeName", "dark_of", "heat_step"]

FONT = "DejaVu Sans,Verdana,Helvetica,sans-serif"  # the first two are equally wide: text fits its box everywhere
ThemeName = Literal["light", "dark"]
HEAT_STEPS = 5


@record(kw_only=False)
class Fill:
    """The inside and the border of a shape."""

    inside: str
    border: str


@record(kw_only=False)
class Stroke:
    """How an arrow is drawn in every theme, and what it means."""

    width: float
    style: str
    meaning: str


STROKES: dict[ArrowKind, Stroke] = {
    "chained": Stroke(1.4, "solid", "chained"),
    "broken": Stroke(3.0, "solid", "not chained, a change would chain it"),
    "needed": Stroke(1.6, "dashed", "not chained, the exchange is needed"),
    "fixed": Stroke(1.6, "dotted", "not chained, nothing to change"),
    "open": Stroke(1.6, "dotted", "not chained, or not certain: Flink does not tell what would chain it"),
    "wire": Stroke(1.0, "solid", "channel"),
    "removed": Stroke(1.4, "dashed", "removed"),
}


@record
class Theme:
    """All colours of one look. Within a theme every colour has one meaning: the page turns one theme into the other."""

    ink: str
    muted: str
    paper: str
    boxes: Mapping[BoxKind, Fill]
    clusters: Mapping[ClusterKind, Fill]
    arrows: Mapping[ArrowKind, str]
    marks: Mapping[Mark, str]
    heat: tuple[str, ...]  # from cool to hot

    def colours(self) -> Iterator[str]:
        """Every colour, in an order that is the same in all themes."""
        yield from (self.ink, self.muted, self.paper)
        for fill in (*self.boxes.values(), *self.clusters.values()):
            yield from (fill.inside, fill.border)
        yield from (*self.arrows.values(), *self.marks.values(), *self.heat)

    def heat_of(self, share: float) -> str:
        """The colour of a share between 0 and 1."""
        return self.heat[heat_step(share)]


_LIGHT = Theme(
    ink="#1f2933",
    muted="#5a6672",
    paper="#ffffff",
    boxes={
        "source": Fill("#e5f3ea", "#3f8a5e"),
        "operator": Fill("#fdfeff", "#8ba3bd"),
        "keyed": Fill("#fdf3d8", "#b98a1f"),
        "sink": Fill("#efe8f8", "#8a6abb"),
        "subtask": Fill("#fefefe", "#8ba3bc"),
        "folded": Fill("#f5f6f8", "#aab4bf"),
        "hub": Fill("#eaf1fb", "#4b78b7"),
        "slot": Fill("#e9eff6", "#8ba3be"),
        "portal": Fill("#fffefe", "#98a5b3"),
        "removed": Fill("#fdf0ef", "#c2605a"),
    },
    clusters={
        "chain": Fill("#f0f5fa", "#a9bfd6"),
        "faint": Fill("#f8fafc", "#c9d5e2"),
        "task-manager": Fill("#fafafa", "#7b8795"),
        "removed": Fill("#fdf1f0", "#c3605a"),
    },
    arrows={
        "chained": "#357a55",
        "broken": "#c62828",
        "needed": "#3f6cab",
        "fixed": "#69747f",
        "open": "#7a5aa6",
        "wire": "#8796a6",
        "removed": "#c4605a",
    },
    marks={"added": "#1e8e4e", "changed": "#b9770e", "removed": "#c1605a"},
    heat=("#fff7e0", "#ffe9b3", "#ffd280", "#ffb35c", "#ff9248"),
)
_DARK = Theme(
    ink="#e4e9ef",
    muted="#a4b0bd",
    paper="#12171e",
    boxes={
        "source": Fill("#1d3a2b", "#5cb585"),
        "operator": Fill("#1c2530", "#6f8aa8"),
        "keyed": Fill("#3d3216", "#d9ab47"),
        "sink": Fill("#322747", "#a98bdb"),
        "subtask": Fill("#1d2631", "#6f8aa7"),
        "folded": Fill("#222a34", "#66727f"),
        "hub": Fill("#1c2d45", "#6c9be0"),
        "slot": Fill("#243242", "#6f8aa9"),
        "portal": Fill("#13181f", "#7b8998"),
        "removed": Fill("#3a2020", "#e08680"),
    },
    clusters={
        "chain": Fill("#18212c", "#47607c"),
        "faint": Fill("#151c25", "#34465a"),
        "task-manager": Fill("#171c23", "#7f8b99"),
        "removed": Fill("#392020", "#e18680"),
    },
    arrows={
        "chained": "#5cb586",
        "broken": "#ff6b63",
        "needed": "#7fb0f5",
        "fixed": "#9aa7b5",
        "open": "#c3a5ee",
        "wire": "#7d8fa2",
        "removed": "#e28680",
    },
    marks={"added": "#5fd394", "changed": "#f0b34d", "removed": "#e38680"},
    heat=("#2c2a1e", "#40361c", "#5c4519", "#7a4c18", "#9c4f14"),
)
THEMES: dict[ThemeName, Theme] = {"light": _LIGHT, "dark": _DARK}


def heat_step(share: float) -> int:
    """How hot a share between 0 and 1 is, as a position in a theme's `heat`."""
    return min(int(share * HEAT_STEPS), HEAT_STEPS - 1)


def dark_of() -> dict[str, str]:
    """The dark colour of every light one."""
    return dict(zip(_LIGHT.colours(), _DARK.colours(), strict=True))
