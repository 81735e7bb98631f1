"""Flink's operator ids: the keys under which a job's state is saved.

An id is murmur3_128 of the `uid` where there is one. A generated id hashes how many ids came before it, once for the
node and once for each chained output, and mixes in the ids of its inputs. So breaking a chain changes the id of the
operator upstream of the break, and with it the id of everything downstream that has no uid.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import mmh3

from planner.errors import PlanningError
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.records import record
from planner.rules import Obstacle

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
        ends=dict(enumerate([(edge.source, edge.target) for edge in graph.edges])),
        inputs=graph.in_edges,
        outputs=graph.out_edges,
        chained=frozenset([position for position, found in enumerate(obstacles) if not found]),
    )


def build_operator_ids(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> Mapping[int, str]:
    """The id of every stream node, as 32 hex digits."""
    hashes = hash_operators(id_shape(graph, obstacles))
    if len(set(hashes.values())) < len(hashes):
        _refuse_collision(graph, hashes)
    return {node.id: hashes[node.id].hex() for node in graph.nodes}


def hash_operators(shape: IdShape) -> dict[int, bytes]:
    """The id of every node, by Flink's breadth-first walk from the sources and in its order."""
    uids, ends, inputs, outputs, chained = shape.uids, shape.ends, shape.inputs, shape.outputs, shape.chained
    hashes: dict[int, bytes] = {}
    waiting = deque(shape.sources)
    seen = set(waiting)
    while waiting:
        node = waiting.popleft()
        uid = uids[node]
        if uid is not None:
            hashes[node] = uid_hash(uid)
        else:
            try:
                mixed = [hashes[ends[edge][0]] for edge in inputs[node]]
            except KeyError:
                seen.discard(node)  # met again from the input that is missing
                continue
            # A source chained into a multi-input operator does not count: Flink asks only for single-input targets.
            counted = [edge for edge in outputs[node] if edge in chained and len(inputs[ends[edge][1]]) == 1]
            hashes[node] = generated_id(len(hashes), len(counted), mixed)
        for edge in outputs[node]:
            target = ends[edge][1]
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


def _refuse_collision(graph: StreamGraph, hashes: Mapping[int, bytes]) -> None:
    """Refuse a uid whose id another operator has already."""
    owners: dict[bytes, StreamNode] = {}
    for number, digest in hashes.items():
        node = graph.by_id[number]
        owner = owners.get(digest)
        if node.uid is not None and owner is not None:
            raise PlanningError(
                f'uid "{node.uid}" of {node.operator.key} is already used by {owner.operator.key} '
                f"({owner.operator.location})",
                location=node.operator.location,
                hint="give each operator a uid of its own: the uid is the key of its state",
            )
        owners[digest] = node
