"""From a plan to a Spark program: which operators share a pass, what crosses between them, and what cannot run."""

from __future__ import annotations

from dataclasses import replace

from planner.graphs.stream_graph import StreamNode
from planner.job import Operator, PythonFunction
from planner.pipeline import Plan
from spark_runner.lowering.bounded import refuse_unbounded
from spark_runner.lowering.drafts import Drafts, committers_of
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.natives import NativePolicy, Natives
from spark_runner.lowering.operators import LOWERINGS, Setting
from spark_runner.lowering.placing import place, publish, stamp_source
from spark_runner.lowering.sinks import add_function_sink, add_native_sink, drain_leaves, is_native_sink
from spark_runner.program.program import Mode, SparkProgram, Step


def lower(plan: Plan, *, mode: Mode | None = None, native: NativePolicy = NativePolicy()) -> SparkProgram:  # noqa: B008
    """The Spark program of a plan; `mode` None follows the job's sources and runtime mode.

    Raises UnsupportedOnSpark, naming the operator and what to do, for anything Spark cannot run the way Flink would.
    """
    refuse_unbounded(plan)
    lowerer = _Lowerer(plan, native)
    program = lowerer.lower()
    if not lowerer.natives.guarded:
        return program
    return replace(program, in_python=_Lowerer(plan, replace(native, wanted=False)).lower())


class _Lowerer:
    """One walk over the job vertices in order; every stream is known before it is read."""

    def __init__(self, plan: Plan, native: NativePolicy) -> None:
        self.view = JobView(plan)
        self.drafts = Drafts(self.view.graph)
        self.natives = Natives(self.view, self.drafts, native)

    def lower(self) -> SparkProgram:
        """The whole program."""
        for step, vertex in enumerate(self.view.job_graph.vertices):
            if vertex.chained_sources:
                LOWERINGS["multi_input"](self._setting(self.view.graph.by_id[vertex.head], ()))
            for node in vertex.nodes:
                self._lower_node(step, self.view.graph.by_id[node])
        drain_leaves(self.view, self.drafts)
        passes = tuple(draft.freeze() for draft in self.drafts.passes)
        numbers: dict[int, list[int]] = {}
        for number, one in enumerate(passes):
            numbers.setdefault(one.step, []).append(number)
        return SparkProgram(
            name=self.view.graph.name,
            mode="batch",
            file=self.view.job.location.file,
            steps=tuple(self._step(at, tuple(numbers.get(at, ()))) for at in range(len(self.view.job_graph.vertices))),
            passes=passes,
            sinks=tuple(self.drafts.sinks),
        )

    def _step(self, at: int, passes: tuple[int, ...]) -> Step:
        vertex = self.view.job_graph.vertices[at]
        return Step(
            vertex=at,
            id=vertex.id,
            name=vertex.name,
            parallelism=self.view.parallelism(at),
            passes=passes,
            nodes=vertex.nodes,
            committers=committers_of(self.view.graph, vertex.nodes),
        )

    def _lower_node(self, step: int, node: StreamNode) -> None:
        if node.role == "committer":
            return
        operator = self.view.operator(node)
        lowered = LOWERINGS[operator.kind](self._setting(node, self.view.edges_into(node)))
        lowered = self.natives.improved(node, lowered)
        if is_native_sink(operator):
            add_native_sink(self.view, self.drafts, step, node)
            return
        at = place(self.view, self.drafts, step, node, lowered)
        publish(self.view, self.drafts, node, at)
        stamp_source(self.view, self.drafts, node)
        if lowered.role == "sink":
            add_function_sink(self.view, self.drafts, step, node, at)

    def _setting(self, node: StreamNode, edges: tuple[int, ...]) -> Setting:
        graph, step = self.view.graph, self.view.step(node.id)
        sources = [self.drafts.stream(graph.edges[edge]) for edge in edges]
        behind = [graph.edges[edge].target for edge in graph.out_edges.get(node.id, ())]
        return Setting(
            operator=self.view.operator(node),
            keyed=self.view.job.is_keyed(node.operator),
            pickled=any(stream.pickled for stream in sources),
            before=self.drafts.engine(sources[0]) if self.view.chained(step, edges) else None,
            python_follows=any(
                self._runs_in_python(graph.by_id[target], self.view.operator(node))
                for target in behind
                if self.view.step(target) == step
            ),
        )

    def _runs_in_python(self, node: StreamNode, source: Operator) -> bool:
        python = isinstance(node.operator.behaviour, PythonFunction)
        return python and not self.natives.takes(node, source)
