"""Merging changes the order of a union's inputs.

## What it does

Reports unions whose inputs are read in another order than they are written.

## Why it matters

When PyFlink merges the operators upstream of a union, the merged one is put at its end. The order of a union's inputs
is part of the operator ids downstream: an operator without a uid gets another id, and loses its state, when a merge
begins or ends somewhere before the union.

## Example

```python
a.map(f).map(g).union(b)   # PL124: read as b, then a
```

## How to fix it

Give every operator with state downstream of the union a `uid`. To fix the order, write the merged streams last.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.job import JobDefinition, Operator, Union
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    merging = subject.plan.merging
    if merging is None:
        return
    for union in (step for step in merging.written.transformations if isinstance(step, Union)):
        now = merging.job.by_id.get(union.id)
        if not isinstance(now, Union) or (order := [_last(merging.job, i) for i in now.inputs]) == list(union.inputs):
            continue
        names = ", ".join(_name(merging.written, identity) for identity in order)
        yield rule.finding(
            f"the union reads its inputs in the order {names}: PyFlink puts merged operators at the end",
            at=union.location,
            subject=f"union at {union.location}",
            fix="give the operators with state downstream a uid, or write the merged streams last",
        )


def _last(job: JobDefinition, identity: int) -> int:
    """A union's input as the script wrote it: the last of the operators that were merged."""
    step = job.by_id[identity]
    return step.merged[-1].id if isinstance(step, Operator) and step.merged else identity


def _name(job: JobDefinition, identity: int) -> str:
    step = job.by_id.get(identity)
    return step.key if isinstance(step, Operator) else f"stream {identity}"


RULE = build_rule("PL124", "union-reordered", __doc__, _find)
