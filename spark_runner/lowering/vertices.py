"""From a plan to vertices that send each other chunks: what runs where, which layer a vertex is in, what cannot run.

One walk for every stream, for every PyFlink script, and for batches that columns cannot carry. What an operator is when
it runs, the front end says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from planner.errors import UnsupportedOnSpark
from planner.flink.defaults import default_max_parallelism
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Explode, Operator, Select, Where, Writer
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.lowering.job_view import JobView
from spark_runner.lowering.memory import may_remember
from spark_runner.lowering.operator_parts import OperatorPart, OperatorParts, OperatorsOf, not_in_chunks
from spark_runner.program.chunks import ChunkPlan, ChunkSink, ChunkSource, Columns, Flow, Vertex
from spark_runner.program.program import Mode, Operation
from spark_runner.program.roles import ROLES

__all__ = ["lower_to_chunks"]

_SQL = (Where, Select, Explode)


def lower_to_chunks(plan: Plan, mode: Mode, view: JobView, operators: OperatorsOf) -> ChunkPlan:
    """The vertices of a plan. Raises UnsupportedOnSpark for anything that would not run as in Flink."""
    return _Walk(plan, mode, view, operators).lower()


@dataclass(slots=True, kw_only=True)
class _VertexDraft:
    """A vertex under construction."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    max_parallelism: int
    operations: list[Operation] = field(default_factory=list)

    def freeze(self, *, stateful: bool, watermarks: bool) -> Vertex:
        return Vertex(
            number=self.number,
            id=self.id,
            name=self.name,
            layer=self.layer,
            parallelism=self.parallelism,
            max_parallelism=self.max_parallelism,
            operations=tuple(self.operations),
            stateful=stateful,
            watermarks=watermarks,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _StreamRef:
    """The records of one operator, or of one of its side outputs."""

    vertex: int
    operation: int | None
    columns: Columns
    tag: str | None = None
    declared_by: int | None = None
    head: bool = False  # still inside the reader's frame: SQL can run there
    sql: tuple[Operation, ...] = ()  # SQL operators that run upstream of the sinks that read it


class _Walk:
    """One walk over the vertices in order: every stream is known before it is read."""

    def __init__(self, plan: Plan, mode: Mode, view: JobView, operators: OperatorsOf) -> None:
        self.plan, self.view, self.operators = plan, view, operators
        self.streaming = mode == "streaming"
        self.graph, self.job_graph = view.graph, view.job_graph
        self.vertices: list[_VertexDraft] = []
        self.feeders: list[_VertexDraft] = []  # sources whose chain remembers: it runs in a layer of its own
        self.flows: list[Flow] = []
        self.sources: list[ChunkSource] = []
        self.sinks: list[ChunkSink] = []
        self.streams: dict[tuple[int, str | None], _StreamRef] = {}

    def lower(self) -> ChunkPlan:
        for number, vertex in enumerate(self.job_graph.vertices):
            self.vertices.append(self._vertex(number))
            for node in vertex.nodes:
                self._lower_node(number, self.graph.by_id[node])
        wants = self._wants_time()
        return ChunkPlan(
            vertices=tuple(
                draft.freeze(stateful=self._keeps_state(draft, wants), watermarks=draft.number in wants)
                for draft in (*self.vertices, *self.feeders)
            ),
            flows=tuple(self.flows),
            sources=tuple(self.sources),
            sinks=tuple(self.sinks),
            notes=tuple(self._notes()),
            script=self.operators.script,
        )

    def _notes(self) -> Iterator[str]:
        for draft in self.vertices:
            for one in draft.operations:
                if one.keyed and one.operator.uid is None and one.operator.uid_hash is None:
                    yield f"operator {one.operator.key!r} has no uid: its state is found by its place in the job"

    def _vertex(self, number: int) -> _VertexDraft:
        vertex, parallelism = self.job_graph.vertices[number], self.view.parallelism(number)
        groups = vertex.max_parallelism if vertex.max_parallelism > 0 else default_max_parallelism(parallelism)
        feeding = [edge.source for edge in self.job_graph.edges if edge.target == number]
        layer = 1 + max((self.vertices[source].layer for source in feeding), default=-1)
        draft = _VertexDraft(
            number=number,
            id=self._id(self.graph.by_id[vertex.head]),
            name=vertex.name,
            layer=layer,
            parallelism=parallelism,
            max_parallelism=groups,
        )
        if layer == 0 and self.streaming and not self.operators.script and self._chain_remembers(vertex.nodes):
            at = len(self.job_graph.vertices) + len(self.feeders)
            self.feeders.append(replace(draft, number=at, id=f"{draft.id}-feed", operations=[]))
            draft.layer = 1
        return draft

    def _chain_remembers(self, nodes: tuple[int, ...]) -> bool:
        """Whether a function chained to a source may remember something from record to record."""
        chained = [self.operators.operator(self.graph.by_id[node]) for node in nodes]
        return any(
            may_remember(getattr(operator.behaviour, "target", None))
            for operator in chained
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
        """Vertices that look at event time, and those upstream of them.

        Any function of a script may look at it; in a batch the end of time is also the end of the input.
        """
        if self.operators.script or not self.streaming:
            return frozenset(draft.number for draft in self.vertices)
        wants: set[int] = set()
        for draft in (*reversed(self.vertices), *self.feeders):
            readers = {flow.target for flow in self.flows if flow.source == draft.number}
            if readers & wants or any(ROLES[one.role].reads_time for one in draft.operations):
                wants.add(draft.number)
        return frozenset(wants)

    def _keeps_state(self, draft: _VertexDraft, wants_time: frozenset[int]) -> bool:
        if draft.layer == 0 or not self.streaming:
            return False
        return draft.number in wants_time or any(
            ROLES[one.role].state != "none" or _remembers(one) for one in draft.operations
        )

    # --- one operator

    def _lower_node(self, number: int, node: StreamNode) -> None:
        if node.after_writer:
            return
        operator, edges = self.operators.operator(node), self._edges(node)
        if operator.kind == "source":
            self._source(number, node)
            return
        columns = all(self._stream(edge).columns is not None for edge in edges)
        if operator.kind in ("sink", "print") and self._sink(number, node, edges, columns=columns):
            return
        parts = self.operators.parts(node, edges, columns=columns)
        if not parts:
            self._sql(number, node, operator, edges)
        else:
            at = self._add_all(number, node, parts, self._arriving(number, node, operator, edges))
            self._publish(number, node, at, edges)

    def _edges(self, node: StreamNode) -> tuple[StreamEdge, ...]:
        return tuple(self.graph.edges[at] for at in self.graph.in_edges.get(node.id, ()))

    def _inside(self, number: int, edges: tuple[StreamEdge, ...]) -> bool:
        """Whether a node's only edge stays in its vertex."""
        return len(edges) == 1 and self.view.step(edges[0].source) == number

    def _refused(self, operator: Operator, what: str, hint: str) -> UnsupportedOnSpark:
        return UnsupportedOnSpark(
            f"operator {operator.key!r} {what}, which {not_in_chunks(not self.streaming)}",
            location=operator.location,
            hint=hint,
        )

    def _stream(self, edge: StreamEdge) -> _StreamRef:
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

    def _source(self, number: int, node: StreamNode) -> None:
        end = self.operators.source(node)
        feeder = self.feeders[-1].number if self.vertices[number].layer else None
        source = ChunkSource(
            number=len(self.sources),
            vertex=number,
            operation=Operation(node=node.id, name=node.name, operator=end.operator, parent=None),
            parallelism=self.vertices[number].parallelism,
            bounded=data_ends(end.operator),
            feeder=feeder,
            records=end.records,
            paths=end.paths,
        )
        self.sources.append(source)
        columns: Columns = source.number if end.read else end.columns
        stream = _StreamRef(vertex=number, operation=None, columns=columns, head=end.read)
        stamping = end.stamping
        if feeder is not None:
            # partitions are known only where records come in
            stamped_there = stamping if source.is_kafka else None
            self._feed(feeder, number, node, columns, stamped_there)
            if stamped_there is not None:
                stream, stamping = replace(stream, head=False), None
        if end.parts:
            at = self._add_all(number, node, end.parts, stream)
            stream = replace(stream, operation=at, head=False)
        self.streams[node.id, None] = stream
        if stamping is not None:
            self._stamp(node, stamping, None)

    def _feed(
        self,
        feeder: int,
        number: int,
        node: StreamNode,
        columns: Columns,
        stamping: tuple[Operator, OperatorPart, str] | None,
    ) -> None:
        """From a source to its own chain, subtask by subtask."""
        count = self.vertices[number].parallelism
        at = None
        if stamping is not None:
            entering = _StreamRef(vertex=feeder, operation=None, columns=columns)
            at = self._add_all(feeder, node, [stamping], entering)
        self.flows.append(
            Flow(
                number=len(self.flows), source=feeder, operation=at, tag=None, target=number, columns=columns,
                producers=count, consumers=count, ranges=tuple(consumed_ranges("POINTWISE", count, count)),
                reader=_reader(node),
            )
        )  # fmt: skip

    def _stamp(self, node: StreamNode, stamping: tuple[Operator, OperatorPart, str], tag: str | None) -> None:
        """An event-time strategy without an operator of its own: it runs upstream of whatever reads the stream."""
        stream = self.streams[node.id, tag]
        at = self._add_all(stream.vertex, node, [stamping], stream)
        self.streams[node.id, tag] = replace(stream, operation=at, tag=None, declared_by=None, head=False)

    # --- SQL

    def _sql(self, number: int, node: StreamNode, operator: Operator, edges: tuple[StreamEdge, ...]) -> None:
        made = Operation(node=node.id, name=node.name, operator=operator, parent=None)
        stream = self._stream(edges[0])
        if self._inside(number, edges) and stream.head and self._only_reader(edges[0].source):
            at = next(n for n, source in enumerate(self.sources) if source.vertex == number)
            self.sources[at] = replace(self.sources[at], sql=(*self.sources[at].sql, made))
            self.streams[node.id, None] = stream
        elif self._inside(number, edges) and self._ends_in_sinks(node.id):
            columns = operator.output or (stream.columns if isinstance(operator.behaviour, Where) else "")
            self.streams[node.id, None] = replace(stream, sql=(*stream.sql, made), columns=columns, head=False)
        else:
            raise self._refused(
                operator,
                "is SQL between Python operators or exchanges",
                "make it a Python function, or put it right after a reader or right before a sink",
            )

    def _only_reader(self, node: int) -> bool:
        return len(self.graph.out_edges.get(node, ())) == 1

    def _ends_in_sinks(self, node: int) -> bool:
        """Whether everything downstream of a node, within its vertex, is SQL or a sink that Spark writes."""
        open_nodes = [node]
        while open_nodes:
            current = open_nodes.pop()
            for edge in self.graph.out_edges.get(current, ()):
                target = self.graph.edges[edge].target
                operator = self.graph.by_id[target].operator
                native = operator.kind == "print" or isinstance(operator.behaviour, (*_SQL, Writer))
                if self.view.step(target) != self.view.step(node) or not native:
                    return False
                open_nodes.append(target)
        return True

    # --- Python

    def _add_all(self, number: int, node: StreamNode, parts: OperatorParts, stream: _StreamRef) -> int:
        """Put an operator's parts after a stream, one after the other; the number of the last."""
        operations = next(one.operations for one in (*self.vertices, *self.feeders) if one.number == number)
        parent, tag = stream.operation, stream.tag
        merged = self.operators.script
        for operator, part, suffix in parts:
            operations.append(
                Operation(
                    node=node.id,
                    name=node.name,
                    operator=_unmerged(node.operator, operator) if merged else operator,
                    parent=parent,
                    tag=tag,
                    role=part.role,
                    keyed=part.keyed,
                    output=operator.output,
                    sides=() if merged else self._sides(operator),
                    function=part.function,
                    options=part.options,
                    id=self._id(node) + suffix,
                    part=(operator.key, operator.name or node.name) if merged else None,
                    idle=part.idle,
                    inlined=part.inlined,
                )
            )
            parent, tag = len(operations) - 1, None
        assert parent is not None
        return parent

    def _sides(self, operator: Operator) -> tuple[tuple[str, str], ...]:
        return tuple((side.tag, side.output) for side in self.view.side_outputs(operator) if side.output is not None)

    def _arriving(self, number: int, node: StreamNode, operator: Operator, edges: tuple[StreamEdge, ...]) -> _StreamRef:
        """What an operator reads: the stream it is chained to, or what its vertex takes from others."""
        if self._inside(number, edges):
            return self._without_sql(operator, self._stream(edges[0]))
        for edge in edges:
            self._enter(number, node, operator, edge)
        return _StreamRef(vertex=number, operation=None, columns=self._stream(edges[0]).columns)

    def _without_sql(self, operator: Operator, stream: _StreamRef) -> _StreamRef:
        if stream.sql:
            raise self._refused(operator, "is downstream of SQL that runs next to sinks", "put SQL operators last")
        return stream

    def _enter(self, number: int, node: StreamNode, operator: Operator, edge: StreamEdge) -> None:
        stamping = self.operators.stamped_at(node)
        if stamping is not None:  # the records get their time, and watermarks, where they come from
            self._stamp(self.graph.by_id[edge.source], stamping, edge.side_output)
        stream = self._without_sql(operator, self._stream(edge))
        source, target = self.vertices[stream.vertex], self.vertices[number]
        routing = self.operators.routing(edge, node, stream.columns if isinstance(stream.columns, str) else None)
        pointwise = edge.partitioner in ("RESCALE", "FORWARD")
        ranges = consumed_ranges("POINTWISE", source.parallelism, target.parallelism) if pointwise else ()
        self.flows.append(
            Flow(
                number=len(self.flows), source=source.number, operation=stream.operation, tag=stream.tag,
                target=number, columns=stream.columns, declared_by=stream.declared_by,
                position=max(0, edge.type_number - 1), strategy=edge.partitioner, producers=source.parallelism,
                consumers=target.parallelism, ranges=tuple(ranges), max_parallelism=target.max_parallelism,
                key=routing.key, pairs=routing.pairs, custom=routing.custom, reader=_reader(node),
            )
        )  # fmt: skip

    def _publish(self, number: int, node: StreamNode, at: int, edges: tuple[StreamEdge, ...]) -> None:
        declared, keeps = self.operators.outputs(node)
        first = self._stream(edges[0])
        stream = _StreamRef(vertex=number, operation=at, columns=declared, declared_by=at)
        if keeps and declared is None:
            declared_by = first.declared_by if first.vertex == number else None
            stream = replace(stream, columns=first.columns, declared_by=declared_by)
        self.streams[node.id, None] = stream
        for side in self.view.side_outputs(node.operator):
            columns = None if self.operators.script else side.output
            self.streams[node.id, side.tag] = replace(stream, tag=side.tag, columns=columns, declared_by=at)

    # --- sinks

    def _sink(self, number: int, node: StreamNode, edges: tuple[StreamEdge, ...], *, columns: bool) -> bool:
        """A sink that Spark or the driver feeds; False where a function takes the records."""
        end = self.operators.sink(node, edges, columns=columns)
        if end is None:
            return False
        inside = self._inside(number, edges)
        stream = self._stream(edges[0]) if inside else self._arriving(number, node, end.operator, edges)
        if end.parts:
            at = self._add_all(number, node, end.parts, stream)
            stream = replace(stream, operation=at, tag=None, columns=end.columns, declared_by=at)
        sink = ChunkSink(
            number=len(self.sinks), kind=end.kind, vertex=number, node=node.id, name=node.name,
            operator=end.operator, parallelism=self.vertices[number].parallelism,
        )  # fmt: skip
        self.sinks.append(sink)
        self.flows.append(
            Flow(
                number=len(self.flows), source=number, operation=stream.operation, tag=stream.tag,
                target=-1 - sink.number, columns=self._written_columns(stream), declared_by=stream.declared_by,
                producers=sink.parallelism, consumers=sink.parallelism, sql=stream.sql, reader=_reader(node),
            )
        )  # fmt: skip
        return True

    def _written_columns(self, stream: _StreamRef) -> Columns:
        """The columns of what leaves the vertex, upstream of the SQL that follows it."""
        if not stream.sql:
            return stream.columns
        return self._stream(self.graph.edges[self.graph.in_edges[stream.sql[0].node][0]]).columns


def _reader(node: StreamNode) -> tuple[str, str, str]:
    """Who reads a stream: key, name, place."""
    return node.operator.key, node.name, str(node.operator.location)


def _unmerged(whole: Operator, part: Operator) -> Operator:
    """A part of a merged operator by the name that the merged one has in figures."""
    return replace(part, key=whole.key, uid=whole.uid, uid_hash=whole.uid_hash)


def _remembers(one: Operation) -> bool:
    """Whether an operator's function may remember things in its attributes."""
    return one.role != "sink" and may_remember(getattr(one.operator.behaviour, "target", None))
