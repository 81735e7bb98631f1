"""The slot sharing groups differ.

## What it does

Whether a slot sharing group is set on each operator itself, and with which resources. Unset equals only unset:
a group that Flink would inherit later does not count. The names of two groups are not compared: operators of
groups "a" and "b" merge, and the merged operator is in "a".

## Why it matters

Merged operators are one operator in one slot sharing group.

## Example

```python
stream.map(parse).slot_sharing_group("heavy").map(clean)   # 'heavy' -> unset
```

## How to fix it

Set a group on both operators, or on neither. To keep them apart, call `start_new_chain()` on the second one.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair, first_key, last_key
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return _set_on_one(pair) or pair.upstream.slot_resources != pair.downstream.slot_resources


def _set_on_one(pair: Pair) -> bool:
    return (pair.upstream.slot_sharing_group is None) != (pair.downstream.slot_sharing_group is None)


def _describe(pair: Pair) -> Obstacle:
    up, down = pair.upstream.slot_sharing_group, pair.downstream.slot_sharing_group
    if _set_on_one(pair):
        found = f"slot sharing group {up or 'unset'} -> {down or 'unset'}"
        return RULE.obstacle(found, f"give {last_key(pair)} and {first_key(pair)} the same slot_sharing_group()")
    found = f"resources {pair.upstream.slot_resources or 'unset'} -> {pair.downstream.slot_resources or 'unset'}"
    return RULE.obstacle(found, "give both operators the same SlotSharingGroup object")


def _holds(pair: Pair) -> str:
    up, down = pair.upstream.slot_sharing_group, pair.downstream.slot_sharing_group
    return f"{up or 'unset'} on both" if up == down else f"set on both ({up}, {down}); PyFlink does not compare names"


RULE = MergeRule(
    code="PM008",
    slug="different-slot-sharing-group",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
