"""What is laid over the pictures of a plan: what changed since another version, and the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from cli.render.pictures.picture import Mark
from planner.records import record

__all__ = ["NOTHING", "Gone", "Overlay", "VertexNote"]


@record
class Gone:
    """An operator of the old version that the new one has not, with what it stood between."""

    id: str
    name: str
    fed_by: tuple[str, ...] = ()  # ids of boxes
    feeds: tuple[str, ...] = ()


@record
class VertexNote:
    """What a run says of one vertex."""

    text: str
    heat: float | None  # its share of the longest time


@record
class Overlay:
    """Marks by stream node and by stream edge, and figures by job vertex, stream node and stream edge."""

    operators: Mapping[int, Mark] = field(default_factory=lambda: MappingProxyType({}))
    edges: Mapping[int, Mark] = field(default_factory=lambda: MappingProxyType({}))
    gone: tuple[Gone, ...] = ()
    vertices: Mapping[int, VertexNote] = field(default_factory=lambda: MappingProxyType({}))
    records: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    carried: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))


NOTHING = Overlay()
