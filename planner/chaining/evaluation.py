"""All conditions on all edges: an edge without obstacles is chained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.chaining.registry import RULES
from planner.chaining.rule import Candidate
from planner.graphs.obstacle import Obstacle
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.topology import topological_order


def find_obstacles(graph: StreamGraph) -> tuple[tuple[Obstacle, ...], ...]:
    """The obstacles of every edge, in the order of the graph's edges; none hides another."""
    found: list[tuple[Obstacle, ...]] = [()] * len(graph.edges)
    finders = [rule.find for rule in RULES]
    for position, candidate in _candidates(graph, found):
        found[position] = tuple([o for find in finders if (o := find(candidate)) is not None])
    return tuple(found)


def candidate_of(graph: StreamGraph, obstacles: tuple[tuple[Obstacle, ...], ...], position: int) -> Candidate:
    """One edge as the rules see it, once the verdicts of all edges are known."""
    node = graph.by_id[graph.edges[position].source]
    while len(inputs := graph.in_edges[node.id]) == 1 and not obstacles[inputs[0]]:
        node = graph.by_id[graph.edges[inputs[0]].source]
    return _candidate(graph, position, {graph.edges[position].source: node}, _shared_positions(graph))


def _candidates(graph: StreamGraph, found: list[tuple[Obstacle, ...]]) -> Iterator[tuple[int, Candidate]]:
    """Every edge, after all edges that lead to its upstream: the head of a chain depends on their verdicts."""
    shared = _shared_positions(graph)
    heads: dict[int, StreamNode] = {}
    for number in topological_order(graph.by_id, ((edge.source, edge.target) for edge in graph.edges)):
        inputs = graph.in_edges[number]
        chained = len(inputs) == 1 and not found[inputs[0]]
        heads[number] = heads[graph.edges[inputs[0]].source] if chained else graph.by_id[number]
        for position in graph.out_edges[number]:
            yield position, _candidate(graph, position, heads, shared)


def _shared_positions(graph: StreamGraph) -> frozenset[tuple[int, int]]:
    entering = Counter((edge.target, edge.type_number) for edge in graph.edges)
    return frozenset(place for place, edges in entering.items() if edges > 1)


def _candidate(
    graph: StreamGraph, position: int, heads: dict[int, StreamNode], shared: frozenset[tuple[int, int]]
) -> Candidate:
    edge = graph.edges[position]
    return Candidate(
        edge=edge,
        upstream=graph.by_id[edge.source],
        downstream=graph.by_id[edge.target],
        upstream_outputs=len(graph.out_edges[edge.source]),
        downstream_inputs=len(graph.in_edges[edge.target]),
        upstream_fed_by=frozenset(graph.edges[at].partitioner for at in graph.in_edges[edge.source]),
        position_shared=(edge.target, edge.type_number) in shared,
        chain_head=heads[edge.source],
        chaining=graph.chaining,
        chain_different_max_parallelism=graph.chain_different_max_parallelism,
    )
