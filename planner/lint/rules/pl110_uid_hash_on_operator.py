"""An operator carries a uid hash.

## What it does

Reports operators with `set_uid_hash(...)` or `uid_hash:`.

## Why it matters

A uid hash points at the state of one earlier version of the job. It is meant for one restore after an id has
changed by accident. Left in place it hides the operator's real id, breaks when operators are merged, and says
nothing to a reader.

## Example

```python
counts.set_uid_hash("2e588ce1c86a9d46e2e85186773ce4fd")   # PL110
counts.uid("counts")                                        # what should be there
```

## How to fix it

Restore once with it, take a savepoint, then replace it by a `uid`. Until then ignore PL110 with the ticket as the
reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for node in subject.nodes:
        if node.operator.uid_hash is None or node.after_writer:
            continue
        yield rule.finding(
            f"{node_label(node)} carries the uid hash {node.operator.uid_hash}, "
            "which fits one earlier version of the job",
            at=node.operator.location,
            subject=subject.keys[node.id],
            operator=node.operator,
            fix="restore once, take a savepoint, then replace it by a uid",
        )


RULE = build_rule("PL110", "uid-hash-on-operator", __doc__, _find)
