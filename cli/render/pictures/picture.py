"""What a picture consists of, whatever draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Arrow", "ArrowKind", "Box", "BoxKind", "Cluster", "ClusterKind", "Picture"]

BoxKind = Literal["source", "operator", "keyed", "sink", "subtask", "folded", "hub", "slot"]
ClusterKind = Literal["chain", "faint", "task-manager"]
ArrowKind = Literal["chained", "broken", "needed", "fixed", "wire"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One rectangle: a bold title and small lines below it."""

    id: str
    title: str
    lines: tuple[str, ...] = ()
    kind: BoxKind = "operator"
    cluster: str | None = None
    tooltip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A frame around boxes."""

    id: str
    title: str
    subtitle: str = ""
    kind: ClusterKind = "chain"
    tooltip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A line from one box to another."""

    source: str
    target: str
    kind: ArrowKind
    label: str = ""
    lines: tuple[str, ...] = ()
    tooltip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A stage, ready to be drawn."""

    title: str
    subtitle: str
    boxes: tuple[Box, ...]
    clusters: tuple[Cluster, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()  # boxes to stand side by side, row by row, where no arrows order them
    columns: tuple[tuple[str, ...], ...] = ()  # boxes to stand below each other
    legend: tuple[ArrowKind, ...] = ()
    in_order: bool = False  # boxes of a frame stand side by side in their order, arrows are straight
