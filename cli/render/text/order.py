"""The order of the job vertices as text."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, line
from planner.explanation.order import Placement


def order_lines(name: str, placements: Sequence[Placement]) -> list[Line]:
    """Every vertex at its number, and below it the reason."""
    width = len(str(len(placements)))
    lines = [line((name, "title")), ()]
    for placement in placements:
        lines.append(line(f"  {placement.position + 1:>{width}}. ", (placement.name, "operator")))
        lines.append(line(" " * (width + 4), (placement.sentence, "dim")))
    return lines
