"""Chains: which operators run as one task, and in which order Flink makes them."""

from __future__ import annotations

from collections.abc import Sequence

from planner.graphs.obstacle import Obstacle
from planner.graphs.stream_graph import StreamGraph
from planner.records import record


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
    """All chains in Flink's order of creation: a chain is made after everything behind it."""
    return _Former(graph, obstacles).form()


class _Visit:
    """One node being worked on: its chained outputs first, then the chains behind its other outputs."""

    __slots__ = ("chained", "head", "leaving", "node", "out_edges", "step")

    def __init__(self, node: int, head: int, chained: list[int], leaving: list[int]) -> None:
        self.node = node
        self.head = head
        self.chained = chained
        self.leaving = leaving
        self.step = 0
        self.out_edges: list[int] = []


class _Former:
    """Flink's depth-first formation, with a stack of its own in place of recursion."""

    def __init__(self, graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]]) -> None:
        self.graph = graph
        self.obstacles = obstacles
        self.sources = self.chained_sources()
        self.finished: dict[int, list[int]] = {}
        self.chains: dict[int, Chain] = {}

    def form(self) -> tuple[Chain, ...]:
        absorbed = {source for found in self.sources.values() for source in found}
        entries = {node.id for node in self.graph.nodes if node.source and node.id not in absorbed}
        for entry in sorted(entries | self.sources.keys()):
            if entry not in self.chains:  # a multi-input head may already stand behind another entry
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
        stack = [self.begin(entry, entry)]
        while stack:
            current = stack[-1]
            following = self.advance(current)
            if following is not None:
                stack.append(following)
                continue
            stack.pop()
            self.finish(current)
            if stack and stack[-1].head == current.head:
                stack[-1].out_edges.extend(current.out_edges)

    def begin(self, node: int, head: int) -> _Visit:
        chained: list[int] = []
        leaving: list[int] = []
        for edge in self.graph.out_edges[node]:
            (leaving if self.obstacles[edge] else chained).append(edge)
        return _Visit(node, head, chained, leaving)

    def advance(self, current: _Visit) -> _Visit | None:
        """The next node to work on before `current` can be finished."""
        while current.step < len(current.chained) + len(current.leaving):
            step, current.step = current.step, current.step + 1
            if step < len(current.chained):
                return self.begin(self.graph.edges[current.chained[step]].target, current.head)
            edge = current.leaving[step - len(current.chained)]
            current.out_edges.append(edge)
            target = self.graph.edges[edge].target
            if target not in self.chains:
                return self.begin(target, target)
        return None

    def finish(self, current: _Visit) -> None:
        self.finished.setdefault(current.head, []).append(current.node)
        if current.node != current.head:
            return
        nodes, name = self.describe(current.head)
        self.chains[current.head] = Chain(
            head=current.head,
            name=name,
            nodes=nodes,
            finished=tuple(self.finished[current.head]),
            sources=tuple(self.sources.get(current.head, ())),
            out_edges=tuple(current.out_edges),
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
        """What comes behind a node in the name: its chained outputs with the punctuation around them."""
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
        sources = [self.graph.by_id[source].name for source in self.sources.get(node, ())]
        return f"{name} [{', '.join(sources)}]" if sources else name
