"""Parallelism differs.

## What it does

The parallelism of both operators when the job is executed: their own, else the environment's at the call that
made them.

## Why it matters

Merged operators are one operator with one number of subtasks.

## Example

```python
stream.map(parse).set_parallelism(2).map(clean)   # clean has the environment's parallelism
```

## How to fix it

Give both operators the same parallelism. A call of `env.set_parallelism` between the two is enough to part
them.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair, first_key, last_key
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.upstream_parallelism != pair.downstream_parallelism


def _describe(pair: Pair) -> Obstacle:
    up, down = pair.upstream_parallelism, pair.downstream_parallelism
    return RULE.obstacle(
        f"parallelism {up} -> {down}", f"set the parallelism of {last_key(pair)} and {first_key(pair)} to {up}"
    )


def _holds(pair: Pair) -> str:
    return f"{pair.upstream_parallelism} on both"


RULE = MergeRule(
    code="PM006",
    slug="different-parallelism",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
