"""The upstream operator keeps broadcast state."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair


def _find(pair: Pair) -> MergeObstacle | None:
    if pair.upstream.python != "broadcast":
        return None
    return RULE.obstacle(f"{pair.upstream.name} keeps broadcast state", None)


def _holds(pair: Pair) -> str:
    return f"{pair.upstream.name} keeps no broadcast state"


RULE = MergeRule(
    code="PM004",
    slug="upstream-broadcast-state",
    summary="the upstream operator keeps broadcast state",
    checks="Whether the upstream operator was made by `connect(stream.broadcast(descriptor)).process(...)`.",
    why="PyFlink's optimizer does not know broadcast-state operators and merges nothing into them.",
    fix="Do the work inside the broadcast process function.",
    example="""\
stream.connect(rules.broadcast(descriptor)).process(Apply()).map(tidy)   # Map stays apart
""",
    holds=_holds,
    find=_find,
)
