"""What the job declares differs from the baseline: it computes something else, or at another cost.

## What it does

Compares every fact that the job declares with the baseline, and reports those that differ: connectors with all their
settings, formats, schemas, windows, watermarks, asynchronous calls, sink modes, types, options, and the code of
functions with what they call in the job's own modules. What breaks state is PL006. A changed name, comment, order,
YAML id or description is no finding. Secrets are kept and compared as hashes.

## Why it matters

Another topic, another sink mode or another line in a helper module leaves the graph as it was. A gate that only looks
at the graph would let it pass.

## Example

```yaml
- {id: out, type: sink, input: totals, format: parquet, path: out, mode: append}     # in the baseline
- {id: out, type: sink, input: totals, format: parquet, path: out, mode: overwrite}  # PL007: deletes what is there
```

## How to fix it

If the change is meant, accept it with `plan lint --update-baseline`, in the same commit. Otherwise undo it.

A baseline of an earlier version of plan has no such facts. Then this finding says so, once per job: what the job
declares was not compared. Record the baseline again on the revision that is deployed, before other changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

if TYPE_CHECKING:
    from planner.diff.change import Change

_RECORD_AGAIN = "on the revision that is deployed, run plan lint --update-baseline, and commit the file"
_ACCEPT = "if it is meant, accept it with plan lint --update-baseline"
_SHOWN = 3


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    by_cause: dict[str, list[Change]] = {}
    for change in subject.changes:
        declared = change.fact is not None or change.kind == "not-compared"
        if declared and change.level in ("result", "performance") and not _is_told(subject, change):
            by_cause.setdefault(change.message.removeprefix(f"{change.subject}: "), []).append(change)
    by_place: dict[tuple[int | None, ...], list[str]] = {}
    for cause, changes in by_cause.items():
        by_place.setdefault(tuple(change.at for change in changes), []).append(cause)
    for places, causes in by_place.items():
        yield _finding(rule, subject, places, causes)


def _is_told(subject: Subject, change: Change) -> bool:
    """Whether PL001 or PL005 tells what the change did: chains that broke or formed are reported there."""
    costs = change.kind in ("setting", "exchange", "option") and change.level == "performance"
    return costs and any(other.part == "chain" for other in subject.changes)


def _finding(rule: LintRule, subject: Subject, places: tuple[int | None, ...], causes: list[str]) -> Finding:
    """One finding for all that changed at the same operators."""
    told = "; ".join(causes)
    at = places[0]
    if at is None:
        fix = _RECORD_AGAIN if told.startswith("one version") else _ACCEPT
        return rule.finding(told, at=subject.plan.job.location, subject=f"job {told[:40]}", fix=fix)
    nodes = [subject.nodes[place or 0] for place in places]
    names = list(dict.fromkeys(map(node_label, nodes)))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return rule.finding(
        f"{', '.join(names[:_SHOWN])}{more}: {told}",
        at=nodes[0].operator.location,
        subject=subject.keys[nodes[0].id],
        operator=nodes[0].operator,
        fix=_ACCEPT,
    )


RULE = build_rule("PL007", "declaration-changed", __doc__, _find)
