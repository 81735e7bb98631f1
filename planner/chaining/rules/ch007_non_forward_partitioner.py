"""The partitioner is not forward.

## What it does

How records travel: only FORWARD sends every record to the subtask with the same number. Hash, rebalance,
rescale, shuffle, broadcast, global and custom partitioners do not.

## Why it matters

A chained call stays in one subtask. As soon as records may go to another subtask they must cross an exchange.

## Example

```python
stream.rebalance().map(parse)   # the edge into Map shows CH007
```

## How to fix it

A `key_by` is needed for the result: leave it. An explicit `rebalance()`, `rescale()` or `shuffle()` between
operators of equal parallelism is only worth its cost against skew: remove it otherwise. A REBALANCE that nobody
wrote comes from different parallelism: make it equal.
"""

from __future__ import annotations

from functools import cache

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, as_written, is_one_of, negated
from planner.rules import Obstacle

# Who gets which record is part of the result: chaining would change the answer, not only its cost.
_NEEDED = {
    "HASH": "records of one key must meet in one subtask",
    "BROADCAST": "every subtask must see every record",
    "GLOBAL": "all records must meet in the first subtask",
    "CUSTOM": "the job's own partitioner decides where a record goes",
}


def _fails(facts: Facts) -> bool | None:
    return negated(is_one_of(facts.partitioner, "FORWARD"))


def _describe(edge: Candidate) -> Obstacle:
    partitioner = edge.edge.partitioner
    if edge.downstream.after_writer:
        return RULE.obstacle(f"{partitioner}: one coordinator sees the files of all writers", None, needed=True)
    if edge.edge.partition is None:
        return _inserted(edge)
    if partitioner in _NEEDED:
        return _needed(partitioner)
    operator = edge.downstream.operator
    written = as_written(operator, f"{partitioner.lower()}()", f"partition: {partitioner.lower()}")
    return RULE.obstacle(
        f"{partitioner} at {edge.edge.partition.location}",
        f"remove {written} before {operator.key}",
        # With several inputs the setting would change all of them.
        settings=(f"{operator.key}.partition=forward",) if len(operator.inputs) == 1 else (),
    )


@cache
def _needed(partitioner: str) -> Obstacle:
    """One for all edges with this partitioner: it names none of them."""
    return RULE.obstacle(f"{partitioner}: {_NEEDED[partitioner]}", None, needed=True)


def _inserted(edge: Candidate) -> Obstacle:
    """Flink's own partitioner, which is there only because the parallelisms differ."""
    up, down = edge.upstream.parallelism, edge.downstream.parallelism
    return RULE.obstacle(
        f"{edge.edge.partitioner}: Flink inserts it because parallelism goes {up} -> {down}",
        f"give both operators one parallelism ({up} or {down})",
        consequence=True,
    )


def _holds(edge: Candidate) -> str:
    return "the partitioner is FORWARD"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return edge.told["partitioner"]


RULE = ChainingRule(
    code="CH007",
    slug="non-forward-partitioner",
    page=__doc__,
    about="partitioner",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
