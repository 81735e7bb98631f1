"""An ignore does not ignore anything.

## What it does

Reports ignores whose rule has no finding on their operator, and ignores of codes that do not exist. An ignore of a
rule that was not run, by `--select` or `--ignore`, is not reported.

## Why it matters

An ignore that outlives its cause hides the next finding of that rule on the same line.

## Example

```python
stream.map(parse)  # plan: ignore[PL102] sources are skewed
```

PL111 once the rebalance is gone.

## How to fix it

Remove the ignore, or the code that is not needed.
"""

from __future__ import annotations

from planner.lint.rule import build_rule

RULE = build_rule("PL111", "unused-ignore", __doc__, None)
