"""Where streams end: writers, print, sink functions, and operators whose records nobody reads."""

from __future__ import annotations

from planner.graphs.stream_graph import StreamNode
from spark_runner.lowering.drafts import Drafts, PassDraft, Place, Stream
from spark_runner.lowering.inlets import inlet
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.own_operators import OwnOperators
from spark_runner.program.program import Outlet

__all__ = ["add_function_sink", "add_native_sink", "drain_leaves"]


def add_native_sink(
    operators: OwnOperators, view: JobView, drafts: Drafts, step: int, node: StreamNode, *, prints: bool
) -> None:
    """A writer or print, after the pass that feeds it."""
    operator, edges = view.operator(node), view.edges_into(node)
    if view.chained(step, edges) and view.functions.key(operator, 0) is None:
        stream = drafts.stream(view.graph.edges[edges[0]])
    else:
        stream = _arrivals(operators, view, drafts, step, node)
    wanted = Outlet(operation=stream.operation, tag=stream.tag)
    drafts.end(stream, wanted, "print" if prints else "write", node, operator, step, view.parallelism(step))


def _arrivals(operators: OwnOperators, view: JobView, drafts: Drafts, step: int, node: StreamNode) -> Stream:
    """A native pass that only takes what the exchange brings."""
    edges = view.edges_into(node)
    inlets = [inlet(operators, view, drafts, step, node, edge) for edge in edges]
    first = drafts.stream(view.graph.edges[edges[0]])
    return first.after(drafts.add(PassDraft(step, "native", view.parallelism(step), inlets=inlets)))


def add_function_sink(view: JobView, drafts: Drafts, step: int, node: StreamNode, at: Place) -> None:
    """A function that takes each record; nothing comes out of its pass."""
    stream, wanted = drafts.main_stream(node.id), Outlet(operation=at.operation, pickled=True)
    drafts.end(stream, wanted, "drain", node, view.operator(node), step, view.parallelism(step))


def drain_leaves(view: JobView, drafts: Drafts) -> None:
    """Operators whose records nobody reads run all the same, as they do in Flink."""
    for at in drafts.unread():
        draft = drafts.passes[at.draft]
        operation = draft.operations[at.operation]
        node = view.graph.by_id[operation.node]
        stream, wanted = drafts.main_stream(node.id), Outlet(operation=at.operation)
        drafts.end(stream, wanted, "drain", node, operation.operator, draft.step, view.parallelism(draft.step))
