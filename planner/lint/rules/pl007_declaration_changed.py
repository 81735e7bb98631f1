"""What the job declares differs from the baseline: it computes something else, or at another cost.

## What it does

Compares everything that the job declares with the baseline, and reports what differs: operators, edges, partitions,
parallelism, connectors with all their settings, formats, schemas, windows, watermarks, asynchronous calls, sink modes,
types, options, and the code of functions with what they call in the job's own modules. What breaks state is PL006, an
operator that is gone PL003; a setting that broke a chain or needs more slots is told by PL001 and PL004. Secrets are
kept and compared as hashes.

So whatever `plan diff` calls state-breaking, result or performance fails here, but for a setting that only made chains
form: that is the note PL005. What it calls safe never fails: a changed name, comment, order, YAML id or description.

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

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule

if TYPE_CHECKING:
    from planner.diff.change import Change
    from planner.diff.comparison import Comparison

_RECORD_AGAIN = "on the revision that is deployed, run plan lint --update-baseline, and commit the file"
_ACCEPT = "if it is meant, accept it with plan lint --update-baseline"
_SHOWN = 3
# What other rules report whenever it happens: PL001, PL004, PL003.
_ELSEWHERE = frozenset({("chain", "broken"), ("slots", "slots"), ("operator", "removed")})
# What may be why chains broke or formed, or why slots became more.
_CAUSES = frozenset({"setting", "exchange", "option", "parallelism", "slot-sharing-group", "partitioner"})


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    by_cause: dict[str, list[Change]] = {}
    for change in subject.changes:
        if change.level in ("result", "performance") and (change.part, change.kind) not in _ELSEWHERE:
            by_cause.setdefault(change.message.removeprefix(f"{change.subject}: "), []).append(change)
    by_place: dict[tuple[tuple[int | None, str], ...], dict[str, list[Change]]] = {}
    for cause, changes in by_cause.items():
        told = any(_is_told(subject, change) for change in changes)
        if not told and not all(_formed_a_chain(subject, change) for change in changes):
            by_place.setdefault(tuple((change.at, change.subject) for change in changes), {})[cause] = changes
    for places, causes in by_place.items():
        yield _finding(rule, subject, places, causes)


def _is_told(subject: Subject, change: Change) -> bool:
    """Whether PL001 or PL004 tells what the change did: which chains it broke, which slots it needs."""
    assert subject.comparison is not None
    broken = subject.comparison.broken
    between = {at for chain in broken for at in chain.through}
    if change.kind in ("added", "split"):
        return change.at in between
    if change.kind == "exchange-added":
        return change.at in between | {chain.target.new_at for chain in broken if chain.through}
    if change.level != "performance" or change.kind not in _CAUSES:
        return False
    if change.at is None:
        return bool(broken)
    ends = {end.new_at for chain in broken for end in (chain.source, chain.target)}
    if change.at in ends:
        return True
    widened = change.kind in ("parallelism", "slot-sharing-group")
    return widened and subject.nodes[change.at].slot_sharing_group in _grown_groups(subject.comparison)


def _formed_a_chain(subject: Subject, change: Change) -> bool:
    """Whether PL005 tells what the change did: chains that formed, which is never worse."""
    assert subject.comparison is not None
    if change.level != "performance" or change.kind not in _CAUSES:
        return False
    if change.kind == "parallelism" and change.after > change.before:
        return False  # more subtasks
    new = subject.comparison.new.edges
    formed = [new[at] for was, at in subject.comparison.edges
              if new[at].chained and not subject.comparison.old.edges[was].chained]  # fmt: skip
    return bool(formed) if change.at is None else any(change.at in (edge.source, edge.target) for edge in formed)


def _grown_groups(comparison: Comparison) -> frozenset[str]:
    """The slot sharing groups that PL004 reports."""
    before, after = comparison.old.total_slots, comparison.new.total_slots
    if before is None or after is None or after <= before:
        return frozenset()
    known = dict(comparison.old.slots or ())
    return frozenset(group for group, count in comparison.new.slots or () if count > known.get(group, 0))


def _finding(
    rule: LintRule,
    subject: Subject,
    places: tuple[tuple[int | None, str], ...],
    causes: Mapping[str, Sequence[Change]],
) -> Finding:
    """One finding for all that changed at the same operators, or edges."""
    of_them = [cause for cause, changes in causes.items() if changes[0].message != cause]
    others = [change.message for cause, changes in causes.items() if cause not in of_them for change in changes]
    at = places[0][0]
    if at is None:
        told = "; ".join((*of_them, *others))
        fix = _RECORD_AGAIN if told.startswith("one version") else _ACCEPT
        return rule.finding(told, at=subject.plan.job.location, subject=f"job {told[:40]}", fix=fix)
    names = list(dict.fromkeys(name for _, name in places))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    own = [f"{', '.join(names[:_SHOWN])}{more}: {'; '.join(of_them)}"] if of_them else []
    node = subject.nodes[at]
    return rule.finding(
        "; ".join((*own, *others)),
        at=node.operator.location,
        subject=subject.keys[node.id],
        operator=node.operator,
        fix=_ACCEPT,
    )


RULE = build_rule("PL007", "declaration-changed", __doc__, _find)
