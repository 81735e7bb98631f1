"""A partitioner has no effect, because another one follows it directly.

## What it does

Reports a `rebalance()`, `rescale()`, `shuffle()` or any other partitioner whose stream is only read through another
partitioner, such as a `key_by`, also with a union in between. One that sets the exchange mode is not reported.

## Why it matters

Flink takes only the partitioner next to the reading operator: `rebalance().key_by(k)` sends every record once, by its
key. Whoever reads the job believes in load balancing that does not happen.

## Example

```python
orders.rebalance().key_by(by_user).sum(1)             # PL113: the rebalance does nothing
orders.rebalance().map(parse).key_by(by_user).sum(1)  # here it spreads the parsing
```

## How to fix it

Remove it, or move it before the operator whose load it should spread.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.job import JobDefinition, Operator, Partition
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    if subject.plan.merging is not None:  # PyFlink scripts have PL121, which knows PyFlink's own operators
        return
    job = subject.plan.job
    readers = _readers(job)
    for first in job.transformations:
        if not isinstance(first, Partition) or first.exchange is not None:
            continue
        following = [job.by_id[number] for number in readers.get(first.id, ())]
        seconds = [second for second in following if isinstance(second, Partition)]
        if not seconds or len(seconds) < len(following):
            continue
        name = _name(first)
        yield rule.finding(
            f"the {name} has no effect: the {_name(seconds[0])} after it decides where records go",
            at=first.location,
            subject=f"{name} of transformation {first.id}",
            operator=_operator_after(job, readers, seconds[0]),
            fix=f"remove the {name}, or move it before the operator whose load it should spread",
        )


def _name(partition: Partition) -> str:
    return "key_by" if partition.partitioner == "HASH" else partition.partitioner.lower()


def _readers(job: JobDefinition) -> dict[int, list[int]]:
    """By transformation, the operators and partitions that read it, also through unions and side outputs."""
    direct: dict[int, list[int]] = {}
    for reader in job.transformations:
        inputs = (reader.input,) if not hasattr(reader, "inputs") else reader.inputs
        for number in inputs:
            direct.setdefault(number, []).append(reader.id)
    found: dict[int, list[int]] = {}
    for number in reversed([transformation.id for transformation in job.transformations]):
        found[number] = []
        for reader_id in direct.get(number, ()):
            ends = isinstance(job.by_id[reader_id], Operator | Partition)
            found[number] += [reader_id] if ends else found.get(reader_id, [])
    return found


def _operator_after(job: JobDefinition, readers: dict[int, list[int]], partition: Partition) -> Operator | None:
    """The operator that reads the partition, on which an ignore may stand."""
    waiting = [partition.id]
    for number in waiting:  # grows while it is walked
        for reader in readers.get(number, ()):
            found = job.by_id[reader]
            if isinstance(found, Operator):
                return found
            waiting.append(reader)
    return None


RULE = build_rule("PL113", "partitioner-without-effect", __doc__, _find)
