"""The job switched chaining off."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.chaining:
        return None
    return RULE.obstacle("chaining is off for the job", "remove disable_operator_chaining() (YAML: chaining: false)")


RULE = ChainingRule(
    code="CH001",
    slug="chaining-disabled",
    summary="chaining is off for the job",
    checks=("The job-wide switch: `env.disable_operator_chaining()`, or `chaining: false` in YAML."),
    why=(
        "Every operator becomes a task of its own. Each record is serialised and handed to another thread at "
        "every step, which often costs more than the operators themselves. It is meant for finding out which "
        "operator is slow, not for production."
    ),
    fix=(
        "Remove the switch. To keep one heavy operator apart, use `disable_chaining()` or `start_new_chain()` "
        "on that operator alone."
    ),
    example="""\
env.disable_operator_chaining()   # every edge of the job now shows CH001
""",
    find=_find,
)
