"""The savepoint has state that no operator of the job finds: Flink refuses to start the job from it.

## What it does

With `--savepoint`, looks up every operator of the savepoint among the ids and the uid hashes of the job, as Flink does,
and reports the saved state that has no taker. It says what most likely gave the operator another id: its uid was
removed or changed, a chain broke or formed, an operator was added or removed before it. Where taking that one change
back gives exactly the saved id, it is certain.

## Why it matters

Flink refuses the job: "Cannot map checkpoint/savepoint state for operator ... to the new program". With
`--allowNonRestoredState` the job starts and leaves the state behind.

## Example

```
plan lint --savepoint savepoints/savepoint-4f2a job.yaml
```

## How to fix it

Set what the message says, ready to paste: the old `uid`, or a `uid_hash` with the saved id. An operator with a uid
needs the hash only until the next savepoint. `plan diff SAVEPOINT JOB` shows the whole picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule

if TYPE_CHECKING:
    from planner.savepoints.fates import Fate


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for fate in subject.restore.of("not found") if subject.restore else ():
        operator = fate.node.operator if fate.node else None
        yield rule.finding(
            f"the state of {_named(fate)} in the savepoint is not found ({fate.saved.id}): {fate.reason}",
            at=operator.location if operator else subject.plan.job.location,
            subject=f"saved {fate.saved.id}",
            operator=operator,
            fix=_fix(fate),
        )


def _named(fate: Fate) -> str:
    saved = fate.saved
    if fate.node is not None:
        return fate.node.operator.key
    return saved.name or (f"uid {saved.uid}" if saved.uid else "an operator")


def _fix(fate: Fate) -> str:
    if fate.fix is None:
        return "undo the change, or start with --allowNonRestoredState and without this state"
    return f"set {' or '.join(fate.fix.written)} on {fate.fix.node.operator.key}"


RULE = build_rule("PL201", "saved-state-not-found", __doc__, _find, "error")
