"""Records that are already partitioned by a key are hashed by the same key again.

## What it does

Follows every keyed edge upstream, through operators that keep records and their subtask (forward edges, filters,
watermarks, keyed aggregates and windows, selects that hand the key on), and reports it where the records were
already partitioned by the same key and parallelism. Columns are compared by name, selectors by what they compute.

## Why it matters

The second exchange sends every record to the subtask it is already in, at the full price of a shuffle.

## Example

```python
totals = orders.key_by(by_user).sum(1)
totals.key_by(by_user).process(alert)     # PL108: by_user again
```

## How to fix it

Do both in one keyed operator, or, in Flink's Java API, tell it with `DataStreamUtils.reinterpretAsKeyedStream`.
Where the operator in between changes the key, ignore PL108 with that reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner.graphs.stream_graph import StreamEdge
from planner.job import Operator, Partition, Select
from planner.lint.finding import Finding
from planner.lint.rule import LintRule, Subject, build_rule
from planner.operators import node_label

# What these give out lies in the same subtask, and still has the key that it came with.
_KEEP_KEY = frozenset({"filter", "watermarks", "sum", "min", "max", "reduce", "window_reduce"})


def _find(rule: LintRule, subject: Subject) -> Iterator[Finding]:
    for edge in subject.edges:
        if edge.partition is None or edge.partition.partitioner != "HASH":
            continue
        earlier = _earlier(subject, edge)
        if earlier is None or earlier.partition is None or _key(earlier.partition) != _key(edge.partition):
            continue
        target, first = subject.node(edge.target), subject.node(earlier.target)
        if target.parallelism != first.parallelism:
            continue
        yield rule.finding(
            f"records reach {node_label(target)} by the key that {node_label(first)} already partitioned them by: the "
            "second exchange "
            "moves nothing",
            at=edge.partition.location,
            subject=subject.edge_key(edge),
            operator=target.operator,
            fix=f"do it in one keyed operator with {first.operator.key}",
        )


def _earlier(subject: Subject, edge: StreamEdge) -> StreamEdge | None:
    """The keyed edge that placed the records of this edge, while nothing in between moved or changed them."""
    graph = subject.plan.stream_graph
    at = edge.source
    wanted = edge.partition.key_columns if edge.partition else ()
    while edge.side_output is None and _keeps_key(subject.node(at).operator, wanted):
        inputs = graph.in_edges[at]
        if len(inputs) != 1:
            return None
        edge = graph.edges[inputs[0]]
        if edge.partition is not None and edge.partition.partitioner == "HASH":
            return edge
        if edge.partitioner != "FORWARD":
            return None
        at = edge.source
    return None


def _keeps_key(operator: Operator, columns: tuple[str, ...]) -> bool:
    """Whether records leave the operator with the key they came with; a select does if it hands the columns on."""
    if isinstance(operator.behaviour, Select) and columns:
        return all((column, column) in operator.behaviour.columns for column in columns)
    return operator.kind in _KEEP_KEY


def _key(partition: Partition) -> Any:
    """What tells keys apart: column names, or a selector by its code and the values it closes over."""
    if partition.key_columns:
        return partition.key_columns
    selector = partition.key_selector
    if selector is None:
        return object()
    code = getattr(selector.target, "__code__", None)
    if code is None:
        return selector.reference or id(selector.target)
    closed = tuple(id(cell.cell_contents) for cell in selector.target.__closure__ or ())
    return code.co_code, code.co_consts, code.co_names, closed


RULE = build_rule("PL108", "same-key-hashed-twice", __doc__, _find)
