"""The exchange is kept on disk first."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule, never
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    if edge.edge.exchange_mode != "BATCH":
        return None
    if edge.downstream.behind_writer:
        return RULE.obstacle("BATCH: the committer waits until everything is written", None, needed=True)
    return RULE.obstacle("exchange mode BATCH", f"remove exchange: batch in front of {edge.downstream.operator.key}")


def _holds(edge: Candidate) -> str:
    return f"the exchange mode is {edge.edge.exchange_mode}"


RULE = ChainingRule(
    code="CH008",
    slug="batch-exchange",
    about="exchange",
    summary="the exchange mode is BATCH",
    checks=(
        "The exchange mode of the edge. In streaming mode BATCH has no effect and is not an obstacle; in "
        "batch mode it is."
    ),
    why=(
        "With a batch exchange the whole result is written before the next task starts, so that a failure "
        "behind it does not repeat what came before. A chain cannot stop half-way."
    ),
    fix=(
        "Remove `exchange: batch`, unless the recovery point is wanted. Between a sink's writer and its "
        "committer Flink always puts one in batch mode."
    ),
    example="""\
- {id: out, type: map, input: {from: parsed, partition: forward, exchange: batch}}   # CH008 in batch mode
""",
    find=_find,
    holds=_holds,
    ordinary=never,
)
