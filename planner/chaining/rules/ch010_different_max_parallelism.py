"""Max parallelism differs and the job does not allow chaining across that.

## What it does

The max parallelism of both operators, where the option
`pipeline.operator-chaining.chain-operators-with-different-max-parallelism` (YAML:
`chain_different_max_parallelism`) is false.

## Why it matters

Max parallelism is the number of key groups of an operator's state and cannot change later. A chain takes the
max parallelism of its head, so chaining across a difference would limit one of the two when the job is
rescaled.

## Example

```python
env.configure({"pipeline.operator-chaining.chain-operators-with-different-max-parallelism": False})
source.map(parse).set_max_parallelism(512)   # CH010
```

## How to fix it

Set the max parallelism once, on the job. Or allow chaining across it (the default), if the operators downstream of the
head hold no keyed state.
"""

from __future__ import annotations

from planner.chaining.facts import Candidate, ChainingRule, ExportedEdge, Facts, all_of, differ, is_one_of
from planner.rules import Obstacle


def _fails(facts: Facts) -> bool | None:
    forbidden = is_one_of(facts.chain_different_max_parallelism, False)
    return all_of(forbidden, differ(facts.upstream.max_parallelism, facts.downstream.max_parallelism))


def _describe(edge: Candidate) -> Obstacle:
    up, down = edge.upstream.max_parallelism, edge.downstream.max_parallelism
    key = edge.downstream.operator.key
    return RULE.obstacle(
        f"max parallelism {_shown(up)} -> {_shown(down)}",
        f"give {key} the max parallelism {_shown(up)}",
        settings=(f"{key}.max_parallelism={up if up > 0 else 'none'}",),
    )


def _shown(max_parallelism: int) -> str:
    return "unset" if max_parallelism < 0 else str(max_parallelism)


def _holds(edge: Candidate) -> str:
    up, down = edge.upstream.max_parallelism, edge.downstream.max_parallelism
    if up == down:
        return f"{_shown(up)} on both"
    return f"{_shown(up)} -> {_shown(down)}, which the job allows"


def _exported(edge: ExportedEdge, fails: bool | None) -> str:
    return edge.told["max_parallelism"]


RULE = ChainingRule(
    code="CH010",
    slug="different-max-parallelism",
    page=__doc__,
    about="max parallelism",
    fails=_fails,
    describe=_describe,
    holds=_holds,
    exported=_exported,
)
