"""State that the job keeps does not fit any more, although it would be found.

## What it does

Reports every change from the baseline that `plan diff` calls state-breaking and that no other rule reports: another max
parallelism, a parallelism above the max parallelism that the state was written with, another key or its type, another
kind of operator, a window of another kind or time domain, another state descriptor, records of another type or from
other inputs, another runtime mode. Operators whose id changed are PL002, operators that are gone are PL003. What Flink
restores (another size of a window, another function, another field) is another result: PL007.

## Why it matters

A uid keeps the id, and so hides this: restoring fails at start-up, or every key reads the state of another one, or the
state means something else than the new function takes it for.

## Example

```yaml
- {id: totals, type: sum, input: orders, key_by: user, uid: totals}     # in the baseline
- {id: totals, type: sum, input: orders, key_by: country, uid: totals}  # PL006: the state is kept by user
```

## How to fix it

Undo the change. If the state still fits (a function was only renamed or tidied up), or may be dropped, accept the
change with `plan lint --update-baseline`. To start one operator empty, give it a new uid in the same change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

if TYPE_CHECKING:
    from planner.diff.change import Change

_ACCEPT = "; if the state still fits or may be dropped, accept it"


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    by_operator: dict[int | None, list[Change]] = {}
    for change in subject.changes:
        elsewhere = (change.part, change.kind) in (("state", "operator-id"), ("operator", "removed"))
        if change.level == "state-breaking" and not elsewhere:
            by_operator.setdefault(change.at, []).append(change)
    of_job = by_operator.pop(None, None)
    if of_job:
        yield _of_job(rule, subject, of_job)
    by_cause: dict[tuple[str, ...], list[int]] = {}
    for at, changes in by_operator.items():
        by_cause.setdefault(_reasons(changes), []).append(at or 0)
    for reasons, places in by_cause.items():
        yield _of_operators(rule, subject, places, reasons, by_operator[places[0]])


def _reasons(changes: Sequence[Change]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(change.message.removeprefix(f"{change.subject}: ") for change in changes))


def _of_operators(
    rule: LintRule, subject: Subject, places: Sequence[int], reasons: Sequence[str], changes: Sequence[Change]
) -> Finding:
    """One finding for all operators with the same reasons: a setting of the job is one cause."""
    node = subject.nodes[places[0]]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    advice = dict.fromkeys(change.advice for change in changes if change.advice)
    return rule.finding(
        f"the saved state of {node_label(node)}{more} does not fit any more: {'; '.join(reasons)}",
        at=node.operator.location,
        subject=subject.keys[node.id],
        operator=node.operator,
        fix="; ".join(advice) or subject.or_accept("undo that change", _ACCEPT),
    )


def _of_job(rule: LintRule, subject: Subject, changes: Sequence[Change]) -> Finding:
    return rule.finding(
        "; ".join(change.message for change in changes),
        at=subject.plan.job.location,
        subject="job",
        fix=subject.or_accept("undo that change", _ACCEPT),
    )


RULE = build_rule("PL006", "state-incompatible", __doc__, _find, "error")
