"""The job switched chaining off."""

from __future__ import annotations

from functools import cache

from planner.chaining.rule import Candidate, ChainingRule, as_written
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.chaining:
        return None
    # An async operator may then meet a legacy source at the head of the longer chain: only a new plan tells.
    settings = () if edge.downstream.yielding else ("job.chaining=true",)
    off = as_written(edge.downstream.operator, "disable_operator_chaining()", "chaining: false")
    return _obstacle(f"remove {off} from the job", settings)


@cache
def _obstacle(change: str, settings: tuple[str, ...]) -> Obstacle:
    """One for all edges of a job: it names none of them."""
    return RULE.obstacle("chaining is off for the job", change, settings=settings)


def _holds(edge: Candidate) -> str:
    return "chaining is on for the job"


RULE = ChainingRule(
    code="CH001",
    slug="chaining-disabled",
    about="job",
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
    holds=_holds,
    ordinary=lambda graph: not graph.chaining,
)
