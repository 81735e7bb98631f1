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


def build_operator_ids(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> Mapping[int, str]:
    """The id of every stream node, as 32 hex digits, by Flink's breadth-first walk from the sources."""
    hashes: dict[int, bytes] = {}
    owners: dict[bytes, StreamNode] = {}
    waiting = deque(node for node in graph.nodes if node.source)
    seen = {node.id for node in waiting}
    while waiting:
        node = waiting.popleft()
        if node.uid is None and any(graph.edges[edge].source not in hashes for edge in graph.in_edges[node.id]):
            seen.discard(node.id)  # met again from the input that is missing
            continue
        if node.uid is None:
            digest = _generated(graph, obstacles, node, hashes)
        else:
            digest = uid_hash(node.uid)
            _refuse_collision(node, owners.get(digest))
        hashes[node.id] = digest
        owners[digest] = node
        for edge in graph.out_edges[node.id]:
            target = graph.edges[edge].target
            if target not in seen:
                seen.add(target)
                waiting.append(graph.by_id[target])
    return {node.id: hashes[node.id].hex() for node in graph.nodes}


def uid_hash(uid: str) -> bytes:
    """The id that a uid stands for. Java encodes a lone surrogate as a question mark."""
    return mmh3.mmh3_x64_128_digest(uid.encode("utf-8", "replace"), 0)


def _generated(
    graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]], node: StreamNode, hashes: Mapping[int, bytes]
) -> bytes:
    number = len(hashes).to_bytes(4, "little")
    chained = sum(
        1
        for edge in graph.out_edges[node.id]
        # A source chained into a multi-input operator does not count: Flink asks only for single-input targets here.
        if not obstacles[edge] and len(graph.in_edges[graph.edges[edge].target]) == 1
    )
    digest = mmh3.mmh3_x64_128_digest(number * (1 + chained), 0)
    for edge in graph.in_edges[node.id]:
        mixed = hashes[graph.edges[edge].source]
        digest = bytes((own * 37 & 0xFF) ^ other for own, other in zip(digest, mixed, strict=True))
    return digest


def _refuse_collision(node: StreamNode, owner: StreamNode | None) -> None:
    if owner is None:
        return
    raise PlanningError(
        f'uid "{node.uid}" of {node.operator.key} is already used by {owner.operator.key} ({owner.operator.location})',
        location=node.operator.location,
        hint="give each operator a uid of its own: the uid is the key of its state",
    )
