"""Another edge enters the same input."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if not edge.position_shared:
        return None
    return RULE.obstacle(f"other edges enter the same input of {edge.downstream.name} (a union)", None, needed=True)


def _holds(edge: Candidate) -> str:
    return f"no other edge enters input {edge.edge.type_number} of {edge.downstream.name}"


RULE = ChainingRule(
    code="CH011",
    slug="shared-input-position",
    about="inputs",
    summary="another edge enters the same input position (a union)",
    checks=("Whether another edge enters the same input position of the downstream operator, as behind a union."),
    why=(
        "A union exists only in the network stack: its records meet in one input gate. An operator behind a "
        "union therefore always starts a task."
    ),
    fix=(
        "Usually nothing. If the operators behind the union are cheap and stateless, applying them to each "
        "branch before the union lets each branch chain."
    ),
    example="""\
first.union(second).map(parse)   # both edges into Map show CH002 and CH011
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
