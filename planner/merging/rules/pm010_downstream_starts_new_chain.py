"""The downstream operator starts a chain of its own."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import first_key


def _find(pair: Pair) -> MergeObstacle | None:
    if pair.downstream.chaining is None:
        return None
    call = "start_new_chain()" if pair.downstream.chaining == "start_new" else "disable_chaining()"
    return RULE.obstacle(f"{pair.downstream.name} has {call}", f"remove {call} from {first_key(pair)}")


def _holds(pair: Pair) -> str:
    return f"{pair.downstream.name} may chain with what it reads"


RULE = MergeRule(
    code="PM010",
    slug="downstream-starts-new-chain",
    summary="the downstream operator starts a chain of its own",
    checks="Whether `start_new_chain()` or `disable_chaining()` was called on the downstream operator.",
    why="PyFlink merges an operator only if it may always chain.",
    fix="Remove `start_new_chain()` or `disable_chaining()` from the downstream operator.",
    example="""\
stream.map(parse).map(clean).start_new_chain()
""",
    holds=_holds,
    find=_find,
)
