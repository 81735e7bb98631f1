"""The physical deployment: which subtasks share a slot, which restart together."""

from __future__ import annotations

from dataclasses import dataclass

Subtask = tuple[int, int]  # (vertex position, subtask index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Physical:
    """Slots and failover regions, each a sorted tuple of subtasks, both sorted."""

    slots: tuple[tuple[Subtask, ...], ...]
    failover_regions: tuple[tuple[Subtask, ...], ...]
