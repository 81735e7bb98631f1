"""The savepoint has an operator that the job cannot restore: Flink refuses to start the job, in every mode.

## What it does

With `--savepoint`, compares what was saved with the job as Flink does: the version of Flink must read the file; a max
parallelism that the job sets must be the saved one, also for operators without state; the parallelism of a task with
state must not exceed the saved max parallelism; operators that had ended must stand where they stood; records in
flight must not lie on an edge that is chained now.

## Why it matters

Flink refuses the job, and `--allowNonRestoredState` does not help.

## Example

```yaml
max_parallelism: 256    # PL202: the savepoint was taken with 128, Flink's default for small jobs
```

## How to fix it

Set `max_parallelism` to the saved number, or do not set it: the job then keeps the saved one. Lower the parallelism
where it is above. The number of key groups cannot be changed in a savepoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.graphs.state_lookup import max_parallelism_setting
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

if TYPE_CHECKING:
    from planner.savepoints.fates import Fate


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    """One finding per cause: what the job sets for all its operators is said once."""
    groups: dict[tuple[str, str], list[Fate]] = {}
    for fate in subject.restore.of("refused") if subject.restore else ():
        for complaint in fate.complaints:
            groups.setdefault((complaint.kind, complaint.message), []).append(fate)
    for complaint in subject.restore.verdict.strict.complaints if subject.restore else ():
        if complaint.operator is None:
            at = subject.plan.job.location
            yield rule.finding(f"the savepoint cannot be read: {complaint.message}", at=at, subject=complaint.kind)
    for (kind, message), fates in groups.items():
        yield _finding(rule, subject, kind, message, fates)


def _finding(rule: LintRule, subject: Subject, kind: str, message: str, fates: list[Fate]) -> Finding:
    nodes = [fate.node for fate in fates if fate.node is not None]
    names = ", ".join(node_label(node) for node in nodes) or fates[0].saved.id
    operator = nodes[0].operator if len(nodes) == 1 else None
    return rule.finding(
        f"{names} cannot be restored from the savepoint: {message}",
        at=operator.location if operator else subject.plan.job.location,
        subject=f"saved {kind} {names}",
        operator=operator,
        fix=_fix(subject, kind, fates[0].saved.max_parallelism),
    )


def _fix(subject: Subject, kind: str, saved: int) -> str:
    if kind == "max-parallelism":
        return f"{max_parallelism_setting(subject.plan.job.location.file, saved)}, or do not set it"
    return _FIXES.get(kind, "undo that change").format(saved=saved)


_FIXES = {
    "parallelism-above-max": "set the parallelism to at most {saved}",
    "channel-state": "take a savepoint: it has no records in flight",
}

RULE = build_rule("PL202", "saved-state-does-not-fit", __doc__, _find, "error")
