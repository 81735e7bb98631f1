"""Records that are already partitioned by a key are hashed by the same key again.

## What it does

Follows every keyed edge upstream, through operators that keep records and their subtask (forward edges, filters,
watermarks, keyed aggregates and windows, selects that hand the key on) and through unions, and reports it where all
records were
already partitioned by the same key and parallelism. Columns are compared by name, selectors by what they compute.

## Why it matters

The second exchange sends every record to the subtask it is already in, at the full price of a shuffle.

## Example

```python
totals = orders.key_by(by_user).sum(1)
totals.key_by(by_user).process(alert)     # PL108: by_user again
```

## How to fix it

Do both in one keyed operator, or, in Flink's Java API, tell it with `DataStreamUtils.reinterpretAsKeyedStream`.
Where the operator in between changes the key, ignore PL108 with that reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.repeated_keys import repeated_key
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    said: set[tuple[int, int]] = set()
    for edge in subject.edges:
        earlier = repeated_key(subject.plan.stream_graph, edge)
        if earlier is None or edge.partition is None or (edge.target, edge.type_number) in said:
            continue
        said.add((edge.target, edge.type_number))  # the edges of a union have one cause
        target, first = subject.node(edge.target), subject.node(earlier.target)
        yield rule.finding(
            f"records reach {node_label(target)} by the key that {node_label(first)} already partitioned them by: "
            "the second exchange moves nothing",
            at=edge.partition.location,
            subject=subject.edge_key(edge),
            operator=target.operator,
            fix=f"do it in one keyed operator with {first.operator.key}",
        )


RULE = build_rule("PL108", "same-key-hashed-twice", __doc__, _find)
