"""What a broken chaining condition is called, wherever graphs carry one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """One condition that does not hold on one edge."""

    code: str
    slug: str
    values: str  # what was found: "parallelism 2 -> 4"
    change: str | None  # the smallest change of the job that removes it; None where nothing should
    needed: bool  # the exchange is needed for the result (a keyed exchange): chaining would be wrong
