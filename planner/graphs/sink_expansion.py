"""Sinks of the v2 API: Flink expands one into a writer and a committer."""

from __future__ import annotations

from planner.graphs.growing_graph import GrowingGraph
from planner.graphs.stream_origins import Origin
from planner.job import Operator, Partition

__all__ = ["expand_sink"]


def expand_sink(graph: GrowingGraph, operator: Operator) -> None:
    """A sinkTo becomes a writer and, where the sink commits, a committer behind a batch exchange."""
    ids = graph.origins.ids
    inputs = [graph.origins.resolve(source) for source in operator.inputs]
    name = "Sink" if operator.name is None else operator.name
    writer_id = next(ids)
    writer = graph.settings.node_of(operator, writer_id, f"{name}: Writer", "writer", inputs)
    barrier = committer_id = 0
    if operator.committer:
        barrier, committer_id = next(ids), next(ids)
    graph.insert(writer)
    for origin in inputs[0]:
        graph.connect(origin, writer, 0)
    if operator.committer:
        region = Partition(
            id=barrier, input=writer_id, partitioner="FORWARD", exchange="batch", location=operator.location
        )
        next(ids)  # the virtual node of the exchange
        origin = Origin(node=writer_id, partition=region, exchange="batch")
        committer = graph.settings.node_of(operator, committer_id, f"{name}: Committer", "committer", [(origin,)])
        graph.insert(committer)
        graph.connect(origin, committer, 0)
    for _ in range(operator.extra_ids):
        next(ids)
