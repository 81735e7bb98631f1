"""Which pass an operator goes into, and what its records look like to those that read them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.graphs.stream_graph import StreamNode
from planner.job import Operator
from spark_runner.lowering.drafts import Drafts, PassDraft, Place, Stream
from spark_runner.lowering.inlets import inlet
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operator_parts import OperatorPart
from spark_runner.lowering.operators import Lowered
from spark_runner.lowering.own_operators import OwnOperators
from spark_runner.program.program import Inlet, Operation, Outlet

__all__ = ["place", "publish", "stamp_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Home:
    """A pass that an operator joins, and which operation's records it reads there; None reads the pass's inlet."""

    draft: int
    parent: int | None = None
    tag: str | None = None


def place(
    operators: OwnOperators, view: JobView, drafts: Drafts, step: int, node: StreamNode, lowered: Lowered
) -> Place:
    """Put an operator into the pass upstream of it, or into a new one."""
    operator, keyed = view.operator(node), view.job.is_keyed(node.operator)
    home = _same_pass(view, drafts, step, node, lowered) or _new_pass(operators, view, drafts, step, node, lowered)
    part = operators.part(operator, lowered.role)
    operation = Operation(
        node=node.id,
        name=node.name,
        operator=operator,
        parent=home.parent,
        tag=home.tag,
        role=lowered.role,
        keyed=keyed,
        output=operator.output,
        sides=tuple((side.tag, side.output) for side in view.side_outputs(operator) if side.output is not None),
        inlined=part.inlined,
        function=part.function,
        options=part.options,
    )
    return drafts.append(home.draft, operation)


def _new_pass(
    operators: OwnOperators, view: JobView, drafts: Drafts, step: int, node: StreamNode, lowered: Lowered
) -> _Home:
    # first the inlets: computing a key may put a pass upstream of this one
    inlets = [inlet(operators, view, drafts, step, node, edge) for edge in view.edges_into(node)]
    draft = PassDraft(step, lowered.engine, view.parallelism(step), inlets=inlets, grouped=lowered.grouped)
    return _Home(draft=drafts.add(draft))


def _same_pass(view: JobView, drafts: Drafts, step: int, node: StreamNode, lowered: Lowered) -> _Home | None:
    edges = view.edges_into(node)
    if not view.chained(step, edges) or view.job.is_keyed(view.operator(node)):
        return None
    stream = drafts.stream(view.graph.edges[edges[0]])
    if drafts.engine(stream) == lowered.engine:
        return _Home(draft=stream.source, parent=stream.operation, tag=stream.tag)
    return _sibling(drafts, step, stream) if lowered.engine == "python" else None


def _sibling(drafts: Drafts, step: int, stream: Stream) -> _Home | None:
    """A Python pass of this step that reads the very same records already."""
    for number, draft in enumerate(drafts.passes):
        if draft.step != step or draft.engine != "python" or draft.grouped or len(draft.inlets) != 1:
            continue
        (only,) = draft.inlets
        outlet = drafts.passes[only.source].outlets[only.outlet]
        if only.exchange is None and (only.source, outlet.operation) == (stream.source, stream.operation):
            return _Home(draft=number)
    return None


def publish(operators: OwnOperators, view: JobView, drafts: Drafts, node: StreamNode, at: Place) -> None:
    """Let others read what an operator gives, and its side outputs."""
    operator = view.operator(node)
    native = drafts.passes[at.draft].engine == "native"
    drafts.publish(node.id, _output(operators, view, drafts, node, at))
    for side in () if native else view.side_outputs(operator):
        stream = Stream(
            source=at.draft,
            operation=at.operation,
            tag=side.tag,
            pickled=side.output is None,
            columns=side.output,
            declared_by=at.operation,
        )
        drafts.publish(node.id, stream)


def _output(operators: OwnOperators, view: JobView, drafts: Drafts, node: StreamNode, at: Place) -> Stream:
    declared, keeps = operators.outputs(node)
    native = drafts.passes[at.draft].engine == "native"
    plain = Stream(source=at.draft, operation=at.operation, tag=None, pickled=False)
    if not keeps or declared is not None:
        pickled = not native and declared is None
        return replace(plain, pickled=pickled, columns=declared, declared_by=at.operation)
    inherited = drafts.stream(view.graph.edges[view.edges_into(node)[0]])
    return replace(
        plain,
        pickled=inherited.pickled and not native,
        columns=inherited.columns,
        declared_by=inherited.declared_by if inherited.source == at.draft else None,
    )


def stamp_source(operators: OwnOperators, view: JobView, drafts: Drafts, node: StreamNode) -> None:
    """A strategy given with the source: no operator of its own in Flink, an operation of the same node here."""
    operator = view.operator(node)
    strategy = operator.watermarks
    if strategy is None or node.id not in view.event_time.stamped:
        return
    if strategy.time is None and strategy.assigner is None:
        return
    stamping = operators.strategy(operator)
    assert stamping is not None
    stream = drafts.main_stream(node.id)
    if strategy.assigner is not None and drafts.engine(stream) == "native":
        stream = _after_python_pass(drafts, stream)
    _append_stamp(drafts, node, stamping[0], stamping[1], stream)


def _after_python_pass(drafts: Drafts, stream: Stream) -> Stream:
    source = drafts.passes[stream.source]
    arriving = Inlet(source=stream.source, outlet=drafts.outlet(stream, Outlet(operation=stream.operation)))
    return stream.after(drafts.add(PassDraft(source.step, "python", source.parallelism, inlets=[arriving])))


def _append_stamp(drafts: Drafts, node: StreamNode, operator: Operator, part: OperatorPart, stream: Stream) -> None:
    operation = Operation(
        node=node.id,
        name=node.name,
        operator=operator,
        parent=stream.operation,
        role=part.role if drafts.engine(stream) == "python" else "",
        function=part.function,
        options=part.options,
    )
    at = drafts.append(stream.source, operation)
    drafts.replace_main(node.id, replace(stream, operation=at.operation))
