"""What crosses from one pass to another: the key, the partitioner and the event time that travel with the records."""

from __future__ import annotations

from dataclasses import replace

from planner.graphs.stream_graph import StreamNode
from planner.job import Window
from spark_runner.lowering.ddl import declared_fields
from spark_runner.lowering.drafts import Drafts, PassDraft, Stream
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.operator_parts import Routing
from spark_runner.lowering.own_operators import OwnOperators
from spark_runner.program.program import Inlet, Outlet

__all__ = ["inlet"]


def inlet(operators: OwnOperators, view: JobView, drafts: Drafts, step: int, node: StreamNode, edge_at: int) -> Inlet:
    """The inlet of a node for one of its edges.

    A key that a function computes after a native pass gets a Python pass of its own, upstream of this inlet.
    """
    edge, operator = view.graph.edges[edge_at], view.operator(node)
    stream, position = drafts.stream(edge), max(0, edge.type_number - 1)
    routing = _alike(operators, view, drafts, node, operators.routing(edge, node, stream.columns))
    exchange = view.exchange(step, edge_at)
    wanted = Outlet(
        operation=stream.operation,
        tag=stream.tag,
        key=routing.computed,
        custom=routing.custom,
        reader=(operator.key, node.name, str(operator.location)),
        consumers=exchange.consumers if exchange is not None and routing.custom is not None else 0,
        timestamps=view.event_time.travels(edge.source, node.id),
    )
    if (wanted.key is not None or wanted.custom is not None) and drafts.engine(stream) == "native":
        stream = _after_key_pass(drafts, stream, wanted)
        wanted = replace(wanted, operation=None, tag=None)
    behaviour = operator.behaviour
    return Inlet(
        source=stream.source,
        outlet=drafts.outlet(stream, wanted),
        position=position,
        key=routing.key,
        time=behaviour.time if isinstance(behaviour, Window) else None,
        exchange=exchange,
    )


def _alike(operators: OwnOperators, view: JobView, drafts: Drafts, node: StreamNode, routing: Routing) -> Routing:
    """The routing, with keys as bytes where keys of several forms meet in an operator: equal keys are equal then."""
    if routing.key is None or routing.custom is not None:
        return routing
    forms = set()
    for at in view.edges_into(node):
        edge = view.graph.edges[at]
        columns = drafts.stream(edge).columns
        key = operators.routing(edge, node, columns).key
        if key is not None:
            kinds = dict(declared_fields(columns)) if columns is not None else {}
            found = tuple(_family(kinds.get(name, "")) for name in key.columns)
            forms.add(found or (_family((key.type or "").removeprefix("value ")),))
    if len(forms) <= 1:
        return routing
    return replace(routing, key=replace(routing.key, type=None, as_bytes=True))


def _family(kind: str) -> str:
    """Types whose equal values Spark takes for equal: whole numbers, or one type."""
    return "whole number" if kind.lower() in _WHOLE else kind.lower()


_WHOLE = ("tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long")


def _after_key_pass(drafts: Drafts, stream: Stream, wanted: Outlet) -> Stream:
    """A Python pass after a native one, in its step, that only computes what the exchange needs."""
    plain = replace(wanted, key=None, custom=None, reader=None, consumers=0)
    source, outlet = drafts.passes[stream.source], drafts.outlet(stream, plain)
    arriving = Inlet(source=stream.source, outlet=outlet)
    return stream.after(drafts.add(PassDraft(source.step, "python", source.parallelism, inlets=[arriving])))
