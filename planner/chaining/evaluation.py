"""All conditions on all edges: an edge without obstacles is chained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from planner.chaining.facts import Candidate, ChainingRule, Facts, OperatorFacts
from planner.chaining.registry import RULES
from planner.graphs.stream_graph import StreamGraph
from planner.rules import Checked, Obstacle
from planner.topology import topological_order

if TYPE_CHECKING:
    from planner.pipeline import Plan

__all__ = ["candidate_of", "check_conditions", "find_obstacles"]

_of_operator = attrgetter(*OperatorFacts._fields)


def find_obstacles(graph: StreamGraph) -> tuple[tuple[Obstacle, ...], ...]:
    """The obstacles of every edge, in the order of the graph's edges; none hides another.

    Edges with equal facts have the same verdict, so the conditions are asked once for each combination of facts: most
    edges of a large job are alike. An obstacle names its edge, so it is made for each.
    """
    found: list[tuple[Obstacle, ...]] = [()] * len(graph.edges)
    edges, in_edges, out_edges = graph.edges, graph.in_edges, graph.out_edges
    kinds = _kinds(graph)
    shared = _shared_positions(graph)
    heads: dict[int, int] = {}  # by node, the head of its chain, where it is not the node itself
    verdicts: dict[tuple[Any, ...], tuple[Facts, tuple[ChainingRule, ...]]] = {}
    for position in _upstream_first(graph):
        edge = edges[position]
        source, target = edge.source, edge.target
        inputs, head = len(in_edges[target]), heads.get(source, source)
        alike = (
            kinds[source],
            kinds[target],
            kinds[head],
            edge.partitioner,
            edge.exchange_mode,
            inputs,
            len(out_edges[source]),
            inputs > 1 and (target, edge.type_number) in shared,
        )
        if alike not in verdicts:
            facts = _facts(graph, position, head, shared)
            verdicts[alike] = facts, tuple([rule for rule in RULES if rule.fails(facts)])
        facts, rules = verdicts[alike]
        if rules:
            candidate = _candidate(graph, position, head, facts)
            found[position] = tuple([rule.describe(candidate) for rule in rules])
        elif inputs == 1:
            heads[target] = head
    return tuple(found)


def _kinds(graph: StreamGraph) -> dict[int, int]:
    """By node, a number: equal where the conditions see no difference between two nodes."""
    numbers: dict[tuple[Any, ...], int] = {}
    return {node.id: numbers.setdefault(_of_operator(node), len(numbers)) for node in graph.nodes}


def candidate_of(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]], position: int) -> Candidate:
    """One edge as the conditions see it, once the verdicts of all edges are known."""
    head = graph.edges[position].source
    while len(entering := graph.in_edges[head]) == 1 and not obstacles[entering[0]]:
        head = graph.edges[entering[0]].source
    return _candidate(graph, position, head, _facts(graph, position, head, _shared_positions(graph)))


def check_conditions(plan: Plan, position: int) -> tuple[Checked, ...]:
    """How all conditions came out on the edge at `position` of the stream graph, in the order of their codes."""
    if plan.observed is not None:
        return plan.observed.checked(position)
    candidate = candidate_of(plan.stream_graph, plan.obstacles, position)
    return tuple(rule.checked(candidate.facts, candidate) for rule in RULES)


def _facts(graph: StreamGraph, position: int, head: int, shared: frozenset[tuple[int, int]]) -> Facts:
    edge = graph.edges[position]
    by_id: Mapping[int, Any] = graph.by_id
    return Facts(
        upstream=OperatorFacts._make(_of_operator(by_id[edge.source])),
        downstream=OperatorFacts._make(_of_operator(by_id[edge.target])),
        partitioner=edge.partitioner,
        exchange_mode=edge.exchange_mode,
        inputs=len(graph.in_edges[edge.target]),
        outputs=len(graph.out_edges[edge.source]),
        position_shared=(edge.target, edge.type_number) in shared,
        chain_source=by_id[head].source,
        chaining=graph.chaining,
        chain_different_max_parallelism=graph.chain_different_max_parallelism,
    )


def _candidate(graph: StreamGraph, position: int, head: int, facts: Facts) -> Candidate:
    edge = graph.edges[position]
    return Candidate(
        facts=facts,
        edge=edge,
        upstream=graph.by_id[edge.source],
        downstream=graph.by_id[edge.target],
        upstream_fed_by=frozenset([graph.edges[at].partitioner for at in graph.in_edges[edge.source]]),
        chain_head=graph.by_id[head],
    )


def _upstream_first(graph: StreamGraph) -> list[int]:
    """Every edge, after all edges that lead to its upstream: the head of a chain depends on their verdicts."""
    if all(edge.source < edge.target for edge in graph.edges):  # as in most jobs
        return sorted(range(len(graph.edges)), key=[edge.source for edge in graph.edges].__getitem__)
    order = topological_order(graph.by_id, ((edge.source, edge.target) for edge in graph.edges))
    return [position for number in order for position in graph.out_edges[number]]


def _shared_positions(graph: StreamGraph) -> frozenset[tuple[int, int]]:
    """The input positions that several edges enter: unions."""
    if all(len(positions) < 2 for positions in graph.in_edges.values()):  # as in most jobs
        return frozenset()
    entering = Counter([(edge.target, edge.type_number) for edge in graph.edges])
    return frozenset([place for place, edges in entering.items() if edges > 1])
