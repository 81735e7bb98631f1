"""A picture in the format that was asked for: DOT, Mermaid, SVG, PNG or PDF, in one piece or in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from cli.render.pictures.dot import Look, to_dot, to_wrapped_dot
from cli.render.pictures.parts import in_parts, parts_wanted
from cli.render.pictures.picture import Picture

__all__ = ["PictureFormat", "in_format"]

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
    from cli.render.pictures.pages import as_pages

    paper = replace(look, paper=(7.2, 10.6) if look.direction == "down" else (10.6, 7.2))
    return as_pages(draw(to_dot(part, paper), "pdf") for part in parts)
