"""The order of the job vertices as text."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, line
from planner.explanation.order import OrderedVertex


def order_lines(name: str, placements: Sequence[OrderedVertex], note: str = "") -> list[Line]:
    """Every vertex at its number, and below it the reason; `note` stands beside the name."""
    width = len(str(len(placements)))
    lines = [line((name, "title"), *([(f"  {note}", "dim")] if note else [])), ()]
    for placement in placements:
        lines.append(line(f"  {placement.position + 1:>{width}}. ", (placement.name, "operator")))
        lines.append(line(" " * (width + 4), (placement.sentence, "dim")))
    return lines
