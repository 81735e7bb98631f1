"""The downstream operator reads more than one edge."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.downstream_inputs == 1:
        return None
    joins_sources = edge.downstream.chaining_strategy == "HEAD_WITH_SOURCES" and edge.upstream.source == "new"
    if joins_sources and edge.upstream_outputs == 1:
        return None
    return RULE.obstacle(f"{edge.downstream.name} has {edge.downstream_inputs} input edges", None, needed=True)


def _holds(edge: Candidate) -> str:
    name, inputs = edge.downstream.name, edge.downstream_inputs
    if inputs == 1:
        return f"{name} has one input edge"
    return f"{name} has {inputs} input edges, and chains sources like {edge.upstream.name}"


RULE = ChainingRule(
    code="CH002",
    slug="multiple-inputs",
    about="inputs",
    summary="the downstream operator has more than one input edge",
    checks=(
        "How many edges enter the downstream operator, over all its input positions. An operator with the "
        "strategy HEAD_WITH_SOURCES takes a new-style source that feeds nothing else."
    ),
    why=(
        "A chained operator is called directly by the one in front of it. With several producers there is no "
        "single caller: records must meet in an input gate, so a union, a connect or a join always starts a "
        "task."
    ),
    fix=(
        "Usually nothing: two streams meet here by design. If one of the inputs is not needed, remove it. A "
        "multi-input operator can absorb sources that feed only it (`chain_sources: true`)."
    ),
    example="""\
orders.connect(payments).map(Match())   # both edges into Co-Map show CH002
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
