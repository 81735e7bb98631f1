"""A uid is lost because PyFlink merged its operator into another one.

## What it does

Reports operators with a `uid` or a uid hash that PyFlink merged into the operator before them.

## Why it matters

A merged operator has the uid of its first operator; those of the others are lost without a message. State that was
saved under a lost uid is not found again, and the operator gets an id that changes with the job.

## Example

```python
stream.map(parse).uid("parse").map(clean).uid("clean")   # PL120: the merged operator has the uid "parse"
```

## How to fix it

Set the uid on the first of the operators that are merged, or keep the operator apart with `start_new_chain()`.
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
            if part.uid is None and part.uid_hash is None:
                continue
            what = f'the uid "{part.uid}"' if part.uid is not None else f"the uid hash {part.uid_hash}"
            yield rule.finding(
                f"{what} of {label(part.name or part.kind, part.key)} is lost: PyFlink merges it into "
                f"{label(first.name or first.kind, first.key)}, whose uid counts",
                at=part.location,
                subject=part.key,
                operator=part,
                fix=f"set the uid on {first.key}, or call start_new_chain() on {part.key}",
            )


RULE = build_rule("PL120", "uid-lost-by-merging", __doc__, _find)
