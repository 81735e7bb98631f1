"""Two operators that ran in one task, by the baseline, are now separated by an exchange.

## What it does

Compares every chained edge of the baseline with the job: the edge may have got an obstacle, or new operators that
do not chain may stand between its ends. The message names each obstacle with its values, on the line that brought
it.

## Why it matters

A chained call hands the record on in the same thread. Once the chain breaks, every record is serialised, buffered,
sent and read again, and there is one more task to schedule. Nothing fails, so nobody notices until the job falls
behind.

## Example

```python
stream.map(parse).filter(valid)                      # in the baseline: one task
stream.map(parse).filter(valid).set_parallelism(4)   # now: PL001, parallelism 2 -> 4
```

## How to fix it

Make the change that the message names. If the break is intended, accept it with `plan lint --update-baseline`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planner.job import Location
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

if TYPE_CHECKING:
    from planner.diff.comparison import BrokenChain, Comparison


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    comparison = subject.comparison
    if comparison is None:
        return
    by_job = [broken for broken in comparison.broken if _is_job_wide(subject, broken)]
    if by_job:
        yield _of_job(rule, subject, by_job)
    for broken in comparison.broken:
        if broken not in by_job:
            yield _finding(rule, subject, comparison, broken)


def _is_job_wide(subject: Subject, broken: BrokenChain) -> bool:
    return any(found.about == "job" for found in subject.plan.obstacles[broken.new_edge])


def _of_job(rule: LintRule, subject: Subject, broken: Sequence[BrokenChain]) -> Finding:
    """One cause for many edges is one finding."""
    obstacles = [found for found in subject.plan.obstacles[broken[0].new_edge] if found.about == "job"]
    edges = (
        "1 edge that was chained no longer is"
        if len(broken) == 1
        else f"{len(broken)} edges that were chained no longer are"
    )
    return rule.finding(
        f"{edges}: {'; '.join(f'{found.code} {found.slug}: {found.values}' for found in obstacles)}",
        at=subject.plan.job.location,
        subject="job",
        fix="; and ".join(found.change for found in obstacles if found.change) or None,
    )


def _finding(rule: LintRule, subject: Subject, comparison: Comparison, broken: BrokenChain) -> Finding:
    source, target = subject.nodes[broken.source.new_at], subject.nodes[broken.target.new_at]
    obstacles = subject.plan.obstacles[broken.new_edge]
    reasons = "; ".join(f"{found.code} {found.slug}: {found.values}" for found in obstacles)
    between = ", ".join(node_label(subject.nodes[at]) for at in broken.through)
    return rule.finding(
        f"{node_label(source)} and {node_label(target)} were chained and no longer are"
        + (f", since {between} {'is' if len(broken.through) == 1 else 'are'} between them now" if between else "")
        + f": {reasons}",
        at=_changed_place(subject, comparison, broken),
        subject=f"{broken.source.old.key} -> {broken.target.old.key}",
        operator=target.operator,
        fix=subject.chaining_advice([broken.new_edge]),
    )


def _changed_place(subject: Subject, comparison: Comparison, broken: BrokenChain) -> Location:
    """The line that broke the chain: the partitioner, else the end whose setting changed, else the target."""
    edge = subject.edges[broken.new_edge]
    obstacles = subject.plan.obstacles[broken.new_edge]
    about = {found.about for found in obstacles}
    upstream, downstream = subject.node(edge.source).operator, subject.node(edge.target).operator
    if edge.partition is not None and "partitioner" in about:
        return edge.partition.location
    if broken.through and comparison.new.edges[broken.new_edge].source in broken.through:
        return upstream.location
    before, after = broken.source.old, broken.source.new
    own = {
        "parallelism": before.parallelism != after.parallelism,
        "slot sharing group": before.group != after.group,
    }
    kept = broken.target.old.parallelism == broken.target.new.parallelism and (
        broken.target.old.group == broken.target.new.group
    )
    if {found.side for found in obstacles} == {"upstream"} or (kept and any(own.get(what, False) for what in about)):
        return upstream.location
    return downstream.location


RULE = build_rule("PL001", "edge-no-longer-chained", __doc__, _find, "error")
