"""Parallelism differs."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import first_key, last_key


def _find(pair: Pair) -> MergeObstacle | None:
    up, down = pair.upstream_parallelism, pair.downstream_parallelism
    if up == down:
        return None
    return RULE.obstacle(
        f"parallelism {up} -> {down}", f"set the parallelism of {last_key(pair)} and {first_key(pair)} to {up}"
    )


def _holds(pair: Pair) -> str:
    return f"{pair.upstream_parallelism} on both"


RULE = MergeRule(
    code="PM006",
    slug="different-parallelism",
    summary="parallelism differs",
    checks=(
        "The parallelism of both operators when the job is executed: their own, else the environment's at the "
        "call that made them."
    ),
    why="Merged operators are one operator with one number of subtasks.",
    fix=(
        "Give both operators the same parallelism. A call of `env.set_parallelism` between the two is enough "
        "to part them."
    ),
    example="""\
stream.map(parse).set_parallelism(2).map(clean)   # clean has the environment's parallelism
""",
    holds=_holds,
    find=_find,
)
