"""Parallelism differs.

## What it does

The parallelism of both operators: their own, else the job's. A non-parallel legacy source has parallelism 1
whatever the job says.

## Why it matters

A chain is one task, and all operators of a task run with the same number of subtasks. Flink silently puts a
REBALANCE where parallelism changes, which also reorders records.

## Example

```python
source.map(parse).set_parallelism(4)   # with a job parallelism of 2, the edge into Map shows CH007 and CH009
```

## How to fix it

Give both operators the same parallelism. Often one `set_parallelism` in the middle of a pipeline is enough to
break it twice: upstream and downstream of the operator.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, differ
from planner.graphs.stream_graph import StreamNode
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return differ(facts.upstream.parallelism, facts.downstream.parallelism)


def _describe(edge: Candidate) -> Obstacle:
    up, down = edge.upstream, edge.downstream
    if down.after_writer:
        told = f"parallelism {up.parallelism} -> {down.parallelism}: the coordinator of compactors runs once"
        return RULE.obstacle(told, None, needed=True)
    follower, leader = (up, down) if _upstream_follows(edge) else (down, up)
    key = follower.operator.key
    change = f"set the parallelism of {key} to {leader.parallelism}"
    if _single(up):
        change += ", or use a source that can run in parallel"
    decided = up.operator is not down.operator and leader.parallelism > 0
    return RULE.obstacle(
        f"parallelism {up.parallelism} -> {down.parallelism}",
        change,
        settings=(f"{key}.parallelism={leader.parallelism}",) if decided else (),
    )


def _upstream_follows(edge: Candidate) -> bool:
    """Whether the upstream should take the downstream's parallelism: it alone sets one, and does not depend on it."""
    up, down = edge.upstream, edge.downstream
    if _single(up) or edge.upstream_fed_by == {"GLOBAL"}:  # further subtasks of it would get no records
        return False
    return up.parallelism_configured and not down.parallelism_configured


def _single(node: StreamNode) -> bool:
    """Whether Flink runs the node with one subtask, whatever is set."""
    return node.operator.kind == "source" and not node.operator.parallel


def _holds(edge: Candidate) -> str:
    return f"{edge.upstream.parallelism} on both"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return edge.told["parallelism"]


RULE = ChainingRule(
    code="CH009",
    slug="different-parallelism",
    page=__doc__,
    about="parallelism",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
