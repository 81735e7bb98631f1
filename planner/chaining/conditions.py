"""One edge against all chaining conditions: what each found, also where it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.chaining.evaluation import candidate_of
from planner.chaining.registry import RULES

if TYPE_CHECKING:
    from planner.pipeline import Plan

__all__ = ["Condition", "check_conditions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How one chaining condition came out on one edge."""

    code: str
    slug: str
    holds: bool
    found: str

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-ready data."""
        return {"code": self.code, "slug": self.slug, "holds": self.holds, "found": self.found}


def check_conditions(plan: Plan, position: int) -> tuple[Condition, ...]:
    """All conditions on the edge at `position` of the stream graph, in the order of their codes."""
    failed = {obstacle.code: obstacle for obstacle in plan.obstacles[position]}
    candidate = candidate_of(plan.stream_graph, plan.obstacles, position)
    return tuple(
        Condition(
            code=rule.code,
            slug=rule.slug,
            holds=rule.code not in failed,
            found=failed[rule.code].values if rule.code in failed else rule.holds(candidate),
        )
        for rule in RULES
    )
