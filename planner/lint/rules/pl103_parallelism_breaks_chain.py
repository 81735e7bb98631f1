"""Different parallelism is the only reason why two operators are not chained.

## What it does

Reports edges where nothing but the two parallelisms is in the way: no partitioner was asked for, and Flink itself
put the rebalance there. All edges that one operator's parallelism breaks are one finding; where no change
chains them all, the fix names those that it chains. Not reported are legacy sources that cannot run in parallel, and
sinks that were given fewer subtasks than their input, as in `print().set_parallelism(1)`: both are meant.

## Why it matters

A single `set_parallelism` in a pipeline breaks it twice, upstream and downstream of the operator. Each break
serialises every record, and the inserted rebalance also changes their order.

## Example

```python
env.set_parallelism(2)
stream.map(parse).set_parallelism(4).filter(valid)   # PL103: 2 -> 4 and 4 -> 2
```

## How to fix it

Make the change that the finding proposes: it was tried, and makes fewer chains and no more channels. Where none is
proposed, the finding says why. Where the difference is meant (a heavy call), ignore PL103 with
that reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.graphs.stream_graph import StreamNode
from planner.kinds import SINKS
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.rules import to_remove


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    blamed: dict[int, list[int]] = {}
    for at, (edge, obstacles) in enumerate(zip(subject.edges, subject.plan.obstacles, strict=True)):
        if {found.about for found in to_remove(obstacles)} != {"parallelism"} or at in subject.newly_broken:
            continue
        source, target = subject.node(edge.source), subject.node(edge.target)
        if not source.operator.parallel or _is_narrow_sink(source, target):
            continue
        blamed.setdefault(_cause(subject, at, source, target).id, []).append(at)
    for number, positions in blamed.items():
        yield _finding(rule, subject, subject.node(number), positions)


def _cause(subject: Subject, at: int, source: StreamNode, target: StreamNode) -> StreamNode:
    """The end that made the difference: what is new or has another parallelism than before, else what the fix changes,
    else what sets its own."""
    moved = subject.trials.moved(subject.trials.advise([at]))
    for chosen in (subject.is_changed, lambda node: node.id in moved):
        ends = [node for node in (source, target) if chosen(node)]
        if len(ends) == 1:
            return ends[0]
    return source if source.parallelism_configured and not target.parallelism_configured else target


def _is_narrow_sink(source: StreamNode, target: StreamNode) -> bool:
    """A sink that was given fewer subtasks than its input: people mean that."""
    narrow = target.operator.parallelism is not None and target.parallelism < source.parallelism
    return target.operator.kind in SINKS and narrow


def _finding(rule: LintRule, subject: Subject, blamed: StreamNode, positions: Sequence[int]) -> Finding:
    """One operator's parallelism is one cause, also where it breaks the chain upstream and downstream."""
    edges = [subject.edges[at] for at in positions]
    numbers = [(subject.node(edge.source).parallelism, subject.node(edge.target).parallelism) for edge in edges]
    words = ", ".join(
        f"{subject.edge_words(at)} (parallelism {up} -> {down})"
        for at, (up, down) in zip(positions, numbers, strict=True)
    )
    return rule.finding(
        f"not chained only because of different parallelism: {words}",
        at=blamed.operator.location,
        subject=subject.edge_key(edges[0]),
        operator=blamed.operator,
        fix=subject.chaining_advice(positions),
    )


RULE = build_rule("PL103", "parallelism-breaks-chain", __doc__, _find)
