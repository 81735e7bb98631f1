"""The two operators are in different slot sharing groups.

## What it does

The slot sharing group of both operators. An operator without one of its own takes the group that all its inputs
agree on, else `default`.

## Why it matters

A chain is one task in one slot, and operators of different groups never share a slot. A group set on one
operator is inherited downstream, so one call can split a pipeline in two and raise the number of slots.

## Example

```python
source.map(parse).slot_sharing_group("heavy")   # the edge source -> Map shows CH003
```

## How to fix it

Give both operators the same group, or set the group at the source if the whole pipeline is meant.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, differ
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return differ(facts.upstream.slot_sharing_group, facts.downstream.slot_sharing_group)


def _describe(edge: Candidate) -> Obstacle:
    up, down = edge.upstream.slot_sharing_group, edge.downstream.slot_sharing_group
    key = edge.downstream.operator.key
    return RULE.obstacle(
        f"slot sharing group {up} -> {down}",
        f"put {key} into slot sharing group {up}",
        settings=(f"{key}.slot_sharing_group={up}",),
    )


def _holds(edge: Candidate) -> str:
    return f"both in {edge.upstream.slot_sharing_group!r}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    if fails is None:
        return "the slot sharing groups may differ"
    return "different slot sharing groups (slotSharingGroupId differs)" if fails else "same slot sharing group"


RULE = ChainingRule(
    code="CH003",
    slug="different-slot-sharing-group",
    page=__doc__,
    about="slot sharing group",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
