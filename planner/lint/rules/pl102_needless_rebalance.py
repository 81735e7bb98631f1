"""An explicit rebalance or rescale is the only reason why two operators are not chained.

## What it does

Reports edges with a `rebalance()` or `rescale()` that the job asks for, where the partitioner is the only
obstacle: both operators have the same parallelism, and without it they would run in one task.

## Why it matters

A rebalance sends every record over the network to even out load. Between operators of equal parallelism, and
without skew, it only costs; a rescale there does not balance anything.

## Example

```python
stream.map(parse).rebalance().filter(valid)   # PL102
stream.map(parse).filter(valid)               # one task
```

## How to fix it

Remove it. Where records are skewed and the rebalance is meant, say so:
`# plan: ignore[PL102] the source's partitions are skewed`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

_ASKED_FOR = ("REBALANCE", "RESCALE")


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for at, (edge, obstacles) in enumerate(zip(subject.edges, subject.plan.obstacles, strict=True)):
        if edge.partition is None or edge.partitioner not in _ASKED_FOR or at in subject.newly_broken:
            continue
        if {found.about for found in obstacles} != {"partitioner"}:
            continue
        source, target = subject.node(edge.source), subject.node(edge.target)
        name = edge.partitioner.lower()
        yield rule.finding(
            f"the {name} between {node_label(source)} and {node_label(target)} is the only reason why they are not "
            "chained: both have "
            f"parallelism {source.parallelism}",
            at=edge.partition.location,
            subject=subject.edge_key(edge),
            operator=target.operator,
            fix=f"remove the {name}, or ignore PL102 with the reason for it",
        )


RULE = build_rule("PL102", "needless-rebalance", __doc__, _find)
