"""All conditions on all edges: an edge without obstacles is chained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from planner.chaining.registry import RULES
from planner.chaining.rule import Candidate
from planner.graphs.obstacle import Obstacle
from planner.graphs.stream_graph import StreamEdge, StreamGraph, StreamNode
from planner.records import maker
from planner.topology import topological_order

__all__ = ["candidate_of", "find_obstacles", "is_ordinary"]


def find_obstacles(graph: StreamGraph) -> tuple[tuple[Obstacle, ...], ...]:
    """The obstacles of every edge, in the order of the graph's edges; none hides another."""
    found: list[tuple[Obstacle, ...]] = [()] * len(graph.edges)
    candidates = _Candidates(graph, found)
    anywhere = [rule for rule in RULES if rule.ordinary(graph)]
    edges, by_id, in_edges = graph.edges, graph.by_id, graph.in_edges
    for position in _upstream_first(graph):
        edge = edges[position]
        ordinary = is_ordinary(edge, by_id[edge.source], by_id[edge.target], len(in_edges[edge.target]))
        if rules := anywhere if ordinary else RULES:
            candidate = candidates.at(position)
            found[position] = tuple([o for rule in rules if (o := rule.find(candidate)) is not None])
    return tuple(found)


def is_ordinary(edge: StreamEdge, upstream: StreamNode, downstream: StreamNode, downstream_inputs: int) -> bool:
    """Whether an edge is like most edges of most jobs: nothing that most rules look at is in the way.

    A first look that saves asking those rules; each says in `ordinary` whether it must be asked all the same.
    """
    return (
        edge.partitioner == "FORWARD"
        and downstream_inputs == 1
        and upstream.parallelism == downstream.parallelism
        and upstream.chaining_strategy == "ALWAYS" == downstream.chaining_strategy
        and upstream.slot_sharing_group == downstream.slot_sharing_group
        and upstream.max_parallelism == downstream.max_parallelism
        and edge.exchange_mode != "BATCH"
        and not downstream.yielding
    )


def _upstream_first(graph: StreamGraph) -> list[int]:
    """Every edge, after all edges that lead to its upstream: the head of a chain depends on their verdicts."""
    if all(edge.source < edge.target for edge in graph.edges):  # as in most jobs
        return sorted(range(len(graph.edges)), key=[edge.source for edge in graph.edges].__getitem__)
    order = topological_order(graph.by_id, ((edge.source, edge.target) for edge in graph.edges))
    return [position for number in order for position in graph.out_edges[number]]


def candidate_of(graph: StreamGraph, obstacles: tuple[tuple[Obstacle, ...], ...], position: int) -> Candidate:
    """One edge as the rules see it, once the verdicts of all edges are known."""
    return _Candidates(graph, obstacles).at(position)


class _Candidates:
    """Edges as the rules see them; `verdicts` are known of all edges that lead to the upstream of one."""

    def __init__(self, graph: StreamGraph, verdicts: Sequence[tuple[Obstacle, ...]]) -> None:
        self.graph = graph
        self.verdicts = verdicts
        self.heads: dict[int, StreamNode] = {}
        self.make = maker(Candidate)

    @cached_property
    def shared(self) -> frozenset[tuple[int, int]]:
        """The input positions that several edges enter."""
        entering = Counter([(edge.target, edge.type_number) for edge in self.graph.edges])
        return frozenset([place for place, edges in entering.items() if edges > 1])

    def at(self, position: int) -> Candidate:
        graph = self.graph
        edge = graph.edges[position]
        downstream_inputs = len(graph.in_edges[edge.target])
        return self.make(
            edge=edge,
            upstream=graph.by_id[edge.source],
            downstream=graph.by_id[edge.target],
            upstream_outputs=len(graph.out_edges[edge.source]),
            downstream_inputs=downstream_inputs,
            upstream_fed_by=frozenset([graph.edges[at].partitioner for at in graph.in_edges[edge.source]]),
            position_shared=downstream_inputs > 1 and (edge.target, edge.type_number) in self.shared,
            chain_head=self.head(edge.source),
            chaining=graph.chaining,
            chain_different_max_parallelism=graph.chain_different_max_parallelism,
        )

    def head(self, number: int) -> StreamNode:
        """The head of the chain that a node is in."""
        way: list[int] = []
        while number not in self.heads:
            inputs = self.graph.in_edges[number]
            if len(inputs) == 1 and not self.verdicts[inputs[0]]:
                way.append(number)
                number = self.graph.edges[inputs[0]].source
            else:
                self.heads[number] = self.graph.by_id[number]
        found = self.heads[number]
        for passed in way:
            self.heads[passed] = found
        return found
