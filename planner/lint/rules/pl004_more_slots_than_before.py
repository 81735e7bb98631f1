"""The job needs more task slots than its baseline.

## What it does

Compares the slots that the job needs, which is the largest parallelism of each slot sharing group, summed over the
groups.

## Why it matters

A job whose slots are not all there does not start. A change of one parallelism, or a new slot sharing group, is
easily merged and first noticed at the next deployment.

## Example

```python
env.set_parallelism(4)                                        # baseline: 4 slots
stream.map(enrich).slot_sharing_group("io")                   # now 8: PL004, the group io needs 4 more
```

## How to fix it

Lower the parallelism that the message names or share the group again; where the cluster has the slots, accept the
new number with `plan lint --update-baseline`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.stream_graph import StreamNode
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.lint.widest import group_start, parallelism_place, widest_of, widest_words
from planner.operators import node_label

_ACCEPT = ", or accept the slots"


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    comparison = subject.comparison
    if comparison is None:
        return
    before, after = comparison.old.total_slots, comparison.new.total_slots
    if before is None or after is None or after <= before:
        return
    old_groups = dict(comparison.old.slots or ())
    grown = [(group, old_groups.get(group, 0), count) for group, count in comparison.new.slots or ()]
    grown = [(group, old, new) for group, old, new in grown if new > old]
    group, old, _ = max(grown, key=lambda entry: entry[2] - entry[1])
    groups = ", ".join(f"group {name!r} {was} -> {now}" for name, was, now in grown)
    message = f"the job needs {after} slots, {after - before} more than before ({before}): {groups}"
    start = group_start(subject.nodes, group)
    if not old and start is not None:
        yield _new_group(rule, subject, message, group, start)
    else:
        yield _wider(rule, subject, message, widest_of(subject.nodes, group))


def _new_group(rule: LintRule, subject: Subject, message: str, group: str, start: StreamNode) -> Finding:
    return rule.finding(
        f"{message}; the group is new and starts at {node_label(start)}",
        at=start.operator.location,
        subject="slots",
        operator=start.operator,
        fix=subject.or_accept(f"take {start.operator.key} out of the slot sharing group {group!r}", _ACCEPT),
    )


def _wider(rule: LintRule, subject: Subject, message: str, widest: StreamNode) -> Finding:
    return rule.finding(
        f"{message}; {widest_words(subject.plan.job, widest)}",
        at=parallelism_place(subject.plan.job, widest),
        subject="slots",
        operator=widest.operator,
        fix=subject.or_accept("lower that parallelism", _ACCEPT),
    )


RULE = build_rule("PL004", "more-slots-than-before", __doc__, _find, "error")
