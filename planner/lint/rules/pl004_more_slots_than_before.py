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
from planner.operators import node_label


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
    widest = _widest(subject, max(grown, key=lambda entry: entry[2] - entry[1])[0])
    groups = ", ".join(f"group {group!r} {old} -> {new}" for group, old, new in grown)
    yield rule.finding(
        f"the job needs {after} slots, {after - before} more than before ({before}): {groups}; the widest "
        "operator there is "
        f"{node_label(widest)} with parallelism {widest.parallelism}",
        at=widest.operator.location,
        subject="slots",
        operator=widest.operator,
        fix="lower that parallelism, or accept the slots with --update-baseline",
    )


def _widest(subject: Subject, group: str) -> StreamNode:
    members = [node for node in subject.nodes if node.slot_sharing_group == group] or list(subject.nodes)
    configured = [node for node in members if node.parallelism_configured]
    widest = max(node.parallelism for node in members)
    return next((n for n in (*configured, *members) if n.parallelism == widest), members[0])


RULE = build_rule("PL004", "more-slots-than-before", __doc__, _find, "error")
