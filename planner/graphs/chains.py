"""Chains: which operators run as one task, and in which order Flink makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.graphs.stream_graph import StreamGraph
from planner.records import maker, record
from planner.rules import Obstacle


@record
class Chain:
    """The stream nodes of one job vertex."""

    head: int
    name: str
    nodes: tuple[int, ...]  # head first, depth first in output order
    finished: tuple[int, ...]  # the order in which Flink finishes them: deepest first
    sources: tuple[int, ...]  # sources chained into a multi-input head
    out_edges: tuple[int, ...]  # positions of the edges that leave the chain, in Flink's order


def form_chains(graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> tuple[Chain, ...]:
    """All chains in Flink's order of creation: a chain is made after everything downstream of it."""
    return _ChainBuilder(graph, obstacles).form()


class _ChainBuilder:
    """Flink's depth-first formation, with a stack of its own in place of recursion."""

    def __init__(self, graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> None:
        self.graph = graph
        self.obstacles = obstacles
        self.sources = self.chained_sources()
        self.branching: set[int] = set()  # heads of chains that are not one row of operators
        self.chains: dict[int, Chain] = {}
        self.make = maker(Chain)

    def form(self) -> tuple[Chain, ...]:
        absorbed = {source for found in self.sources.values() for source in found}
        entries = {node.id for node in self.graph.nodes if node.source and node.id not in absorbed}
        for entry in sorted(entries | self.sources.keys()):
            if entry not in self.chains:  # a multi-input head may already be downstream of another entry
                self.visit(entry)
        return tuple(self.chains.values())

    def chained_sources(self) -> dict[int, list[int]]:
        """By head, the sources it takes in, in the order of its inputs.

        A source that feeds others too is no part of its reader: they chain as any two operators do, if at all.
        """
        found: dict[int, list[int]] = {}
        for node in self.graph.nodes:
            if node.chaining_strategy != "HEAD_WITH_SOURCES":
                continue
            for edge in self.graph.in_edges[node.id]:
                source = self.graph.edges[edge].source
                if not self.obstacles[edge] and len(self.graph.out_edges[source]) == 1:
                    found.setdefault(node.id, []).append(source)
        return found

    def visit(self, entry: int) -> None:
        """Form the chain of an entry, and those downstream: of each node its chained outputs first, then others."""
        edges, obstacles, chains = self.graph.edges, self.obstacles, self.chains
        finished: dict[int, list[int]] = {entry: []}  # by head, of the chains that are being formed
        leaving: dict[int, list[int]] = {entry: []}
        stack = [(entry, entry, self.outputs(entry, entry))]
        while stack:
            node, head, following = stack[-1]
            for position in following:
                target = edges[position].target
                if not obstacles[position]:
                    stack.append((target, head, self.outputs(target, head)))
                    break
                leaving[head].append(position)
                if target not in chains:
                    finished[target], leaving[target] = [], []
                    stack.append((target, target, self.outputs(target, target)))
                    break
            else:
                stack.pop()
                finished[head].append(node)
                if node == head:
                    self.close(head, tuple(finished.pop(head)), tuple(leaving.pop(head)))

    def outputs(self, node: int, head: int) -> Iterator[int]:
        """The edges out of a node of a chain, chained ones first."""
        found = self.graph.out_edges[node]
        if len(found) < 2:
            return iter(found)
        chained = [position for position in found if not self.obstacles[position]]
        if len(chained) > 1:
            self.branching.add(head)
        return iter([*chained, *[position for position in found if self.obstacles[position]]])

    def close(self, head: int, finished: tuple[int, ...], leaving: tuple[int, ...]) -> None:
        """Make a chain of which every node is finished."""
        nodes = finished[::-1]
        if head in self.branching:
            nodes, name = self.describe(head)
        elif len(finished) == 1:
            name = self.named(head)
        else:
            name = " -> ".join([self.named(node) for node in nodes])
        self.chains[head] = self.make(
            head=head,
            name=name,
            nodes=nodes,
            finished=finished,
            sources=tuple(self.sources.get(head, ())),
            out_edges=leaving,
        )

    def describe(self, head: int) -> tuple[tuple[int, ...], str]:
        """The chain's nodes, head first, and Flink's name for it: `a -> (b, c)`, chained sources in brackets."""
        nodes: list[int] = []
        parts: list[str] = []
        waiting: list[int | str] = [head]
        while waiting:
            current = waiting.pop()
            if isinstance(current, str):
                parts.append(current)
                continue
            nodes.append(current)
            parts.append(self.named(current))
            waiting.extend(reversed(self.followers(current)))
        return tuple(nodes), "".join(parts)

    def followers(self, node: int) -> list[int | str]:
        """What follows a node in the name: its chained outputs with the punctuation around them."""
        targets = [self.graph.edges[e].target for e in self.graph.out_edges[node] if not self.obstacles[e]]
        if not targets:
            return []
        if len(targets) == 1:
            return [" -> ", targets[0]]
        between: list[int | str] = [" -> ("]
        for target in targets:
            between.extend((target, ", "))
        between[-1] = ")"
        return between

    def named(self, node: int) -> str:
        name = self.graph.by_id[node].name
        if node not in self.sources:
            return name
        return f"{name} [{', '.join([self.graph.by_id[source].name for source in self.sources[node]])}]"
