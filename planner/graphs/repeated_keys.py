"""Keyed exchanges that move nothing, because the records are already partitioned by the same key.

Lint and explain share this judgement.
"""

from __future__ import annotations

from typing import Any

from planner.flink.defaults import default_max_parallelism
from planner.graphs.stream_graph import StreamEdge, StreamGraph, StreamNode
from planner.job import Operator, Partition, Select
from planner.kinds import KEEPS_KEY

__all__ = ["repeated_key"]


def repeated_key(graph: StreamGraph, edge: StreamEdge) -> StreamEdge | None:
    """The earlier keyed edge after which this keyed edge moves nothing; None where it moves records.

    Followed upstream through operators that keep records and their key, and through unions: all ways must lead to the
    same key, and so must all edges that enter the same input as this one.
    """
    if edge.partition is None or edge.partition.partitioner != "HASH":
        return None
    beside = (graph.edges[at] for at in graph.in_edges[edge.target])
    found = [_placed_by(graph, other) for other in beside if other.type_number == edge.type_number]
    if not all(found):
        return None
    return _placed_by(graph, edge)


def _placed_by(graph: StreamGraph, edge: StreamEdge) -> StreamEdge | None:
    """The keyed edge that placed the records of this one, while nothing in between moved or changed them."""
    if edge.partition is None or edge.partition.partitioner != "HASH" or edge.side_output is not None:
        return None
    key, groups = _key(edge.partition), _key_groups(graph.by_id[edge.target])
    first: StreamEdge | None = None
    seen = {edge.source}
    waiting = [edge.source]
    for number in waiting:  # grows while it is walked
        node = graph.by_id[number]
        if not graph.in_edges[node.id] or not _keeps_key(node.operator, edge.partition.key_columns):
            return None
        for earlier in (graph.edges[at] for at in graph.in_edges[node.id]):
            if earlier.side_output is not None:
                return None
            if earlier.partition is not None and earlier.partition.partitioner == "HASH":
                if _key(earlier.partition) != key or _key_groups(node) != groups:
                    return None
                first = first or earlier
            elif earlier.partitioner != "FORWARD":
                return None
            elif earlier.source not in seen:
                seen.add(earlier.source)
                waiting.append(earlier.source)
    return first


def _key_groups(node: StreamNode) -> tuple[int, int]:
    """What decides the subtask of a key: the parallelism, and into how many key groups keys are split."""
    most = node.max_parallelism if node.max_parallelism > 0 else default_max_parallelism(max(node.parallelism, 1))
    return node.parallelism, most


def _keeps_key(operator: Operator, columns: tuple[str, ...]) -> bool:
    """Whether records leave the operator with the key they came with; a select does if it hands the columns on."""
    if isinstance(operator.behaviour, Select) and columns:
        return all((column, column) in operator.behaviour.columns for column in columns)
    return operator.kind in KEEPS_KEY


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
