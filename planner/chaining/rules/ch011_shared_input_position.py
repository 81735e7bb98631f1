"""Another edge enters the same input position (a union).

## What it does

Whether another edge enters the same input position of the downstream operator, as after a union.

## Why it matters

A union exists only in the network stack: its records meet in one input gate. An operator after a union
therefore always starts a task.

## Example

```python
first.union(second).map(parse)   # both edges into Map show CH002 and CH011
```

## How to fix it

Usually nothing. If the operators after the union are cheap and stateless, applying them to each branch before
the union lets each branch chain.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return is_one_of(facts.position_shared, True)


def _describe(edge: Candidate) -> Obstacle:
    return RULE.obstacle(f"other edges enter the same input of {edge.downstream.name} (a union)", None, needed=True)


def _holds(edge: Candidate) -> str:
    return f"no other edge enters input {edge.edge.type_number} of {edge.downstream.name}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return "another edge may enter the same input" if fails is None else "one input"


RULE = ChainingRule(
    code="CH011",
    slug="shared-input-position",
    page=__doc__,
    about="inputs",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
