"""Max parallelism differs.

## What it does

The max parallelism set on each operator itself. Unset equals only unset, even if the environment has the same
value.

## Why it matters

Merged operators are one operator with one number of key groups.

## Example

```python
stream.map(parse).set_max_parallelism(128).map(clean)   # 128 -> unset
```

## How to fix it

Set the max parallelism on both operators, or on the environment only.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair, first_key, last_key
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.upstream.max_parallelism != pair.downstream.max_parallelism


def _describe(pair: Pair) -> Obstacle:
    up, down = pair.upstream.max_parallelism, pair.downstream.max_parallelism
    found = f"max parallelism {up or 'unset'} -> {down or 'unset'}"
    return RULE.obstacle(found, f"give {last_key(pair)} and {first_key(pair)} the same set_max_parallelism()")


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.max_parallelism or 'unset'} on both"


RULE = MergeRule(
    code="PM007",
    slug="different-max-parallelism",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
