"""Records are partitioned, united or split between the two.

## What it does

What stands between the two operators: only FORWARD partitions may.

## Why it matters

Merged operators hand records over inside one process. A rebalance, a key, a union or a side output in between
needs an exchange of Flink.

## Example

```python
stream.map(parse).rebalance().map(clean)   # two Python processes, and a network exchange between them
```

## How to fix it

Remove the partitioning where it is not needed.
"""

from __future__ import annotations

from planner.job import Partition
from planner.merging.condition import MergeRule, Pair, describe_step, is_forward
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return not all(map(is_forward, pair.path))


def _describe(pair: Pair) -> Obstacle:
    found = next(step for step in pair.path if not is_forward(step))
    what = describe_step(found)
    hashed = isinstance(found, Partition) and found.partitioner == "HASH"
    removable = isinstance(found, Partition) and not hashed
    change = f"remove {what} at {found.location}" if removable else None
    return RULE.obstacle(f"{what} at {found.location}", change, needed=hashed)


def _holds(pair: Pair) -> str:
    return "nothing but forward between them"


RULE = MergeRule(
    code="PM005",
    slug="not-forward",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
