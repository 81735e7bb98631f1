"""A slot sharing group is lost because PyFlink merged its operator into one of another group.

## What it does

Reports operators whose `slot_sharing_group` is not the one of the operator that PyFlink merged them into.

## Why it matters

PyFlink merges operators of two groups: it looks at their resources, not at their names. The merged operator is in the
group of its first operator. So an operator that was meant to have slots of its own runs in those of another one.

## Example

```python
stream.map(parse).slot_sharing_group("light").map(score).slot_sharing_group("heavy")   # PL126: score runs in "light"
```

## How to fix it

Call `start_new_chain()` on the operator: it is not merged then.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    merging = subject.plan.merging
    if merging is None:
        return
    for merged in merging.merged:
        first = merged.merged[0]
        for part in merged.merged[1:]:
            if part.helper is not None or part.slot_sharing_group in (None, first.slot_sharing_group):
                continue
            yield rule.finding(
                f'the slot sharing group "{part.slot_sharing_group}" of {label(part.name or part.kind, part.key)} is '
                f"lost: PyFlink merges it into {label(first.name or first.kind, first.key)}, which is in "
                f'"{first.slot_sharing_group}"',
                at=part.location,
                subject=part.key,
                operator=part,
                fix=f"call start_new_chain() on {part.key}",
            )


RULE = build_rule("PL126", "slot-sharing-group-lost-by-merging", __doc__, _find)
