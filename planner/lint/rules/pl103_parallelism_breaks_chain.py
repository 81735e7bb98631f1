"""Different parallelism is the only reason why two operators are not chained.

## What it does

Reports edges where nothing but the two parallelisms is in the way: no partitioner was asked for, and Flink itself
put the rebalance there. A legacy source that cannot run in parallel is not reported: its parallelism is no choice.

## Why it matters

A single `set_parallelism` in a pipeline breaks it twice, in front of the operator and behind it. Each break
serialises every record, and the inserted rebalance also changes their order.

## Example

```python
env.set_parallelism(2)
stream.map(parse).set_parallelism(4).filter(valid)   # PL103 twice: 2 -> 4 and 4 -> 2
```

## How to fix it

Give both operators one parallelism. Where the difference is meant (a narrow sink, a heavy call), ignore PL103 with
that reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.obstacle import to_remove
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for edge, obstacles in zip(subject.edges, subject.plan.obstacles, strict=True):
        if {found.about for found in to_remove(obstacles)} != {"parallelism"}:
            continue
        source, target = subject.node(edge.source), subject.node(edge.target)
        if not source.operator.parallel:
            continue
        blamed = source if source.parallelism_configured and not target.parallelism_configured else target
        yield rule.finding(
            f"{node_label(source)} and {node_label(target)} are not chained only because of parallelism "
            f"{source.parallelism} -> "
            f"{target.parallelism}",
            at=blamed.operator.location,
            subject=subject.edge_key(edge),
            operator=target.operator,
            fix=to_remove(obstacles)[0].change,
        )


RULE = build_rule("PL103", "parallelism-breaks-chain", __doc__, _find)
