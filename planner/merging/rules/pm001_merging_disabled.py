"""Merging is off for the job.

## What it does

The option `python.operator-chaining.enabled`.

## Why it matters

With the option off PyFlink merges nothing: every Python operator has a Python process of its own, and every
record is written out and read back between two of them.

## Example

```python
config.set_boolean("python.operator-chaining.enabled", False)
```

## How to fix it

Remove the option, or set it to true. `env.disable_operator_chaining()` and `pipeline.operator-chaining.enabled`
do not touch merging.
"""

from __future__ import annotations

from planner.merging.condition import MergeRule, Pair
from planner.rules import Obstacle


def _fails(pair: Pair) -> bool:
    return not pair.merging


def _describe(pair: Pair) -> Obstacle:
    return RULE.obstacle("python.operator-chaining.enabled is false", "set python.operator-chaining.enabled to true")


def _holds(pair: Pair) -> str:
    return "python.operator-chaining.enabled is true"


RULE = MergeRule(
    code="PM001",
    slug="merging-disabled",
    page=__doc__,
    fails=_fails,
    describe=_describe,
    holds=_holds,
)
