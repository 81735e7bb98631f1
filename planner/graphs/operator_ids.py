"""Flink's operator ids: the keys under which a job's state is saved.

An id is murmur3_128 of the `uid` where there is one. A generated id hashes how many ids came before it, once for the
node and once for each chained output, and mixes in the ids of its inputs. So breaking a chain changes the id of the
operator in front of the break, and with it the id of everything behind that has no uid.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import mmh3

from planner.errors import PlanningError
from planner.graphs.obstacle import Obstacle
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.records import record

_TIMES_37 = bytes(value * 37 & 0xFF for value in range(256))  # Flink multiplies every byte of an id before it mixes

__all__ = ["IdShape", "build_operator_ids", "generated_id", "hash_operators", "id_shape", "uid_hash"]


@record
class IdShape:
    """All that the ids of a job depend on: its uids, its edges in their order, and which of them are chained."""

    sources: tuple[int, ...]  # nodes, in the order in which they were made
    uids: Mapping[int, str | None]  # of every node
    ends: Mapping[int, tuple[int, int]]  # the source and the target of every edge
    inputs: Mapping[int, tuple[int, ...]]  # the edges into every node, in order
    outputs: Mapping[int, tuple[int, ...]]  # the edges out of every node, in order
    chained: frozenset[int]  # edges


def id_shape(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> IdShape:
    """The shape of a stream graph."""
    return IdShape(
        sources=tuple(node.id for node in graph.nodes if node.source),
        uids={node.id: node.uid for node in graph.nodes},
        ends={position: (edge.source, edge.target) for position, edge in enumerate(graph.edges)},
        inputs=graph.in_edges,
        outputs=graph.out_edges,
        chained=frozenset(position for position, found in enumerate(obstacles) if not found),
    )


def build_operator_ids(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> Mapping[int, str]:
    """The id of every stream node, as 32 hex digits."""
    hashes = hash_operators(id_shape(graph, obstacles))
    owners: dict[bytes, StreamNode] = {}
    for number, digest in hashes.items():
        node = graph.by_id[number]
        if node.uid is not None:
            _refuse_collision(node, owners.get(digest))
        owners[digest] = node
    return {node.id: hashes[node.id].hex() for node in graph.nodes}


def hash_operators(shape: IdShape) -> dict[int, bytes]:
    """The id of every node, by Flink's breadth-first walk from the sources and in its order."""
    hashes: dict[int, bytes] = {}
    waiting = deque(shape.sources)
    seen = set(waiting)
    while waiting:
        node = waiting.popleft()
        uid = shape.uids[node]
        if uid is None and any(shape.ends[edge][0] not in hashes for edge in shape.inputs[node]):
            seen.discard(node)  # met again from the input that is missing
            continue
        hashes[node] = _generated(shape, node, hashes) if uid is None else uid_hash(uid)
        for edge in shape.outputs[node]:
            target = shape.ends[edge][1]
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return hashes


def uid_hash(uid: str) -> bytes:
    """The id that a uid stands for. Java encodes a lone surrogate as a question mark."""
    return mmh3.mmh3_x64_128_digest(uid.encode("utf-8", "replace"), 0)


def generated_id(number: int, chained_outputs: int, inputs: Sequence[bytes]) -> bytes:
    """The id of an operator without a uid: the `number`-th of the walk, with this many chained outputs."""
    digest = mmh3.mmh3_x64_128_digest(number.to_bytes(4, "little") * (1 + chained_outputs), 0)
    for mixed in inputs:
        both = int.from_bytes(digest.translate(_TIMES_37), "big") ^ int.from_bytes(mixed, "big")
        digest = both.to_bytes(16, "big")
    return digest


def _generated(shape: IdShape, node: int, hashes: Mapping[int, bytes]) -> bytes:
    # A source chained into a multi-input operator does not count: Flink asks only for single-input targets here.
    chained = sum(edge in shape.chained and len(shape.inputs[shape.ends[edge][1]]) == 1 for edge in shape.outputs[node])
    return generated_id(len(hashes), chained, [hashes[shape.ends[edge][0]] for edge in shape.inputs[node]])


def _refuse_collision(node: StreamNode, owner: StreamNode | None) -> None:
    if owner is None:
        return
    raise PlanningError(
        f'uid "{node.uid}" of {node.operator.key} is already used by {owner.operator.key} ({owner.operator.location})',
        location=node.operator.location,
        hint="give each operator a uid of its own: the uid is the key of its state",
    )
