"""From a plan to a Spark program: one way for every front end and both modes."""

from __future__ import annotations

from planner.errors import UnsupportedOnSpark
from planner.graphs.stream_graph import StreamNode
from planner.job import PythonFunction
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.lowering.drafts import Drafts, PassDraft, Place, Stream
from spark_runner.lowering.inlets import inlet
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operator_parts import OperatorsOf
from spark_runner.lowering.operators import Lowered, no_multi_input
from spark_runner.lowering.own_operators import OwnOperators
from spark_runner.lowering.placing import place, publish, stamp_source
from spark_runner.lowering.pruning import pruned
from spark_runner.lowering.vertices import lower_to_chunks
from spark_runner.program.chunks import ChunkPlan
from spark_runner.program.program import Mode, Outlet, Pass, Sink, SparkProgram

__all__ = ["lower"]


def lower(plan: Plan, mode: Mode = "batch") -> SparkProgram:
    """The Spark program of a plan. Records of most batches travel in columns, those of streams and scripts in chunks.

    Raises UnsupportedOnSpark, naming the operator and what to do, for anything Spark cannot run the way Flink would.
    """
    view = JobView(plan)
    _refuse_more_inputs(view)
    if mode == "batch":
        _refuse_endless(plan)
    passes: tuple[Pass, ...] = ()
    sinks: tuple[Sink, ...] = ()
    chunks: ChunkPlan | None = None
    operators = _operators(plan, mode, view)
    if mode == "batch" and isinstance(operators, OwnOperators) and not operators.ends_in_chunks:
        passes, sinks = lower_to_passes(view, operators)
    else:
        chunks = lower_to_chunks(plan, mode, view, operators)
    of_step: dict[int, list[int]] = {}
    for number, one in enumerate(passes):
        of_step.setdefault(one.step, []).append(number)
    return SparkProgram(
        name=view.graph.name,
        mode=mode,
        file=view.job.location.file,
        steps=tuple(view.make_step(at, tuple(of_step.get(at, ()))) for at in range(len(view.job_graph.vertices))),
        passes=passes,
        sinks=sinks,
        chunks=chunks,
    )


def _operators(plan: Plan, mode: Mode, view: JobView) -> OperatorsOf:
    if plan.merging is None:
        return OwnOperators(view, mode)
    from spark_runner.lowering.scripts.operators import ScriptOperators  # most jobs need none of PyFlink's types

    return ScriptOperators(view, mode)


def _refuse_endless(plan: Plan) -> None:
    """Refuse input that never ends: a batch would not end either."""
    for operator in plan.job.operators:
        if operator.kind == "source" and not data_ends(operator):
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is an unbounded source, which a batch never reaches the end of",
                location=operator.location,
                hint="leave --mode batch out: it then runs as a stream",
            )


def _refuse_more_inputs(view: JobView) -> None:
    """Refuse operators of more than two inputs, which have sources chained to them."""
    for vertex in view.job_graph.vertices:
        if vertex.chained_sources:
            raise no_multi_input(view.operator(view.graph.by_id[vertex.head]))


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
        return pruned([draft.freeze() for draft in self.drafts.passes]), tuple(self.drafts.sinks)

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
