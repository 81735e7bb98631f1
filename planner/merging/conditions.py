"""One pair of Python operators against all merge conditions: what each found, also where it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.job import Operator
from planner.merging.condition import Pair
from planner.merging.registry import RULES

__all__ = ["MergeCondition", "check_merge_conditions", "pair_inside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeCondition:
    """How one merge condition came out on one pair."""

    code: str
    slug: str
    holds: bool
    found: str

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-ready data."""
        return {"code": self.code, "slug": self.slug, "holds": self.holds, "found": self.found}


def check_merge_conditions(pair: Pair) -> tuple[MergeCondition, ...]:
    """All merge conditions on a pair, in the order of their codes."""
    outcomes = [(rule, rule.find(pair)) for rule in RULES]
    return tuple(
        MergeCondition(
            code=rule.code,
            slug=rule.slug,
            holds=obstacle is None,
            found=rule.holds(pair) if obstacle is None else obstacle.values,
        )
        for rule, obstacle in outcomes
    )


def pair_inside(merged: Operator, upstream: Operator, downstream: Operator) -> Pair:
    """Two neighbours that were merged, as the conditions saw them."""
    parallelism = merged.parallelism or 1
    return Pair(
        upstream=upstream,
        downstream=downstream,
        path=(),
        upstream_parallelism=parallelism,
        downstream_parallelism=parallelism,
        consumers=1,
        merging=True,
    )
