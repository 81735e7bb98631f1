"""From a plan to a Spark program: one way for every front end and both modes."""

from __future__ import annotations

from planner.errors import UnsupportedOnSpark
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.lowering.front_ends import OperatorsOf
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operators import LOWERINGS, Situation
from spark_runner.lowering.own_operators import OwnOperators
from spark_runner.lowering.passes import lower_to_passes
from spark_runner.lowering.vertices import lower_to_chunks
from spark_runner.program.chunks import ChunkPlan
from spark_runner.program.program import Mode, Pass, Sink, SparkProgram

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
            head = view.graph.by_id[vertex.head]
            LOWERINGS["multi_input"](
                Situation(operator=view.operator(head), keyed=False, pickled=False, before=None, python_follows=False)
            )
