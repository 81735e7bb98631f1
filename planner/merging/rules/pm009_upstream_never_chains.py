"""The upstream operator must not chain.

## What it does

Whether `disable_chaining()` was called on the upstream operator.

## Why it matters

PyFlink takes `disable_chaining` as a wish to keep the operator apart from everything, merging included.

## Example

```python
stream.map(parse).disable_chaining().map(clean)
```

## How to fix it

Remove `disable_chaining()`, or call `start_new_chain()`, which keeps it apart from what is before it only.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair, last_key
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.upstream.chaining == "disable"


def _describe(pair: Pair) -> Obstacle:
    return RULE.obstacle(
        f"{pair.upstream.name} has disable_chaining()", f"remove disable_chaining() from {last_key(pair)}"
    )


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.name} may chain with what reads it"


RULE = MergeRule(
    code="PM009",
    slug="upstream-never-chains",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
