"""The job finds the saved operator, and does not ask for its state: Flink drops the state without a message.

## What it does

With `--savepoint`, compares the names of the saved states with those that the job's operators ask for: Flink's own
operators have fixed names, and those of a Python function are read in its source. Where the job does not show which
states a function has, nothing is reported. It also reports states that were saved as another kind, which fail in the
tasks.

## Why it matters

The id is found, so Flink starts the job in every mode, and the operator starts empty.

## Example

```python
runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))     # in the savepoint
runtime_context.get_state(ValueStateDescriptor("counts", Types.LONG()))    # PL203: starts at nothing
```

## How to fix it

Keep the name of the state and the kind of operator. If the state is no longer wanted, give the operator a new uid and
start with `--allowNonRestoredState` once: then the loss is a choice.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for fate in subject.restore.fates if subject.restore else ():
        if fate.node is None:
            continue
        dropped = (f"{name} is dropped, because {reason}" for name, reason in fate.dropped)
        for text in (*dropped, *fate.warnings):
            yield rule.finding(
                f"{node_label(fate.node)}: {text}",
                at=fate.node.operator.location,
                subject=f"saved {fate.saved.id} {text}",
                operator=fate.node.operator,
                fix="keep the state's name and kind, or give the operator a new uid and start it empty",
            )


RULE = build_rule("PL203", "saved-state-dropped", __doc__, _find, "error")
