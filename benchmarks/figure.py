"""The one type of every result: a ratio of two things that were measured in turns, with its spread."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Cost", "Figure", "compare", "memory", "seconds"]

Unit = Literal["s", "MB"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one run took."""

    seconds: float
    peak: int = 0  # bytes of memory, where it was measured


def seconds(cost: Cost) -> float:
    """The time of a run."""
    return cost.seconds


def memory(cost: Cost) -> float:
    """The peak memory of a run in MB."""
    return cost.peak / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One comparison: what `plan` takes as a multiple of what the other side takes. Below 1 is better."""

    what: str
    other: str  # what stands on the other side
    ratio: float  # the median of all rounds
    low: float  # half of the rounds lie between low and high: the spread
    high: float
    rounds: int
    ours: float  # medians, in the unit
    theirs: float
    unit: Unit = "s"
    target: float | None = None  # the ratio should not be greater

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same figure in another run."""
        return self.what, self.other

    @property
    def spread(self) -> float:
        """How far apart the middle half of the rounds is."""
        return self.high - self.low

    @property
    def missed(self) -> bool:
        """Whether it is above its target."""
        return self.target is not None and self.ratio > self.target

    def worse_than(self, before: Figure) -> bool:
        """Whether the ratio grew by more than both spreads."""
        return self.ratio - before.ratio > max(self.spread, before.spread)

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the file of results."""
        return {name: _rounded(value) for name, value in asdict(self).items() if value is not None}


def compare(
    what: str,
    costs: Mapping[str, Sequence[Cost]],
    ours: str,
    theirs: str,
    *,
    other: str | None = None,
    target: float | None = None,
    of: Callable[[Cost], float] = seconds,
) -> Figure:
    """The figure of two sides that took turns: round by round, so that both sides of a ratio saw the same machine."""
    mine, yours = [of(cost) for cost in costs[ours]], [of(cost) for cost in costs[theirs]]
    ratios = [one / another for one, another in zip(mine, yours, strict=True)]
    low, high = _middle_half(ratios)
    return Figure(
        what=what,
        other=other or theirs,
        ratio=statistics.median(ratios),
        low=low,
        high=high,
        rounds=len(ratios),
        ours=statistics.median(mine),
        theirs=statistics.median(yours),
        unit="MB" if of is memory else "s",
        target=target,
    )


def _middle_half(values: Sequence[float]) -> tuple[float, float]:
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
