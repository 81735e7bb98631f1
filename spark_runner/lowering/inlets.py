"""What crosses from one pass to another: the key, the partitioner and the event time that travel with the records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator, PythonFunction, Window
from spark_runner.lowering.ddl import declared_fields
from spark_runner.lowering.drafts import Draft, Drafts, Stream
from spark_runner.lowering.job_view import JobView
from spark_runner.program.program import Inlet, Key, Outlet

__all__ = ["inlet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Routing:
    """What chooses a record's subtask: a key, and perhaps a partitioner of the job's own."""

    key: Key | None
    custom: PythonFunction | None = None

    @property
    def computed(self) -> Key | None:
        """The key, where a function of the job computes it or needs it."""
        needs_python = self.key is not None and (self.key.is_hidden or self.custom is not None)
        return self.key if needs_python else None


def inlet(view: JobView, drafts: Drafts, step: int, node: StreamNode, edge_at: int) -> Inlet:
    """The inlet of a node for one of its edges.

    A key that a function computes behind a native pass gets a Python pass of its own, in front of this inlet.
    """
    edge, operator = view.graph.edges[edge_at], view.operator(node)
    stream, position = drafts.stream(edge), max(0, edge.type_number - 1)
    routing = _routing(view, drafts, edge, operator, node, stream.columns)
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
        stream = _behind_key_pass(drafts, stream, wanted)
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


def _routing(
    view: JobView, drafts: Drafts, edge: StreamEdge, operator: Operator, node: StreamNode, columns: str | None
) -> _Routing:
    position = max(0, edge.type_number - 1)
    if edge.partitioner == "CUSTOM" and edge.partition is not None:
        custom = view.functions.partitioner(edge.partition, operator)
        return _Routing(key=view.functions.key_of(edge.partition, operator, columns), custom=custom)
    key = view.functions.key(operator, position, columns)
    if key is None or _alike(view, drafts, operator, node):
        return _Routing(key=key)
    return _Routing(key=replace(key, type=None, as_bytes=True))


def _alike(view: JobView, drafts: Drafts, operator: Operator, node: StreamNode) -> bool:
    """Whether the keys of all inputs that meet in an operator have one form, so that equal keys are equal there."""
    forms = set()
    for at in view.edges_into(node):
        edge = view.graph.edges[at]
        columns = drafts.stream(edge).columns
        key = view.functions.key(operator, max(0, edge.type_number - 1), columns)
        if key is not None:
            kinds = dict(declared_fields(columns)) if columns is not None else {}
            found = tuple(_family(kinds.get(name, "")) for name in key.columns)
            forms.add(found or (_family((key.type or "").removeprefix("value ")),))
    return len(forms) <= 1


def _family(kind: str) -> str:
    """Types whose equal values Spark takes for equal: whole numbers, or one type."""
    return "whole number" if kind.lower() in _WHOLE else kind.lower()


_WHOLE = ("tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long")


def _behind_key_pass(drafts: Drafts, stream: Stream, wanted: Outlet) -> Stream:
    """A Python pass behind a native one, in its step, that only computes what the exchange needs."""
    plain = replace(wanted, key=None, custom=None, reader=None, consumers=0)
    source, outlet = drafts.passes[stream.source], drafts.outlet(stream, plain)
    arriving = Inlet(source=stream.source, outlet=outlet)
    return stream.behind(drafts.add(Draft(source.step, "python", source.parallelism, inlets=[arriving])))
