"""Where records must carry their event time: from an operator that sets it down to one that reads it."""

from __future__ import annotations

from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.job import Watermarks, Window

_READERS = frozenset({"process", "co_process"})  # ctx.timestamp() and timers


class EventTime:
    """Which nodes' outputs have an event time, and which nodes want one on their input."""

    def __init__(self, graph: StreamGraph) -> None:
        self._graph = graph
        self.stamped = self._forward()
        self.wants = self._backward()

    def travels(self, source: int, target: int) -> bool:
        """Whether records from one node to the other need their event time with them."""
        return source in self.stamped and target in self.wants

    def _forward(self) -> frozenset[int]:
        stamped: set[int] = set()
        for node in self._graph.nodes:  # ids grow along the stream
            sources = [self._graph.edges[e].source for e in self._graph.in_edges.get(node.id, ())]
            if _sets(node) or any(source in stamped for source in sources):
                stamped.add(node.id)
        return frozenset(stamped)

    def _backward(self) -> frozenset[int]:
        wants: set[int] = set()
        for node in reversed(self._graph.nodes):
            targets = [self._graph.edges[e].target for e in self._graph.out_edges.get(node.id, ())]
            if _reads(node) or (not _sets(node) and any(target in wants for target in targets)):
                wants.add(node.id)
        return frozenset(wants)


def _sets(node: StreamNode) -> bool:
    operator = node.operator
    return operator.watermarks is not None or isinstance(operator.behaviour, Watermarks | Window)


def _reads(node: StreamNode) -> bool:
    behaviour = node.operator.behaviour
    if isinstance(behaviour, Window):
        return behaviour.time is None
    return node.operator.kind in _READERS
