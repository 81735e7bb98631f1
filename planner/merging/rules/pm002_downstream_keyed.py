"""The downstream operator works by key."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair


def _find(pair: Pair) -> MergeObstacle | None:
    if pair.downstream.python != "keyed":
        return None
    return RULE.obstacle(f"{pair.downstream.name} is keyed", None, needed=True)


def _holds(pair: Pair) -> str:
    return f"{pair.downstream.name} is not keyed"


RULE = MergeRule(
    code="PM002",
    slug="downstream-keyed",
    summary="the downstream operator works by key",
    checks=(
        "Whether the downstream operator is keyed: process, reduce, sum, a window or any other call on a keyed stream."
    ),
    why=(
        "A keyed operator reads records that were sent to the subtask of their key. It cannot run in the "
        "process of the operator that sent them."
    ),
    fix=(
        "Nothing to fix: the exchange by key is needed for the result. Work that needs no key can move in "
        "front of `key_by`."
    ),
    example="""\
stream.key_by(key).map(count)   # Map never merges with the key-by map in front of it
""",
    holds=_holds,
    find=_find,
)
