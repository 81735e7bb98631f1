"""The exchange mode is BATCH.

## What it does

The exchange mode of the edge. In streaming mode BATCH has no effect and is not an obstacle; in batch mode it
is.

## Why it matters

With a batch exchange the whole result is written before the next task starts, so that a failure downstream does
not repeat what came before. A chain cannot stop half-way.

## Example

```yaml
- {id: out, type: map, input: {from: parsed, partition: forward, exchange: batch}}   # CH008 in batch mode
```

## How to fix it

Remove `exchange: batch`, unless the recovery point is wanted. Between a sink's writer and its committer Flink
always puts one in batch mode.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return is_one_of(facts.exchange_mode, "BATCH")


def _describe(edge: Candidate) -> Obstacle:
    if edge.downstream.after_writer:
        return RULE.obstacle("BATCH: the committer waits until everything is written", None, needed=True)
    return RULE.obstacle("exchange mode BATCH", f"remove exchange: batch before {edge.downstream.operator.key}")


def _holds(edge: Candidate) -> str:
    return f"the exchange mode is {edge.edge.exchange_mode}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return edge.told["exchange_mode"]


RULE = ChainingRule(
    code="CH008",
    slug="batch-exchange",
    page=__doc__,
    about="exchange",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
