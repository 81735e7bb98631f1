"""An operator keeps its id, but the state saved under it no longer fits.

## What it does

Looks at operators that keep state under the id of the baseline, and reports those whose state Flink cannot give
back: another max parallelism, a parallelism above the max parallelism that the state was written with, another
key, another kind of operator, or a key where there was none.

## Why it matters

A uid keeps the id, and so hides this: restoring fails at start-up, or every key reads the state of another one.

## Example

```yaml
- {id: totals, type: sum, input: orders, key_by: user, uid: totals}     # in the baseline
- {id: totals, type: sum, input: orders, key_by: country, uid: totals}  # PL006: the state is kept by user
```

## How to fix it

Undo the change, or give the operator a new uid and start it empty; then `plan lint --update-baseline`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.diff.compatibility import incompatibilities
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    comparison = subject.comparison
    for pair in comparison.operators if comparison else ():
        if comparison is None or pair.old.state == "none" or not comparison.restores(pair):
            continue
        reasons = [reason.text for reason in incompatibilities(pair)]
        if reasons:
            node = subject.nodes[pair.new_at]
            yield rule.finding(
                f"the state of {node_label(node)} cannot be restored: {'; '.join(reasons)}",
                at=node.operator.location,
                subject=pair.old.key,
                operator=node.operator,
                fix="undo that change, or give the operator a new uid and start it empty",
            )


RULE = build_rule("PL006", "state-incompatible", __doc__, _find, "error")
