"""The upstream operator refuses to chain."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, as_written, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.upstream.chaining_strategy != "NEVER":
        return None
    operator = edge.upstream.operator
    return RULE.obstacle(
        f"{edge.upstream.name} has the strategy NEVER",
        f"remove {as_written(operator, 'disable_chaining()', 'chaining: disable')} from {operator.key}",
        settings=(f"{operator.key}.chaining=none",) if operator.chaining else (),
        side="upstream",
    )


def _holds(edge: Candidate) -> str:
    return f"{edge.upstream.name} has the strategy {edge.upstream.chaining_strategy}"


RULE = ChainingRule(
    code="CH004",
    slug="upstream-never-chains",
    about="strategy",
    summary="the upstream strategy is NEVER",
    checks=("Whether the upstream operator has `disable_chaining()` (YAML: `chaining: disable`)."),
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
    holds=_holds,
    ordinary=never,
)
