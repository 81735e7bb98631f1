"""Chaining is off for the job.

## What it does

The job-wide switch: `env.disable_operator_chaining()`, or `chaining: false` in YAML.

## Why it matters

Every operator becomes a task of its own. Each record is serialised and handed to another thread at every step,
which often costs more than the operators themselves. It is meant for finding out which operator is slow, not
for production.

## Example

```python
env.disable_operator_chaining()   # every edge of the job now shows CH001
```

## How to fix it

Remove the switch. To keep one heavy operator apart, use `disable_chaining()` or `start_new_chain()` on that
operator alone.
"""

from __future__ import annotations

from functools import cache

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, as_written, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return is_one_of(facts.chaining, False)


def _describe(edge: Candidate) -> Obstacle:
    # An async operator may then meet a legacy source at the head of the longer chain: only a new plan tells.
    settings = () if edge.downstream.yielding else ("job.chaining=true",)
    option = "SET 'pipeline.operator-chaining.enabled' = 'false'"
    off = as_written(edge.downstream.operator, "disable_operator_chaining()", "chaining: false", option)
    return _obstacle(f"remove {off} from the job", settings)


@cache
def _obstacle(change: str, settings: tuple[str, ...]) -> Obstacle:
    """One for all edges of a job: it names none of them."""
    return RULE.obstacle("chaining is off for the job", change, settings=settings)


def _holds(edge: Candidate) -> str:
    return "chaining is on for the job"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return "chaining may be off for the job" if fails is None else "other edges of the job are chained"


RULE = ChainingRule(
    code="CH001",
    slug="chaining-disabled",
    page=__doc__,
    about="job",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
