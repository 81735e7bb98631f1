"""How many tiles stand side by side in a grid."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

__all__ = ["in_rows"]

MOST_IN_A_ROW = 5


def in_rows(ids: Sequence[str], most: int = MOST_IN_A_ROW) -> tuple[tuple[str, ...], ...]:
    """The tiles in rows, about as many rows as columns."""
    width = min(ceil(sqrt(len(ids))), most) or 1
    return tuple(tuple(ids[at : at + width]) for at in range(0, len(ids), width))
