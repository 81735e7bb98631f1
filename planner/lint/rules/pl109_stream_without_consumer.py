"""Nothing reads an operator's output.

## What it does

Reports operators other than sinks, and unions, partitionings and side outputs, that no operator reads.

## Why it matters

Flink runs the operator all the same, and drops what it gives out: a forgotten sink, or a variable that was meant
to be used. A `rebalance()` or `get_side_output()` that nobody reads does nothing at all.

## Example

```python
late = totals.get_side_output(tag)   # PL109, unless something reads `late`
orders.map(enrich)                   # PL109: DataStreams are immutable, the result is a new stream
```

## How to fix it

Attach a sink or the operator that was meant to read it, or remove it.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.job import JobDefinition, Operator, Partition, SideOutput, Transformation
from planner.kinds import SINKS
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    job = subject.plan.job
    read = {source for transformation in job.transformations for source in _inputs(transformation)}
    for transformation in job.transformations:
        if transformation.id in read:
            continue
        if isinstance(transformation, Operator) and transformation.kind in SINKS:
            continue
        what, operator = _described(job, transformation)
        yield rule.finding(
            f"nothing reads {what}",
            at=transformation.location,
            subject=f"output of {what}",
            operator=operator,
            fix="add a sink or an operator that reads it, or remove it",
        )


def _inputs(transformation: Transformation) -> tuple[int, ...]:
    if isinstance(transformation, Partition | SideOutput):
        return (transformation.input,)
    return transformation.inputs


def _described(job: JobDefinition, transformation: Transformation) -> tuple[str, Operator | None]:
    """The stream in words, and the operator it comes from."""
    if isinstance(transformation, Operator):
        return transformation.key, transformation
    first = _inputs(transformation)[0]
    while not isinstance(job.by_id[first], Operator):
        first = _inputs(job.by_id[first])[0]
    operator = job.by_id[first]
    assert isinstance(operator, Operator)
    match transformation:
        case Partition():
            return f"the {transformation.partitioner.lower()} after {operator.key}", operator
        case SideOutput():
            return f"the side output {transformation.tag!r} of {operator.key}", operator
        case _:
            return f"the union that starts with {operator.key}", operator


RULE = build_rule("PL109", "stream-without-consumer", __doc__, _find)
