"""The job needs more slots than the configured cluster has.

## What it does

Compares the slots that the job needs with `task_managers` times `slots` from `[tool.plan.cluster]`. Without both
nothing is checked.

## Why it matters

The job would wait for slots and then fail with `NoResourceAvailableException`.

## Example

```toml
[tool.plan.cluster]
task_managers = 2
slots = 2                # a job of parallelism 8 needs 8: PL106
```

## How to fix it

Lower the parallelism of the widest operator of each slot sharing group, share groups, or configure the cluster
that is really there. The slots needed are the sum over the groups of the largest parallelism in each.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.lint.widest import parallelism_place, widest_of, widest_words


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    execution, cluster = subject.plan.execution_graph, subject.config.cluster
    available = cluster.total_slots
    if execution is None or available is None or execution.required_slots <= available:
        return
    group, most = max(execution.slots_by_group, key=lambda entry: entry[1])
    widest = widest_of(subject.nodes, group)
    missing = -(-(execution.required_slots - available) // (cluster.slots or 1))
    share = ", share slots between groups" if len(execution.slots_by_group) > 1 else ""
    groups = ", ".join(f"{name!r} {count}" for name, count in execution.slots_by_group)
    yield rule.finding(
        f"the job needs {execution.required_slots} slots ({groups}) and the cluster has {available} "
        f"({_managers(cluster.task_managers or 0)} with {cluster.slots} slots each); "
        f"{widest_words(subject.plan.job, widest)}",
        at=parallelism_place(subject.plan.job, widest),
        subject="slots",
        operator=widest.operator,
        fix=f"lower the parallelism of group {group!r} from {most}{share}, or add {_managers(missing)}",
    )


def _managers(number: int) -> str:
    return f"{number} task manager{'' if number == 1 else 's'}"


RULE = build_rule("PL106", "too-few-slots", __doc__, _find, "error", reads="slots")
