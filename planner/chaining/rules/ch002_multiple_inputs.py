"""The downstream operator has more than one input edge.

## What it does

How many edges enter the downstream operator, over all its input positions. An operator with the strategy
HEAD_WITH_SOURCES takes a new-style source that feeds nothing else.

## Why it matters

A chained operator is called directly by the one upstream of it. With several producers there is no single
caller: records must meet in an input gate, so a union, a connect or a join always starts a task.

## Example

```python
orders.connect(payments).map(Match())   # both edges into Co-Map show CH002
```

## How to fix it

Usually nothing: two streams meet here by design. If one of the inputs is not needed, remove it. A multi-input
operator can absorb sources that feed only it (`chain_sources: true`).
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, all_of, is_one_of, negated
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    if facts.inputs == 1:
        return False
    takes_sources = is_one_of(facts.downstream.chaining_strategy, "HEAD_WITH_SOURCES")
    return negated(all_of(takes_sources, is_one_of(facts.upstream.source, "new"), facts.outputs == 1))


def _describe(edge: Candidate) -> Obstacle:
    return RULE.obstacle(_inputs(edge.downstream.name, edge.facts.inputs), None, needed=True)


def _inputs(name: str, inputs: int) -> str:
    return f"{name} has {inputs} input edges"


def _holds(edge: Candidate) -> str:
    name, inputs = edge.downstream.name, edge.facts.inputs
    if inputs == 1:
        return f"{name} has one input edge"
    return f"{_inputs(name, inputs)}, and chains sources like {edge.upstream.name}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    if fails is None:
        return f"{edge.downstream} may be a multi-input operator that takes sources into its own task"
    return _inputs(edge.downstream, edge.facts.inputs) if fails else "one input"


RULE = ChainingRule(
    code="CH002",
    slug="multiple-inputs",
    page=__doc__,
    about="inputs",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
