"""An ignore lacks its rule or its reason, and so ignores nothing.

## What it does

Reports `# plan: ignore` without codes in brackets, and ignores without a reason after them. They have no effect.

## Why it matters

In a year nobody knows whether an unexplained ignore still holds.

## Example

```python
stream.rebalance().map(parse)  # plan: ignore[PL102]                        PL112
stream.rebalance().map(parse)  # plan: ignore[PL102] sources are skewed     fine
```

## How to fix it

Write `# plan: ignore[CODE] reason` in Python, `ignore: {CODE: reason}` in YAML.
"""

from __future__ import annotations

from planner.lint.rule import build_rule

RULE = build_rule("PL112", "ignore-without-reason", __doc__, None)
