"""The upstream operator refuses to chain."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.upstream.chaining_strategy != "NEVER":
        return None
    return RULE.obstacle(
        f"{edge.upstream.name} has the strategy NEVER", f"remove disable_chaining() from {edge.upstream.operator.key}"
    )


RULE = ChainingRule(
    code="CH004",
    slug="upstream-never-chains",
    summary="the upstream strategy is NEVER",
    checks=("Whether the upstream operator was told `disable_chaining()` (YAML: `chaining: disable`)."),
    why=(
        "An operator with the strategy NEVER is a task of its own: neither the edge into it nor any edge out "
        "of it chains."
    ),
    fix=(
        "Remove `disable_chaining()`. If only the edge into the operator should break, `start_new_chain()` "
        "keeps the edges behind it chained."
    ),
    example="""\
stream.map(heavy).disable_chaining().filter(keep)   # the edge Map -> Filter shows CH004
""",
    find=_find,
)
