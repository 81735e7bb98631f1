"""An operator of the baseline is no longer in the job.

## What it does

Reports every operator of the baseline that has no counterpart in the job, matched by uid, else by name, kind and the
operators around it. An operator that keeps state is an error, one that keeps none a warning: without it the job
computes something else.

## Why it matters

A savepoint that holds state for an operator which is gone cannot be restored, unless the state is given up on
purpose with `--allowNonRestoredState`.

## Example

```yaml
- {id: counts, type: sum, input: words, key_by: word, uid: counts}   # in the baseline, deleted from the job: PL003
```

## How to fix it

Put the operator back, or accept that its state is dropped: `plan lint --update-baseline`, and restore with
`--allowNonRestoredState`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.graphs.state import describe_state
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    comparison = subject.comparison
    for at in comparison.lost if comparison else ():
        assert comparison is not None
        if at in comparison.joined:
            continue  # merged with its neighbours
        lost = comparison.old.operators[at]
        stateful = lost.state != "none"
        consequence = (
            f"it kept {describe_state(lost.state)} under the id {lost.id}, which a restored job has no operator for"
            if stateful
            else "it kept no state"
        )
        yield rule.finding(
            f"{lost.label} is in the baseline and no longer in the job: {consequence}",
            at=subject.plan.job.location,
            subject=lost.key,
            fix=subject.or_accept("put it back", ", or accept the loss" if stateful else ", or accept that it is gone"),
            severity="error" if stateful else "warning",
        )


RULE = build_rule("PL003", "operator-lost", __doc__, _find, "error")
