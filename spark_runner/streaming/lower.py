"""From a plan to a streaming job: what runs where, which layer a vertex is in, and what cannot run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from planner.errors import InternalError, UnsupportedOnSpark
from planner.flink.defaults import default_max_parallelism
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import (
    Aggregate,
    Collection,
    Explode,
    Join,
    Operator,
    Select,
    Sequence,
    SideOutput,
    Watermarks,
    Where,
    Window,
    Writer,
)
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.lowering.job_functions import JobFunctions
from spark_runner.lowering.operators import LOWERINGS, Setting
from spark_runner.lowering.operators.sinks import PRINTING_FORMATS
from spark_runner.program.program import Operation
from spark_runner.streaming.drafts import StreamRef, VertexDraft
from spark_runner.streaming.memory import may_remember
from spark_runner.streaming.program import Columns, Flow, StreamJob, StreamOperation, StreamSink, StreamSource

__all__ = ["lower_stream"]

_KEEPS_COLUMNS = frozenset({"filter", "watermarks", "sum", "min", "max", "reduce"})
_READS_TIME = frozenset(
    {"window", "triggered_window", "keyed_process", "keyed_co_process", "broadcast_process", "keyed_broadcast_process"}
)
_KEEPS_STATE = _READS_TIME | {"reduce", "keyed_map", "keyed_flat_map", "keyed_filter", "watermarks"}
_SQL = (Where, Select, Explode)


def lower_stream(plan: Plan) -> StreamJob:
    """The streaming job of a plan. Raises UnsupportedOnSpark for anything that would not run as in Flink."""
    if plan.job_graph is None:
        raise InternalError("a plan without its job graph cannot be lowered")
    return _StreamLowerer(plan).lower()


class _StreamLowerer:
    """One walk over the vertices in order: every stream is known before it is read."""

    def __init__(self, plan: Plan) -> None:
        assert plan.job_graph is not None
        self.plan, self.job, self.graph, self.job_graph = plan, plan.job, plan.stream_graph, plan.job_graph
        self.functions = JobFunctions(self.job)
        self.operators = {op.id: self.functions.operator(op) for op in self.job.operators}
        self.vertex_of = {n: at for at, vertex in enumerate(self.job_graph.vertices) for n in vertex.nodes}
        self.vertices: list[VertexDraft] = []
        self.feeders: list[VertexDraft] = []  # sources whose chain remembers: it runs in a layer of its own
        self.flows: list[Flow] = []
        self.sources: list[StreamSource] = []
        self.sinks: list[StreamSink] = []
        self.streams: dict[tuple[int, str | None], StreamRef] = {}
        self.side_outputs: dict[int, list[SideOutput]] = {}
        for side in self.job.transformations:
            if isinstance(side, SideOutput):
                self.side_outputs.setdefault(side.input, []).append(side)

    def lower(self) -> StreamJob:
        for number, vertex in enumerate(self.job_graph.vertices):
            if vertex.chained_sources:
                LOWERINGS["multi_input"](self._setting(self.graph.by_id[vertex.head], ()))
            self.vertices.append(self._vertex(number))
            for node in vertex.nodes:
                self._lower_node(number, self.graph.by_id[node])
        wants = self._wants_time()
        vertices = tuple(
            draft.freeze(stateful=self._keeps_state(draft, draft.number in wants), watermarks=draft.number in wants)
            for draft in (*self.vertices, *self.feeders)
        )
        return StreamJob(
            vertices=vertices,
            flows=tuple(self.flows),
            sources=tuple(self.sources),
            sinks=tuple(self.sinks),
            notes=tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        for draft in self.vertices:
            for one in draft.operations:
                operator = one.operation.operator
                if one.operation.keyed and operator.uid is None and operator.uid_hash is None:
                    yield f"operator {operator.key!r} has no uid: its state is found by its place in the job"

    def _vertex(self, number: int) -> VertexDraft:
        vertex = self.job_graph.vertices[number]
        parallelism = vertex.parallelism if vertex.parallelism > 0 else self.graph.by_id[vertex.head].parallelism
        groups = vertex.max_parallelism if vertex.max_parallelism > 0 else default_max_parallelism(parallelism)
        feeding = [edge.source for edge in self.job_graph.edges if edge.target == number]
        layer = 1 + max((self.vertices[source].layer for source in feeding), default=-1)
        draft = VertexDraft(
            number=number,
            id=self._id(self.graph.by_id[vertex.head]),
            name=vertex.name,
            layer=layer,
            parallelism=parallelism,
            max_parallelism=groups,
        )
        if layer == 0 and self._chain_remembers(vertex.nodes):
            at = len(self.job_graph.vertices) + len(self.feeders)
            self.feeders.append(replace(draft, number=at, id=f"{draft.id}-feed", operations=[]))
            draft.layer = 1
        return draft

    def _chain_remembers(self, nodes: tuple[int, ...]) -> bool:
        """Whether a function behind a source, in its own chain, may remember something from record to record."""
        behind = [self.operators[self.graph.by_id[node].operator.id] for node in nodes]
        return any(
            may_remember(getattr(operator.behaviour, "target", None))
            for operator in behind
            if operator.kind not in ("source", "sink", "print")
        )

    def _id(self, node: StreamNode) -> str:
        """What state is found by: Flink's id where the job gives one, else the operator's place in the job.

        An id that Flink generates changes with every operator near it, stateless ones too.
        """
        given = node.operator.uid is not None or node.operator.uid_hash is not None
        return self.plan.operator_ids[node.id] if given else f"{node.operator.key}@{node.role}"

    # --- event time and state

    def _wants_time(self) -> frozenset[int]:
        """Vertices that look at event time, and those in front of them."""
        wants: set[int] = set()
        for draft in (*reversed(self.vertices), *self.feeders):
            behind = {flow.target for flow in self.flows if flow.source == draft.number}
            if behind & wants or any(one.role in _READS_TIME for one in draft.operations):
                wants.add(draft.number)
        return frozenset(wants)

    @staticmethod
    def _keeps_state(draft: VertexDraft, wants_time: bool) -> bool:
        if draft.layer == 0:
            return False
        return wants_time or any(one.role in _KEEPS_STATE or _remembers(one) for one in draft.operations)

    # --- one operator

    def _lower_node(self, number: int, node: StreamNode) -> None:
        if node.role == "committer":
            return
        operator = self.operators[node.operator.id]
        edges = tuple(self.graph.in_edges.get(node.id, ()))
        lowered = LOWERINGS[operator.kind](self._setting(node, edges))
        if operator.kind == "source":
            self._source(number, node, operator)
        elif operator.kind == "print" or isinstance(operator.behaviour, Writer):
            self._sink(number, node, operator, edges)
        elif isinstance(operator.behaviour, _SQL):
            self._sql(number, node, operator, edges)
        elif isinstance(operator.behaviour, Join):
            raise self._refused(operator, "is a SQL join", "write it as a keyed co_process with state")
        else:
            self._python(number, node, operator, edges, self._role(operator, lowered.role))

    def _role(self, operator: Operator, lowered: str) -> str:
        behaviour = operator.behaviour
        if isinstance(behaviour, Aggregate):
            return "reduce"
        if isinstance(behaviour, Window) and not behaviour.is_plain:
            return "triggered_window"
        if operator.kind == "co_process" and hasattr(getattr(behaviour, "target", None), "process_broadcast_element"):
            keyed = self.functions.key(operator, 0) is not None
            return "keyed_broadcast_process" if keyed else "broadcast_process"
        return lowered or "watermarks"

    def _refused(self, operator: Operator, what: str, hint: str) -> UnsupportedOnSpark:
        return UnsupportedOnSpark(
            f"operator {operator.key!r} {what}, which does not run in a stream", location=operator.location, hint=hint
        )

    def _setting(self, node: StreamNode, edges: tuple[int, ...]) -> Setting:
        return Setting(
            operator=self.operators[node.operator.id],
            keyed=self.job.is_keyed(node.operator),
            pickled=any(self._stream(self.graph.edges[e]).columns is None for e in edges),
            before=None,
            python_follows=True,
            streaming=True,
        )

    def _stream(self, edge: StreamEdge) -> StreamRef:
        stream = self.streams.get((edge.source, edge.side_output))
        if stream is None:
            operator = self.graph.by_id[edge.source].operator
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} has no side output {edge.side_output!r}",
                location=operator.location,
                hint="side outputs come from process functions, and from windows with side_output_late_data",
            )
        return stream

    # --- sources

    def _source(self, number: int, node: StreamNode, operator: Operator) -> None:
        fed = isinstance(operator.behaviour, Collection | Sequence)
        feeder = self.feeders[-1].number if self.vertices[number].layer else None
        source = StreamSource(
            number=len(self.sources),
            vertex=number,
            operation=Operation(node=node.id, name=node.name, operator=operator, parent=None),
            parallelism=self.vertices[number].parallelism,
            bounded=data_ends(operator),
            feeder=feeder,
        )
        self.sources.append(source)
        columns = operator.output if fed else source.number
        stamping = self._source_stamping(operator)
        stream = StreamRef(vertex=number, operation=None, columns=columns, head=not fed)
        if feeder is not None:
            # partitions are known only where records come in
            stamped_there = stamping if source.is_kafka else None
            self._feed(feeder, number, operator, node, columns, stamped_there)
            if stamped_there is not None:
                stream, stamping = replace(stream, head=False), None
        self.streams[node.id, None] = stream
        if stamping is not None:
            self._stamp(number, node, stamping, None)

    def _source_stamping(self, operator: Operator) -> Operator | None:
        """A source's own event-time strategy as an operator."""
        strategy = operator.watermarks
        if strategy is None:
            return None
        if strategy.assigner is not None:
            strategy = replace(strategy, assigner=self.functions.loaded(strategy.assigner, operator))
        return replace(operator, kind="watermarks", behaviour=strategy, watermarks=None)

    def _feed(
        self, feeder: int, number: int, operator: Operator, node: StreamNode, columns: Columns,
        stamping: Operator | None,
    ) -> None:  # fmt: skip
        """From a source to its own chain, subtask by subtask."""
        count = self.vertices[number].parallelism
        at = None
        if stamping is not None:
            entering = StreamRef(vertex=feeder, operation=None, columns=columns)
            at = self._add(feeder, node, stamping, "watermarks", entering, suffix="-time")
        self.flows.append(
            Flow(
                number=len(self.flows), source=feeder, operation=at, tag=None, target=number, columns=columns,
                producers=count, consumers=count, ranges=tuple(consumed_ranges("POINTWISE", count, count)),
                reader=(operator.key, node.name, str(operator.location)),
            )
        )  # fmt: skip

    def _stamp(self, number: int, node: StreamNode, operator: Operator, tag: str | None) -> None:
        """An event-time strategy without an operator of its own: it runs in front of whatever reads the stream."""
        stream = self.streams[node.id, tag]
        at = self._add(stream.vertex, node, operator, "watermarks", stream, suffix="-time")
        self.streams[node.id, tag] = replace(stream, operation=at, tag=None, declared_by=None, head=False)

    # --- SQL

    def _sql(self, number: int, node: StreamNode, operator: Operator, edges: tuple[int, ...]) -> None:
        made = Operation(node=node.id, name=node.name, operator=operator, parent=None)
        edge = self.graph.edges[edges[0]]
        stream = self._stream(edge)
        if len(edges) == 1 and stream.vertex == number and stream.head and self._only_reader(edge.source):
            at = next(n for n, source in enumerate(self.sources) if source.vertex == number)
            self.sources[at] = replace(self.sources[at], sql=(*self.sources[at].sql, made))
            self.streams[node.id, None] = stream
        elif len(edges) == 1 and stream.vertex == number and self._ends_in_sinks(node.id):
            columns = operator.output or (stream.columns if isinstance(operator.behaviour, Where) else "")
            self.streams[node.id, None] = replace(stream, sql=(*stream.sql, made), columns=columns, head=False)
        else:
            raise self._refused(
                operator,
                "is SQL between Python operators or exchanges",
                "make it a Python function, or put it right behind a reader or right in front of a sink",
            )

    def _only_reader(self, node: int) -> bool:
        return len(self.graph.out_edges.get(node, ())) == 1

    def _ends_in_sinks(self, node: int) -> bool:
        """Whether everything behind a node, within its vertex, is SQL or a sink that Spark writes."""
        open_nodes = [node]
        while open_nodes:
            current = open_nodes.pop()
            for edge in self.graph.out_edges.get(current, ()):
                target = self.graph.edges[edge].target
                operator = self.graph.by_id[target].operator
                native = operator.kind == "print" or isinstance(operator.behaviour, (*_SQL, Writer))
                if self.vertex_of.get(target) != self.vertex_of[node] or not native:
                    return False
                open_nodes.append(target)
        return True

    # --- Python

    def _python(self, number: int, node: StreamNode, operator: Operator, edges: tuple[int, ...], role: str) -> None:
        stream = self._arriving(number, node, operator, edges)
        at = self._add(number, node, operator, role, stream)
        self._publish(number, node, operator, at, edges)

    def _add(
        self, number: int, node: StreamNode, operator: Operator, role: str, stream: StreamRef, suffix: str = ""
    ) -> int:
        operations = next(one.operations for one in (*self.vertices, *self.feeders) if one.number == number)
        operation = Operation(
            node=node.id,
            name=node.name,
            operator=operator,
            parent=stream.operation,
            tag=stream.tag,
            role=role,
            keyed=role.startswith("keyed_") or role in ("reduce", "window", "triggered_window"),
            output=operator.output,
            sides=tuple((s.tag, s.output) for s in self.side_outputs.get(operator.id, ()) if s.output is not None),
        )
        operations.append(StreamOperation(operation=operation, id=self._id(node) + suffix))
        return len(operations) - 1

    def _arriving(self, number: int, node: StreamNode, operator: Operator, edges: tuple[int, ...]) -> StreamRef:
        """What an operator reads: the stream it is chained to, or what its vertex takes from others."""
        if len(edges) == 1 and self.vertex_of[self.graph.edges[edges[0]].source] == number:
            stream = self._stream(self.graph.edges[edges[0]])
            if stream.sql:
                raise self._refused(operator, "is behind SQL that runs in front of sinks", "put SQL operators last")
            return stream
        for edge in edges:
            self._enter(number, node, operator, edge)
        first = self._stream(self.graph.edges[edges[0]])
        return StreamRef(vertex=number, operation=None, columns=first.columns)

    def _enter(self, number: int, node: StreamNode, operator: Operator, edge_at: int) -> None:
        edge = self.graph.edges[edge_at]
        behaviour = operator.behaviour
        if isinstance(behaviour, Window) and behaviour.time is not None:
            self._stamp_for(edge, operator, behaviour)
        stream = self._stream(edge)
        if stream.sql:
            raise self._refused(operator, "is behind SQL that runs in front of sinks", "put SQL operators last")
        source, target = self.vertices[stream.vertex], self.vertices[number]
        position = max(0, edge.type_number - 1)
        columns = stream.columns if isinstance(stream.columns, str) else None
        key = self.functions.key(operator, position, columns)
        custom = None
        if edge.partitioner == "CUSTOM" and edge.partition is not None:
            custom = self.functions.partitioner(edge.partition, operator)
            key = self.functions.key_of(edge.partition, operator, columns)
        pointwise = edge.partitioner in ("RESCALE", "FORWARD")
        ranges = consumed_ranges("POINTWISE", source.parallelism, target.parallelism) if pointwise else ()
        self.flows.append(
            Flow(
                number=len(self.flows), source=source.number, operation=stream.operation, tag=stream.tag,
                target=number, columns=stream.columns, declared_by=stream.declared_by, position=position,
                strategy=edge.partitioner, producers=source.parallelism, consumers=target.parallelism,
                ranges=tuple(ranges), max_parallelism=target.max_parallelism, key=key, custom=custom,
                reader=(operator.key, node.name, str(operator.location)),
            )
        )  # fmt: skip

    def _stamp_for(self, edge: StreamEdge, operator: Operator, window: Window) -> None:
        """A window that names its time column: the records get their time, and watermarks, where they come from."""
        strategy = Watermarks(time=window.time, out_of_orderness=window.watermark)
        stamping = replace(operator, kind="watermarks", behaviour=strategy, watermarks=None, output=None)
        self._stamp(self.vertex_of[edge.source], self.graph.by_id[edge.source], stamping, edge.side_output)

    def _publish(self, number: int, node: StreamNode, operator: Operator, at: int, edges: tuple[int, ...]) -> None:
        reduces = isinstance(operator.behaviour, Window) and operator.behaviour.form == "reduce"
        keeps = operator.kind in _KEEPS_COLUMNS or reduces
        first = self._stream(self.graph.edges[edges[0]])
        if keeps and operator.output is None:
            declared_by = first.declared_by if first.vertex == number else None
            stream = StreamRef(vertex=number, operation=at, columns=first.columns, declared_by=declared_by)
        else:
            stream = StreamRef(vertex=number, operation=at, columns=operator.output, declared_by=at)
        self.streams[node.id, None] = stream
        for side in self.side_outputs.get(operator.id, ()):
            self.streams[node.id, side.tag] = StreamRef(
                vertex=number, operation=at, tag=side.tag, columns=side.output, declared_by=at
            )

    # --- sinks

    def _sink(self, number: int, node: StreamNode, operator: Operator, edges: tuple[int, ...]) -> None:
        behaviour = operator.behaviour
        prints = not isinstance(behaviour, Writer) or behaviour.format.lower() in PRINTING_FORMATS
        inside = len(edges) == 1 and self.vertex_of[self.graph.edges[edges[0]].source] == number
        stream = self._stream(self.graph.edges[edges[0]]) if inside else self._arriving(number, node, operator, edges)
        sink = StreamSink(
            number=len(self.sinks), kind="print" if prints else "write", vertex=number, node=node.id, name=node.name,
            operator=operator, parallelism=self.vertices[number].parallelism,
        )  # fmt: skip
        self.sinks.append(sink)
        self.flows.append(
            Flow(
                number=len(self.flows), source=number, operation=stream.operation, tag=stream.tag,
                target=-1 - sink.number, columns=self._written_columns(stream), declared_by=stream.declared_by,
                producers=sink.parallelism, consumers=sink.parallelism, sql=stream.sql,
                reader=(operator.key, node.name, str(operator.location)),
            )
        )  # fmt: skip

    def _written_columns(self, stream: StreamRef) -> Any:
        """The columns of what leaves the vertex, in front of the SQL that runs behind it."""
        return self.streams_before_sql(stream) if stream.sql else stream.columns

    def streams_before_sql(self, stream: StreamRef) -> Any:
        """The columns that the first of a stream's SQL operators reads."""
        first = stream.sql[0].node
        return self._stream(self.graph.edges[self.graph.in_edges[first][0]]).columns


def _remembers(one: StreamOperation) -> bool:
    """Whether an operator's function may remember things in its attributes."""
    return one.role != "sink" and may_remember(getattr(one.operation.operator.behaviour, "target", None))
