"""The two operators run with different parallelism."""

from __future__ import annotations

from planner.chaining.rule import Candidate, ChainingRule
from planner.graphs.obstacle import Obstacle


def _find(edge: Candidate) -> Obstacle | None:
    up, down = edge.upstream.parallelism, edge.downstream.parallelism
    if up == down:
        return None
    return RULE.obstacle(f"parallelism {up} -> {down}", _change(edge))


def _change(edge: Candidate) -> str:
    """The change on the side that stands out: the operator with a parallelism of its own follows the other one."""
    up, down = edge.upstream, edge.downstream
    if up.operator.kind == "source" and not up.operator.parallel:
        return f"set the parallelism of {down.operator.key} to 1, or use a source that can run in parallel"
    follower, leader = (up, down) if up.parallelism_configured and not down.parallelism_configured else (down, up)
    return f"set the parallelism of {follower.operator.key} to {leader.parallelism}"


RULE = ChainingRule(
    code="CH009",
    slug="different-parallelism",
    summary="parallelism differs",
    checks=(
        "The parallelism of both operators: their own, else the job's. A non-parallel legacy source has "
        "parallelism 1 whatever the job says."
    ),
    why=(
        "A chain is one task, and all operators of a task run with the same number of subtasks. Flink "
        "silently puts a REBALANCE where parallelism changes, which also reorders records."
    ),
    fix=(
        "Give both operators the same parallelism. Often one `set_parallelism` in the middle of a pipeline is "
        "enough to break it twice: in front of the operator and behind it."
    ),
    example="""\
source.map(parse).set_parallelism(4)   # with a job parallelism of 2, the edge into Map shows CH007 and CH009
""",
    find=_find,
)
