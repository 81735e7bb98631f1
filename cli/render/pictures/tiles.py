"""How many tiles stand side by side in a grid, and how much stands in each."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

__all__ = ["folded_lines", "in_rows"]

MOST_IN_A_ROW = 5
MOST_LINES = 16  # of one tile; of more the first, and how many follow


def in_rows(ids: Sequence[str], most: int = MOST_IN_A_ROW) -> tuple[tuple[str, ...], ...]:
    """The tiles in rows, about as many rows as columns."""
    width = min(ceil(sqrt(len(ids))), most) or 1
    return tuple(tuple(ids[at : at + width]) for at in range(0, len(ids), width))


def folded_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of one tile; a long list ends with how many more there are."""
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    return (*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more")
