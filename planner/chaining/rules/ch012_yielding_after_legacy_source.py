"""An async operator behind a legacy source."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, as_written, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if not edge.downstream.yielding or edge.chain_head.source != "legacy":
        return None
    operator = edge.chain_head.operator
    new = as_written(operator, "from_source()", "legacy: false")
    return RULE.obstacle(
        f"{edge.downstream.name} is async and its chain would start at the legacy source {edge.chain_head.name}",
        f"read {operator.key} through the new source API ({new})",
    )


def _holds(edge: Candidate) -> str:
    if not edge.downstream.yielding:
        return f"{edge.downstream.name} is not async"
    return "the head of the upstream's chain is not a legacy source"


RULE = ChainingRule(
    code="CH012",
    slug="yielding-after-legacy-source",
    about="source",
    summary="the downstream operator is async and the head of the upstream's chain is a legacy source",
    checks=("For an async operator: whether the chain it would join starts at a legacy SourceFunction."),
    why=(
        "A legacy source owns its thread and holds the checkpoint lock while it emits. An async operator must "
        "give the thread back while it waits, which it cannot do inside such a chain."
    ),
    fix=("Use a source of the new API. Then the async operator chains."),
    example="""\
AsyncDataStream.unordered_wait(env.add_source(legacy), lookup, Time.seconds(1))   # CH012
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
