"""What a picture consists of, whatever draws it."""

from __future__ import annotations

from typing import Literal

from planner.records import record

__all__ = ["Arrangement", "Arrow", "ArrowKind", "Box", "BoxKind", "ClusterKind", "Frame", "Mark", "Picture"]

BoxKind = Literal["source", "operator", "keyed", "sink", "subtask", "folded", "hub", "slot", "portal", "removed"]
ClusterKind = Literal["chain", "faint", "task-manager", "removed"]
ArrowKind = Literal["chained", "broken", "needed", "fixed", "open", "wire", "removed"]
Mark = Literal["added", "changed", "removed"]  # what became of a part since another version

# graph: boxes joined by arrows, frames around them. cards: every frame is one node, its boxes are rows of a table.
# lanes: every frame is one node, its title on the left and its boxes side by side. grid: frames or boxes in aligned
# rows and columns, without arrows.
Arrangement = Literal["graph", "cards", "lanes", "grid"]


@record
class Box:
    """One rectangle: a bold title and small lines below it."""

    id: str
    title: str
    lines: tuple[str, ...] = ()
    kind: BoxKind = "operator"
    cluster: str | None = None
    tooltip: str = ""
    depth: int = 0  # in a card: how many branches of the chain lead to it
    mark: Mark | None = None


@record
class Frame:
    """A frame around boxes."""

    id: str
    title: str
    subtitle: str = ""
    kind: ClusterKind = "chain"
    tooltip: str = ""
    heat: float | None = None  # of a run: its share of the longest time, from 0 to 1
    mark: Mark | None = None


@record
class Arrow:
    """A line from one box to another."""

    source: str
    target: str
    kind: ArrowKind
    id: str = ""  # the same for arrows that stand for one thing
    label: str = ""
    lines: tuple[str, ...] = ()
    tooltip: str = ""
    mark: Mark | None = None


@record
class Picture:
    """A stage, ready to be drawn."""

    title: str
    subtitle: str
    boxes: tuple[Box, ...]
    clusters: tuple[Frame, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    arrangement: Arrangement = "graph"
    rows: tuple[tuple[str, ...], ...] = ()  # of a grid: ids of boxes or frames, row by row
    legend: tuple[ArrowKind, ...] = ()
