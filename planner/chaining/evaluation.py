"""All conditions on all edges: an edge without obstacles is chained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from planner.chaining.facts import Candidate, ChainingRule, Facts, OperatorFacts
from planner.chaining.registry import RULES
from planner.graphs.stream_graph import StreamEdge, StreamGraph
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
    of_nodes = _facts_of_nodes(graph)
    shared = _shared_positions(graph)
    heads: dict[int, int] = {}  # by node, the head of its chain, where it is not the node itself
    verdicts: dict[tuple[Any, ...], tuple[Facts, tuple[ChainingRule, ...]]] = {}
    for position in _upstream_first(graph):
        edge = graph.edges[position]
        source, target = edge.source, edge.target
        head = heads.get(source, source)
        values = _values(graph, edge, head, shared)
        alike = (id(of_nodes[source]), id(of_nodes[target]), values)
        if alike not in verdicts:
            facts = Facts(of_nodes[source], of_nodes[target], *values)
            verdicts[alike] = facts, tuple([rule for rule in RULES if rule.fails(facts)])
        facts, rules = verdicts[alike]
        if rules:
            candidate = _candidate(graph, position, head, facts)
            found[position] = tuple([rule.describe(candidate) for rule in rules])
        elif len(graph.in_edges[target]) == 1:
            heads[target] = head
    return tuple(found)


def _facts_of_nodes(graph: StreamGraph) -> dict[int, OperatorFacts]:
    """By node, what the conditions read of it. Equal facts are one object: comparing two is asking for the same."""
    known: dict[tuple[Any, ...], OperatorFacts] = {}
    return {node.id: known.setdefault(read := _of_operator(node), OperatorFacts._make(read)) for node in graph.nodes}


def candidate_of(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]], position: int) -> Candidate:
    """One edge as the conditions see it, once the verdicts of all edges are known."""
    edge = graph.edges[position]
    head = edge.source
    while len(entering := graph.in_edges[head]) == 1 and not obstacles[entering[0]]:
        head = graph.edges[entering[0]].source
    ends = [OperatorFacts._make(_of_operator(graph.by_id[end])) for end in (edge.source, edge.target)]
    facts = Facts(ends[0], ends[1], *_values(graph, edge, head, _shared_positions(graph)))
    return _candidate(graph, position, head, facts)


def check_conditions(plan: Plan, position: int) -> tuple[Checked, ...]:
    """How all conditions came out on the edge at `position` of the stream graph, in the order of their codes."""
    if plan.observed is not None:
        return plan.observed.checked(position)
    candidate = candidate_of(plan.stream_graph, plan.obstacles, position)
    return tuple(rule.checked(candidate.facts, candidate) for rule in RULES)


def _values(graph: StreamGraph, edge: StreamEdge, head: int, shared: frozenset[tuple[int, int]]) -> tuple[Any, ...]:
    """The facts of an edge after those of its two operators, in their order."""
    return (
        edge.partitioner,
        edge.exchange_mode,
        len(graph.in_edges[edge.target]),  # inputs
        len(graph.out_edges[edge.source]),  # outputs
        (edge.target, edge.type_number) in shared,  # position_shared
        graph.by_id[head].source,  # chain_source
        graph.chaining,
        graph.chain_different_max_parallelism,
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
