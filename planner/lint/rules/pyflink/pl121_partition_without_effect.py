"""A partitioning before key_by or partition_custom has no effect in PyFlink.

## What it does

Reports `rebalance()`, `rescale()`, `shuffle()` or `broadcast()` directly before `key_by`, `window_all` or
`partition_custom`.

## Why it matters

PyFlink puts an operator of its own between the two, and ties it to the operator before with a forward partition. Flink
takes the partitioning that is nearest to the consumer, so the one that was written is never used.

## Example

```python
stream.rebalance().key_by(key)   # PL121: records stay in their subtask until they are sent by key
```

## How to fix it

Remove the partitioning. To spread records before they are keyed, put it before an operator of your own:
`stream.rebalance().map(work).key_by(key)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.job import Partition
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    merging = subject.plan.merging
    if merging is None:
        return
    written = merging.written
    for operator in written.operators:
        if operator.helper not in ("key_by", "window_all", "partition_custom"):
            continue
        step = written.by_id[operator.inputs[0]]
        if not isinstance(step, Partition) or step.partitioner in ("FORWARD", "HASH"):
            continue
        yield rule.finding(
            f"{step.partitioner.lower()}() before {operator.helper}() has no effect: PyFlink puts a forward "
            "partition after it",
            at=step.location,
            subject=operator.key,
            operator=operator,
            fix=f"remove it, or put it before an operator of your own before {operator.helper}()",
        )


RULE = build_rule("PL121", "partition-without-effect", __doc__, _find)
