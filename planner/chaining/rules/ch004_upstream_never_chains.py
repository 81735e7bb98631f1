"""The upstream strategy is NEVER.

## What it does

Whether the upstream operator has `disable_chaining()` (YAML: `chaining: disable`).

## Why it matters

An operator with the strategy NEVER is a task of its own: neither the edge into it nor any edge out of it
chains.

## Example

```python
stream.map(heavy).disable_chaining().filter(keep)   # the edge Map -> Filter shows CH004
```

## How to fix it

Remove `disable_chaining()`. If only the edge into the operator should break, `start_new_chain()` keeps the
edges downstream of it chained.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, as_written, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return is_one_of(facts.upstream.chaining_strategy, "NEVER")


def _describe(edge: Candidate) -> Obstacle:
    operator = edge.upstream.operator
    return RULE.obstacle(
        f"{edge.upstream.name} has the strategy NEVER",
        f"remove {as_written(operator, 'disable_chaining()', 'chaining: disable')} from {operator.key}",
        settings=(f"{operator.key}.chaining=none",) if operator.chaining else (),
        side="upstream",
    )


def _holds(edge: Candidate) -> str:
    return f"{edge.upstream.name} has the strategy {edge.upstream.chaining_strategy}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    if fails is None:
        return f"{edge.upstream} may have disableChaining()"
    return f"{edge.upstream} is chained to another operator"


RULE = ChainingRule(
    code="CH004",
    slug="upstream-never-chains",
    page=__doc__,
    about="strategy",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
