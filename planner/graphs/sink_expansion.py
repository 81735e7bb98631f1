"""Sinks of the v2 API: Flink expands one into a writer, a committer, and what a file sink has between them."""

from __future__ import annotations

from dataclasses import replace

from planner.errors import JobDefinitionError
from planner.graphs.growing_graph import GrowingGraph
from planner.graphs.stream_graph import NodeRole, StreamNode
from planner.graphs.stream_origins import Origin
from planner.job import Operator, Partition, Partitioner

__all__ = ["expand_sink"]


def expand_sink(graph: GrowingGraph, operator: Operator) -> None:
    """A sinkTo becomes a writer and, where the sink commits, a committer behind a batch exchange."""
    inputs = [graph.origins.resolve(source) for source in operator.inputs]
    parts = _Parts(graph, operator)
    writer = graph.settings.node_of(operator, parts.next_id(), parts.named("Writer"), "writer", inputs)
    graph.insert(writer)
    for origin in inputs[0]:
        graph.connect(origin, writer, 0)
    if operator.committer:
        parts.commit(writer)
    for _ in range(operator.extra_ids):
        parts.next_id()


class _Parts:
    """The parts of one sink behind its writer. Flink numbers all of them first, then the virtual nodes between."""

    def __init__(self, graph: GrowingGraph, operator: Operator) -> None:
        self.graph, self.operator = graph, operator
        self.name = "Sink" if operator.name is None else operator.name
        self.virtual = 0

    def next_id(self) -> int:
        return next(self.graph.origins.ids)

    def named(self, part: str) -> str:
        return f"{self.name}: {part}"

    def commit(self, writer: StreamNode) -> None:
        """Everything behind the writer."""
        origin = self.through(Origin(node=writer.id), "FORWARD", batch=True)
        if self.operator.compaction is not None:
            origin = self.compact(origin)
        self.add(origin, "Committer", "committer")
        for _ in range(self.virtual):
            self.next_id()

    def compact(self, origin: Origin) -> Origin:
        """One coordinator for all files, then compactors; where compaction is switched off, what takes their state."""
        if self.operator.uid is None:
            raise JobDefinitionError(
                f"Sink {self.name} requires to set a uid since its customized topology has set uid for some operators",
                location=self.operator.location,
                hint="a FileSink with enable_compact() or disable_compact() needs one: sink_to(...).uid('NAME')",
            )
        if self.operator.compaction == "disabled":
            first = self.add(self.through(origin, "FORWARD"), "CompactorCoordinatorPlaceHolder", "coordinator")
            return self.add(self.through(first, "FORWARD"), "CompactorOperatorPlaceHolder", "compactor")
        return self.add(
            self.add(self.through(origin, "REBALANCE"), "CompactorCoordinator", "coordinator", single=True),
            "CompactorOperator",
            "compactor",
        )

    def through(self, origin: Origin, partitioner: Partitioner, *, batch: bool = False) -> Origin:
        """Behind a partitioning of Flink's own."""
        self.virtual += 1
        partition = Partition(
            id=self.next_id(), input=origin.node, partitioner=partitioner, exchange="batch" if batch else None,
            location=self.operator.location,
        )  # fmt: skip
        return Origin(node=origin.node, partition=partition, exchange="batch" if batch else origin.exchange)

    def add(self, origin: Origin, part: str, role: NodeRole, *, single: bool = False) -> Origin:
        """One more part, and the stream behind it."""
        node = self.graph.settings.node_of(self.operator, self.next_id(), self.named(part), role, [(origin,)])
        if single:
            node = replace(node, parallelism=1, parallelism_configured=True)
        self.graph.insert(node)
        self.graph.connect(origin, node, 0)
        return Origin(node=node.id)
