"""The upstream operator must not chain."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import last_key


def _find(pair: Pair) -> MergeObstacle | None:
    if pair.upstream.chaining != "disable":
        return None
    return RULE.obstacle(
        f"{pair.upstream.name} has disable_chaining()", f"remove disable_chaining() from {last_key(pair)}"
    )


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.name} may chain with what reads it"


RULE = MergeRule(
    code="PM009",
    slug="upstream-never-chains",
    summary="the upstream operator must not chain",
    checks="Whether `disable_chaining()` was called on the upstream operator.",
    why=("PyFlink takes `disable_chaining` as a wish to keep the operator apart from everything, merging included."),
    fix=("Remove `disable_chaining()`, or call `start_new_chain()`, which keeps it apart from what is before it only."),
    example="""\
stream.map(parse).disable_chaining().map(clean)
""",
    holds=_holds,
    find=_find,
)
