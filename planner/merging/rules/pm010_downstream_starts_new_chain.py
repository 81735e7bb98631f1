"""The downstream operator starts a chain of its own.

## What it does

Whether `start_new_chain()` or `disable_chaining()` was called on the downstream operator.

## Why it matters

PyFlink merges an operator only if it may always chain.

## Example

```python
stream.map(parse).map(clean).start_new_chain()
```

## How to fix it

Remove `start_new_chain()` or `disable_chaining()` from the downstream operator.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair, first_key
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return pair.downstream.chaining is not None


def _describe(pair: Pair) -> Obstacle:
    call = "start_new_chain()" if pair.downstream.chaining == "start_new" else "disable_chaining()"
    return RULE.obstacle(f"{pair.downstream.name} has {call}", f"remove {call} from {first_key(pair)}")


def _holds(pair: Pair) -> str:
    return f"{pair.downstream.name} may chain with what it reads"


RULE = MergeRule(
    code="PM010",
    slug="downstream-starts-new-chain",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
