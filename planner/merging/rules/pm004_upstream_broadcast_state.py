"""The upstream operator keeps broadcast state.

## What it does

Whether the upstream operator was made by `connect(stream.broadcast(descriptor)).process(...)`.

## Why it matters

PyFlink's optimizer does not know broadcast-state operators and merges nothing into them.

## Example

```python
stream.connect(rules.broadcast(descriptor)).process(Apply()).map(tidy)   # Map stays apart
```

## How to fix it

Do the work inside the broadcast process function.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.upstream.python == "broadcast"


def _describe(pair: Pair) -> Obstacle:
    return RULE.obstacle(f"{pair.upstream.name} keeps broadcast state", None)


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.name} keeps no broadcast state"


RULE = MergeRule(
    code="PM004",
    slug="upstream-broadcast-state",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
