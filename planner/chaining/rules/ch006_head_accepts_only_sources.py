"""The downstream strategy is HEAD_WITH_SOURCES and the upstream is not a new-style source.

## What it does

For a multi-input operator with the strategy HEAD_WITH_SOURCES: whether the upstream is a source of the new API
(`from_source`).

## Why it matters

Such an operator pulls from sources inside its own task. It cannot pull from an ordinary operator, which pushes
its records.

## Example

```yaml
- {id: joined, type: multi_input, inputs: [orders, cleaned], chain_sources: true}   # cleaned is a map: CH006
```

## How to fix it

Move the operator in between downstream of the multi-input operator, or accept the exchange. Replace a legacy
SourceFunction by a new-style source.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, all_of, is_one_of, negated
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    takes_sources = is_one_of(facts.downstream.chaining_strategy, "HEAD_WITH_SOURCES")
    return all_of(takes_sources, negated(is_one_of(facts.upstream.source, "new")))


def _describe(edge: Candidate) -> Obstacle:
    if edge.upstream.source != "legacy":
        return RULE.obstacle(f"{edge.upstream.name} is not a source", None)
    key = edge.upstream.operator.key
    return RULE.obstacle(f"{edge.upstream.name} is a legacy source", f"read {key} through the new source API")


def _holds(edge: Candidate) -> str:
    return f"{edge.downstream.name} has the strategy {edge.downstream.chaining_strategy}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    if fails is None:
        return f"{edge.downstream} may take sources of the new API only"
    if is_one_of(edge.facts.downstream.chaining_strategy, "HEAD_WITH_SOURCES") is False:
        return f"{edge.downstream} is no multi-input operator"
    return f"{edge.upstream} is a source of the new API"


RULE = ChainingRule(
    code="CH006",
    slug="head-accepts-only-sources",
    page=__doc__,
    about="source",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
