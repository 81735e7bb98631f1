"""The downstream operator has two inputs."""

from __future__ import annotations

from planner.merging.condition import MergeObstacle, MergeRule, Pair


def _find(pair: Pair) -> MergeObstacle | None:
    if len(pair.downstream.inputs) < 2:
        return None
    return RULE.obstacle(f"{pair.downstream.name} has {len(pair.downstream.inputs)} inputs", None)


def _holds(pair: Pair) -> str:
    return f"{pair.downstream.name} has one input"


RULE = MergeRule(
    code="PM003",
    slug="downstream-two-inputs",
    summary="the downstream operator has two inputs",
    checks="How many inputs the downstream operator has.",
    why=(
        "An operator behind `connect` waits for two streams; it can take operators in behind it, but never "
        "joins one before it."
    ),
    fix=("Nothing to fix while two streams are connected. If both carry the same records, `union` them instead."),
    example="""\
first.map(parse).connect(second).process(Both())   # Co-Process does not merge with Map
""",
    holds=_holds,
    find=_find,
)
