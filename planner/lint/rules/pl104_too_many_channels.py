"""One edge needs more network channels than the configured limit.

## What it does

Counts the channels of every edge between tasks: all-to-all edges have one for each pair of subtasks. The limit is
`max_channels` under `[tool.plan.lint]`, 10,000 by default.

## Why it matters

Every channel has buffers of its own on both sides, and checkpoint barriers travel through each of them. A shuffle
between 200 and 200 subtasks is 40,000 channels: gigabytes of buffers, and slow checkpoints.

## Example

```python
env.set_parallelism(200)
stream.key_by(by_user).sum(1)   # PL104: 200 x 200 = 40000 channels
```

## How to fix it

Lower the parallelism of one side, replace a rebalance by a `rescale()`, which is pointwise, or raise `max_channels`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    job, execution = subject.plan.job_graph, subject.plan.execution_graph
    if job is None or execution is None:
        return
    limit = subject.config.lint.max_channels
    for wired in execution.edges:
        if wired.channels <= limit:
            continue
        edge = subject.edges[job.edges[wired.job_edge].stream_edge]
        source, target = subject.node(edge.source), subject.node(edge.target)
        yield rule.finding(
            f"{node_label(source)} -> {node_label(target)} needs {wired.channels} channels ({edge.partitioner} from "
            f"{source.parallelism} to {target.parallelism} subtasks), more than {limit}",
            at=target.operator.location,
            subject=subject.edge_key(edge),
            operator=target.operator,
            fix="lower one parallelism, use rescale instead of rebalance, or raise max_channels under [tool.plan.lint]",
        )


RULE = build_rule("PL104", "too-many-channels", __doc__, _find, reads="edges")
