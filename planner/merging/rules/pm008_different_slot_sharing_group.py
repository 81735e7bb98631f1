"""The slot sharing groups differ."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import first_key, last_key


def _find(pair: Pair) -> MergeObstacle | None:
    up, down = pair.upstream.slot_sharing_group, pair.downstream.slot_sharing_group
    if up == down and pair.upstream.slot_resources != pair.downstream.slot_resources:
        found = f"slot sharing group {up} with resources on one side only, or with others"
        return RULE.obstacle(found, "give both operators the same SlotSharingGroup object")
    if up == down:
        return None
    found = f"slot sharing group {up or 'unset'} -> {down or 'unset'}"
    return RULE.obstacle(found, f"give {last_key(pair)} and {first_key(pair)} the same slot_sharing_group()")


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.slot_sharing_group or 'unset'} on both"


RULE = MergeRule(
    code="PM008",
    slug="different-slot-sharing-group",
    summary="the slot sharing groups differ",
    checks=(
        "The slot sharing group set on each operator itself. Unset equals only unset: a group that Flink "
        "would inherit later does not count."
    ),
    why="Merged operators are one operator in one slot sharing group.",
    fix="Set the same group on both operators, or on neither.",
    example="""\
stream.map(parse).slot_sharing_group("heavy").map(clean)   # 'heavy' -> unset
""",
    holds=_holds,
    find=_find,
)
