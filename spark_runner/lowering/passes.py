"""Passes over columns: which operators share one, and what crosses between them."""

from __future__ import annotations

from planner.graphs.stream_graph import StreamNode
from planner.job import PythonFunction
from spark_runner.lowering.drafts import Drafts
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operators import Lowered
from spark_runner.lowering.own_operators import OwnOperators
from spark_runner.lowering.placing import place, publish, stamp_source
from spark_runner.lowering.sinks import add_function_sink, add_native_sink, drain_leaves
from spark_runner.program.program import Pass, Sink

__all__ = ["lower_to_passes"]


def lower_to_passes(view: JobView, operators: OwnOperators) -> tuple[tuple[Pass, ...], tuple[Sink, ...]]:
    """The passes and sinks of a batch. Raises UnsupportedOnSpark for anything Spark cannot run the way Flink would."""
    return _Lowerer(view, operators).lower()


class _Lowerer:
    """One walk over the job vertices in order; every stream is known before it is read."""

    def __init__(self, view: JobView, operators: OwnOperators) -> None:
        self.view, self.operators = view, operators
        self.drafts = Drafts(view.graph)

    def lower(self) -> tuple[tuple[Pass, ...], tuple[Sink, ...]]:
        for step, vertex in enumerate(self.view.job_graph.vertices):
            for node in vertex.nodes:
                self._lower_node(step, self.view.graph.by_id[node])
        drain_leaves(self.view, self.drafts)
        return tuple(draft.freeze() for draft in self.drafts.passes), tuple(self.drafts.sinks)

    def _lower_node(self, step: int, node: StreamNode) -> None:
        if node.after_writer:
            return
        lowered = self._lowered(node)
        operators, drafts = self.operators, self.drafts
        kind = self.view.operator(node).kind
        end = operators.sink(node, (), columns=True) if kind in ("sink", "print") else None
        if end is not None:
            add_native_sink(operators, self.view, drafts, step, node, prints=end.kind == "print")
            return
        at = place(operators, self.view, drafts, step, node, lowered)
        publish(operators, self.view, drafts, node, at)
        stamp_source(operators, self.view, drafts, node)
        if lowered.role == "sink":
            add_function_sink(self.view, drafts, step, node, at)

    def _lowered(self, node: StreamNode) -> Lowered:
        graph, step, edges = self.view.graph, self.view.step(node.id), self.view.edges_into(node)
        sources = [self.drafts.stream(graph.edges[edge]) for edge in edges]
        readers = [graph.edges[edge].target for edge in graph.out_edges.get(node.id, ())]
        return self.operators.lowered(
            node,
            columns=not any(stream.pickled for stream in sources),
            before=self.drafts.engine(sources[0]) if self.view.chained(step, edges) else None,
            python_follows=any(
                isinstance(graph.by_id[target].operator.behaviour, PythonFunction)
                for target in readers
                if self.view.step(target) == step
            ),
        )
