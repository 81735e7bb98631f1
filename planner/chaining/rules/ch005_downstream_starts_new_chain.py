"""The downstream strategy is NEVER or HEAD.

## What it does

Whether the downstream operator has `start_new_chain()` or `disable_chaining()`, or is keyed in batch mode,
where Flink sorts its input and makes it the head of a chain. Before Flink 2.0 (`--flink 1.20`) an operator with
two inputs starts a chain too.

## Why it matters

The operator is the first of its task. What comes before it reaches it over an exchange.

## Example

```python
stream.map(parse).start_new_chain()   # the edge into Map shows CH005
```

## How to fix it

Remove the call. In batch mode a keyed operator always starts a chain; there is nothing to change.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, as_written, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    return is_one_of(facts.downstream.chaining_strategy, "NEVER", "HEAD")


def _describe(edge: Candidate) -> Obstacle:
    strategy = edge.downstream.chaining_strategy
    seen, operator = f"{edge.downstream.name} has the strategy {strategy}", edge.downstream.operator
    if operator.chaining is None:  # no setting of the user's would change it
        sorts = edge.downstream.sorted_input
        why = "its input is sorted" if sorts else "before Flink 2.0 two inputs start a chain"
        return RULE.obstacle(f"{seen} ({why})", None, needed=sorts, side="downstream")
    call = "disable_chaining()" if operator.chaining == "disable" else "start_new_chain()"
    return RULE.obstacle(
        seen,
        f"remove {as_written(operator, call, f'chaining: {operator.chaining}')} from {operator.key}",
        settings=(f"{operator.key}.chaining=none",),
        side="downstream",
    )


def _holds(edge: Candidate) -> str:
    return f"{edge.downstream.name} has the strategy {edge.downstream.chaining_strategy}"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    never = is_one_of(edge.facts.downstream.chaining_strategy, "NEVER") is not False
    asked = "startNewChain() or disableChaining()" if never else "startNewChain()"
    return f"{edge.downstream} may have {asked}, or be of a kind that always begins a chain"


RULE = ChainingRule(
    code="CH005",
    slug="downstream-starts-new-chain",
    page=__doc__,
    about="strategy",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
