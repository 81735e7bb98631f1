"""The baseline describes something that the job no longer has.

## What it does

Reports, once per job, the entries of the baseline that match nothing any more: edges that are gone, edges that chain
by now, slots that are no longer needed, and whole jobs whose file does not exist or no longer defines them. Jobs that
were not linted are left alone; operators that are gone are PL003. It is a note: a baseline that is behind fails no
build.

## Why it matters

A baseline is a promise. While it still allows what was already improved, the improvement can be lost again
unnoticed.

## Example

```
plan.lock.json: totals -> Sink is recorded as not chained, and it chains now
```

## How to fix it

`plan lint --update-baseline` removes stale entries and records the job as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule

if TYPE_CHECKING:
    from planner.diff.comparison import Comparison

SHOWN = 3


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    if subject.comparison is None:
        return
    stale = list(_stale(subject.comparison))
    if not stale:
        return
    more = f" and {len(stale) - SHOWN} more" if len(stale) > SHOWN else ""
    noun = "entry" if len(stale) == 1 else "entries"
    yield rule.finding(
        f"{len(stale)} stale {noun} in the baseline: {'; '.join(stale[:SHOWN])}{more}",
        at=subject.plan.job.location,
        subject="baseline",
        fix="run plan lint --update-baseline",
    )


def _stale(comparison: Comparison) -> Iterator[str]:
    old, new = comparison.old, comparison.new
    for number in comparison.lost_edges:
        ends = old.edges[number].source, old.edges[number].target
        if all(end in comparison.by_old for end in ends):
            yield f"the edge {_edge(comparison, number)} is gone"
    for before, after in comparison.edges:
        if new.edges[after].chained and not old.edges[before].chained:
            yield f"{_edge(comparison, before)} is recorded as not chained, and it chains now"
    if old.total_slots is not None and new.total_slots is not None and new.total_slots < old.total_slots:
        yield f"{old.total_slots} slots are recorded, and {new.total_slots} are needed now"


def _edge(comparison: Comparison, number: int) -> str:
    edge = comparison.old.edges[number]
    return f"{comparison.old.operators[edge.source].name} -> {comparison.old.operators[edge.target].name}"


RULE = build_rule("PL005", "stale-baseline-entry", __doc__, _find, "note")
