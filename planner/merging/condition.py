"""What a merge condition is, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.job import Operator, Transformation

__all__ = ["MergeObstacle", "MergeRule", "Pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two neighbouring Python operators, with everything the merge conditions read."""

    upstream: Operator
    downstream: Operator
    path: tuple[Transformation, ...]  # the virtual steps between them, from the downstream operator on
    upstream_parallelism: int
    downstream_parallelism: int
    consumers: int  # distinct transformations that read the upstream operator
    merging: bool  # python.operator-chaining.enabled


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeObstacle:
    """One merge condition that does not hold for one pair."""

    code: str
    slug: str
    values: str  # what was found
    change: str | None  # the smallest change that removes it; None where nothing should
    needed: bool  # merging would change the result


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRule:
    """One of PyFlink's merge conditions: named after the obstacle it finds."""

    code: str
    slug: str
    summary: str  # completes "not merged because ..."
    checks: str
    why: str
    fix: str
    example: str
    holds: Callable[[Pair], str]  # what was found where the condition holds
    find: Callable[[Pair], MergeObstacle | None]

    def obstacle(self, values: str, change: str | None, *, needed: bool = False) -> MergeObstacle:
        """This rule's finding on one pair."""
        return MergeObstacle(code=self.code, slug=self.slug, values=values, change=change, needed=needed)
