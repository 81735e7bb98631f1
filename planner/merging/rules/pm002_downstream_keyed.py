"""The downstream operator works by key.

## What it does

Whether the downstream operator is keyed: process, reduce, sum, a window or any other call on a keyed stream.

## Why it matters

A keyed operator reads records that were sent to the subtask of their key. It cannot run in the process of the
operator that sent them.

## Example

```python
stream.key_by(key).map(count)   # Map never merges with the key-by map upstream of it
```

## How to fix it

Nothing to fix: the exchange by key is needed for the result. Work that needs no key can move upstream of
`key_by`.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.downstream.python == "keyed"


def _describe(pair: Pair) -> Obstacle:
    return RULE.obstacle(f"{pair.downstream.name} is keyed", None, needed=True)


def _holds(pair: Pair) -> str:
    return f"{pair.downstream.name} is not keyed"


RULE = MergeRule(
    code="PM002",
    slug="downstream-keyed",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
