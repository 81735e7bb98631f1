"""The downstream operator chains with sources only."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.downstream.chaining_strategy != "HEAD_WITH_SOURCES" or edge.upstream.source == "new":
        return None
    if edge.upstream.source != "legacy":
        return RULE.obstacle(f"{edge.upstream.name} is not a source", None)
    key = edge.upstream.operator.key
    return RULE.obstacle(f"{edge.upstream.name} is a legacy source", f"read {key} through the new source API")


def _holds(edge: Candidate) -> str:
    return f"{edge.downstream.name} has the strategy {edge.downstream.chaining_strategy}"


RULE = ChainingRule(
    code="CH006",
    slug="head-accepts-only-sources",
    about="source",
    summary="the downstream strategy is HEAD_WITH_SOURCES and the upstream is not a new-style source",
    checks=(
        "For a multi-input operator with the strategy HEAD_WITH_SOURCES: whether the upstream is a source of "
        "the new API (`from_source`)."
    ),
    why=(
        "Such an operator pulls from sources inside its own task. It cannot pull from an ordinary operator, "
        "which pushes its records."
    ),
    fix=(
        "Move the operator in between behind the multi-input operator, or accept the exchange. Replace a "
        "legacy SourceFunction by a new-style source."
    ),
    example="""\
- {id: joined, type: multi_input, inputs: [orders, cleaned], chain_sources: true}   # cleaned is a map: CH006
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
