"""The downstream operator is async and the head of the upstream's chain is a legacy source.

## What it does

For an async operator: whether the chain it would join starts at a legacy SourceFunction.

## Why it matters

A legacy source owns its thread and holds the checkpoint lock while it emits. An async operator must give the
thread back while it waits, which it cannot do inside such a chain.

## Example

```python
AsyncDataStream.unordered_wait(env.add_source(legacy), lookup, Time.seconds(1))   # CH012
```

## How to fix it

Use a source of the new API. Then the async operator chains.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, all_of, as_written, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return all_of(is_one_of(facts.downstream.yielding, True), is_one_of(facts.chain_source, "legacy"))


def _describe(edge: Candidate) -> Obstacle:
    operator = edge.chain_head.operator
    new = as_written(operator, "from_source()", "legacy: false", "by a connector that has it")
    return RULE.obstacle(
        f"{edge.downstream.name} is async and its chain would start at the legacy source {edge.chain_head.name}",
        f"read {operator.key} through the new source API ({new})",
    )


def _holds(edge: Candidate) -> str:
    if not edge.downstream.yielding:
        return f"{edge.downstream.name} is not async"
    return "the head of the upstream's chain is not a legacy source"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    if fails is None:
        begins = "begins" if edge.facts.chain_source == "legacy" else "may begin"
        return f"the upstream chain {begins} at a legacy source, and the downstream operator may be a yielding one"
    if edge.facts.chain_source == "new":
        return "the upstream chain begins at a source of the new API"
    return "the upstream chain does not begin at a source"


RULE = ChainingRule(
    code="CH012",
    slug="yielding-after-legacy-source",
    page=__doc__,
    about="source",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
