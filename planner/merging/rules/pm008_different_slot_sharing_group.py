"""The slot sharing groups differ."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import first_key, last_key


def _find(pair: Pair) -> MergeObstacle | None:
    up, down = pair.upstream.slot_sharing_group, pair.downstream.slot_sharing_group
    if (up is None) != (down is None):
        found = f"slot sharing group {up or 'unset'} -> {down or 'unset'}"
        return RULE.obstacle(found, f"give {last_key(pair)} and {first_key(pair)} the same slot_sharing_group()")
    if pair.upstream.slot_resources == pair.downstream.slot_resources:
        return None
    found = f"resources {pair.upstream.slot_resources or 'unset'} -> {pair.downstream.slot_resources or 'unset'}"
    return RULE.obstacle(found, "give both operators the same SlotSharingGroup object")


def _holds(pair: Pair) -> str:
    up, down = pair.upstream.slot_sharing_group, pair.downstream.slot_sharing_group
    return f"{up or 'unset'} on both" if up == down else f"set on both ({up}, {down}); PyFlink does not compare names"


RULE = MergeRule(
    code="PM008",
    slug="different-slot-sharing-group",
    summary="the slot sharing groups differ",
    checks=(
        "Whether a slot sharing group is set on each operator itself, and with which resources. Unset equals only "
        "unset: a group that Flink would inherit later does not count. The names of two groups are not compared: "
        'operators of groups "a" and "b" merge, and the merged operator is in "a".'
    ),
    why="Merged operators are one operator in one slot sharing group.",
    fix="Set a group on both operators, or on neither. To keep them apart, call `start_new_chain()` on the second one.",
    example="""\
stream.map(parse).slot_sharing_group("heavy").map(clean)   # 'heavy' -> unset
""",
    holds=_holds,
    find=_find,
)
