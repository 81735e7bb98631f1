"""Max parallelism differs."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import first_key, last_key


def _find(pair: Pair) -> MergeObstacle | None:
    up, down = pair.upstream.max_parallelism, pair.downstream.max_parallelism
    if up == down:
        return None
    found = f"max parallelism {up or 'unset'} -> {down or 'unset'}"
    return RULE.obstacle(found, f"give {last_key(pair)} and {first_key(pair)} the same set_max_parallelism()")


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.max_parallelism or 'unset'} on both"


RULE = MergeRule(
    code="PM007",
    slug="different-max-parallelism",
    summary="max parallelism differs",
    checks=(
        "The max parallelism set on each operator itself. Unset equals only unset, even if the environment "
        "has the same value."
    ),
    why="Merged operators are one operator with one number of key groups.",
    fix="Set the max parallelism on both operators, or on the environment only.",
    example="""\
stream.map(parse).set_max_parallelism(128).map(clean)   # 128 -> unset
""",
    holds=_holds,
    find=_find,
)
