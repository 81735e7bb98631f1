"""A job with keyed state leaves its max parallelism to Flink.

## What it does

Reports, once per job, that keyed state exists and neither the job nor the operator sets a max parallelism. Batch
jobs are not reported: they keep no state between runs.

## Why it matters

Max parallelism is the number of key groups that keyed state is split into, and it is fixed by the first savepoint:
the job can never be scaled beyond it. Flink derives it from the parallelism of the first start, at least 128,
which nobody looks at until 128 subtasks are not enough.

## Example

```python
env.set_parallelism(2)
orders.key_by(by_user).sum(1)     # PL107: never more than 128 subtasks
env.set_max_parallelism(720)      # a number with many divisors spreads keys evenly at many parallelisms
```

## How to fix it

Set it once, before the first savepoint: `env.set_max_parallelism(N)`, or `max_parallelism: N` in YAML. For a job
that has savepoints, set the value that they were written with, which the message names: 128, unless the parallelism is
above 85. That keeps the state, and the baseline stays as it is. A larger value means starting without state: give the
operators new uids, and record that with `plan lint --update-baseline`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.flink.defaults import default_max_parallelism
from planner.graphs.state_lookup import max_parallelism_setting
from planner.graphs.stream_graph import StreamNode
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    if subject.plan.stream_graph.batch:
        return
    unset = [node for node in subject.nodes if node.max_parallelism <= 0 and subject.state(node) == "keyed"]
    if not unset:
        return
    first = unset[0]
    keeping = f" and {len(unset) - 1} more keep" if len(unset) > 1 else " keeps"
    yield rule.finding(
        f"{node_label(first)}{keeping} keyed state without a max parallelism: Flink fixes it at "
        f"{default_max_parallelism(first.parallelism)} with the first savepoint",
        at=first.operator.location,
        subject="max parallelism",
        operator=first.operator,
        fix=_fix(subject, first),
    )


def _fix(subject: Subject, node: StreamNode) -> str:
    """A value that keeps the state there is: Flink refuses any other."""
    at = subject.nodes.index(node)
    pair = subject.comparison.by_new.get(at) if subject.comparison else None
    if pair is not None:
        written = pair.old.effective_max_parallelism
        return f"{_setting(subject, written)}, which its saved state has: any other value loses that state"
    chosen = default_max_parallelism(node.parallelism)
    return f"{_setting(subject, chosen)}, which keeps the state of a job that already runs; a new job may take more"


def _setting(subject: Subject, value: int) -> str:
    return max_parallelism_setting(subject.plan.job.location.file, value)


RULE = build_rule("PL107", "max-parallelism-unset", __doc__, _find)
