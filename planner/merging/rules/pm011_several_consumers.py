"""The upstream operator has several consumers.

## What it does

How many transformations read the upstream operator. A side output, a partition and a union count, and so does a
sink that `execute_and_collect` drops.

## Why it matters

A merged operator has one output. If a second consumer reads the upstream operator, it must stay an operator of
its own.

## Example

```python
parsed = stream.map(parse)
parsed.map(clean)
parsed.print()   # parsed has two consumers: neither merges with it
```

## How to fix it

Nothing to fix where both consumers are needed. Put the common work into one operator and branch after it.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.consumers > 1


def _describe(pair: Pair) -> Obstacle:
    return RULE.obstacle(f"{pair.consumers} transformations read {pair.upstream.name}", None)


def _holds(pair: Pair) -> str:
    return f"nothing else reads {pair.upstream.name}"


RULE = MergeRule(
    code="PM011",
    slug="several-consumers",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
