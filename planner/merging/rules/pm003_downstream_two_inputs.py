"""The downstream operator has two inputs.

## What it does

How many inputs the downstream operator has.

## Why it matters

An operator after `connect` waits for two streams; it can take in operators downstream, but never joins one
before it.

## Example

```python
first.map(parse).connect(second).process(Both())   # Co-Process does not merge with Map
```

## How to fix it

Nothing to fix while two streams are connected. If both carry the same records, `union` them instead.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return len(pair.downstream.inputs) >= 2


def _describe(pair: Pair) -> Obstacle:
    return RULE.obstacle(f"{pair.downstream.name} has {len(pair.downstream.inputs)} inputs", None)


def _holds(pair: Pair) -> str:
    return f"{pair.downstream.name} has one input"


RULE = MergeRule(
    code="PM003",
    slug="downstream-two-inputs",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
