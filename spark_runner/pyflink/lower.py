"""From the plan of a PyFlink job to what Spark runs: merged operators as their parts, helpers with their meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from planner.errors import InternalError
from planner.flink.defaults import default_max_parallelism
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator, Partition, PythonRun, SideOutput
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.executor.streaming.layout import EdgeSpec, InputSpec, Layout, OperatorSpec, VertexSpec
from spark_runner.program.pointwise import consumers_of_producers, producers_of_consumers
from spark_runner.program.program import SparkProgram, Step
from spark_runner.pyflink.ends import sink_of, source_of
from spark_runner.pyflink.forms import form_of
from spark_runner.pyflink.parts import given_form, part_of, refused
from spark_runner.pyflink.program import BoundedJob, BoundedSink, BoundedSource, Counted
from spark_runner.pyflink.unbounded import refuse_python_stream

__all__ = ["lower_pyflink"]


def lower_pyflink(plan: Plan) -> SparkProgram:
    """The Spark program of a PyFlink job. Raises UnsupportedOnSpark for what would not run as in PyFlink."""
    if not all(data_ends(operator) for operator in plan.job.operators if operator.kind == "source"):
        refuse_python_stream(plan)
    if plan.job_graph is None:
        raise InternalError("a plan without its job graph cannot be lowered")
    job = _Lowerer(plan).lower()
    steps = tuple(
        Step(
            vertex=at,
            id=vertex.id,
            name=vertex.name,
            parallelism=job.layout.vertices[at].parallelism,
            passes=(),
            nodes=vertex.nodes,
        )
        for at, vertex in enumerate(plan.job_graph.vertices)
    )
    return SparkProgram(
        name=plan.stream_graph.name,
        mode="batch",
        file=plan.job.location.file,
        steps=steps,
        passes=(),
        sinks=(),
        bounded=job,
    )


@dataclass(slots=True, kw_only=True)
class _Vertex:
    """A vertex under construction."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    groups: int
    first_producer: int
    operators: list[OperatorSpec] = field(default_factory=list)
    inputs: list[InputSpec] = field(default_factory=list)
    edges: list[EdgeSpec] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)

    def freeze(self) -> VertexSpec:
        return VertexSpec(
            number=self.number,
            id=self.id,
            name=self.name,
            layer=self.layer,
            parallelism=self.parallelism,
            first_producer=self.first_producer,
            operators=tuple(self.operators),
            inputs=tuple(self.inputs),
            edges=tuple(self.edges),
            watermarks=True,
        )


class _Lowerer:
    """One walk over the vertices in order: every stream is known before it is read."""

    def __init__(self, plan: Plan) -> None:
        assert plan.job_graph is not None
        self.job, self.graph, self.job_graph = plan.job, plan.stream_graph, plan.job_graph
        self.vertex_of = {node: at for at, one in enumerate(self.job_graph.vertices) for node in one.nodes}
        # automatic is batch here: every source of a bounded run ends
        self.batch = plan.job.runtime_mode != "streaming"
        self.vertices: list[_Vertex] = []
        self.sources: list[BoundedSource] = []
        self.sinks: list[BoundedSink] = []
        self.last: dict[int, int] = {}  # by node: the position of its last part in its vertex
        self.edges = 0

    def lower(self) -> BoundedJob:
        for number, vertex in enumerate(self.job_graph.vertices):
            self.vertices.append(self._vertex(number))
            for node in vertex.nodes:
                self._node(self.vertices[number], self.graph.by_id[node])
        return BoundedJob(
            layout=Layout(vertices=tuple(one.freeze() for one in self.vertices), sources=(), sinks=()),
            sources=tuple(self.sources),
            sinks=tuple(self.sinks),
            counted={one.number: tuple(one.counted) for one in self.vertices},
        )

    def _vertex(self, number: int) -> _Vertex:
        vertex = self.job_graph.vertices[number]
        parallelism = vertex.parallelism if vertex.parallelism > 0 else self.graph.by_id[vertex.head].parallelism
        groups = vertex.max_parallelism if vertex.max_parallelism > 0 else default_max_parallelism(parallelism)
        feeding = [edge.source for edge in self.job_graph.edges if edge.target == number]
        before = self.vertices[-1] if self.vertices else None
        return _Vertex(
            number=number,
            id=vertex.id,
            name=vertex.name,
            layer=1 + max((self.vertices[source].layer for source in feeding), default=-1),
            parallelism=parallelism,
            groups=groups,
            first_producer=before.first_producer + before.parallelism if before is not None else 0,
        )

    # --- one node

    def _node(self, vertex: _Vertex, node: StreamNode) -> None:
        operator = node.operator
        if node.role == "committer":
            vertex.counted.append(
                Counted(node=node.id, key=f"{operator.key}.committer", name=node.name, first=-1, last=-1)
            )
            return
        edges = tuple(self.graph.edges[at] for at in self.graph.in_edges.get(node.id, ()))
        first = len(vertex.operators)
        if operator.kind == "source":
            self.sources.append(source_of(operator, vertex.number))
            self._add(vertex, node, operator, None, None, "pass", {"form": given_form(operator)})
        elif operator.kind in ("print", "sink"):
            self._sink(vertex, node, edges)
        else:
            self._parts(vertex, node, edges)
        self.last[node.id] = len(vertex.operators) - 1
        vertex.counted.append(
            Counted(
                node=node.id, key=operator.key, name=node.name, first=first, last=self.last[node.id],
                source=operator.kind == "source", sink=operator.kind in ("print", "sink"),
            )
        )  # fmt: skip

    def _parts(self, vertex: _Vertex, node: StreamNode, edges: tuple[StreamEdge, ...]) -> None:
        operator = node.operator
        keyed = self.job.is_keyed(operator)
        self._refuse_half_keyed(operator, edges, keyed)
        parent, tag = self._arriving(vertex, node, edges)
        parts = operator.merged or (operator,)
        for at, one in enumerate(parts):
            made = part_of(one, keyed=keyed and at == 0, batch=self.batch, selector=self._partition_key(operator))
            options = dict(made.options)
            if at == len(parts) - 1:
                options["tags"] = self._tags(operator)
                if operator.python is not None:
                    options["form"] = given_form(one)
            parent = self._add(vertex, node, one, parent, tag, made.role, options, made.function, made.keyed)
            tag = None

    def _refuse_half_keyed(self, operator: Operator, edges: tuple[StreamEdge, ...], keyed: bool) -> None:
        two = operator.kind in ("co_map", "co_flat_map", "co_process")
        if two and not keyed and any(edge.partitioner == "HASH" for edge in edges):
            raise refused(
                operator, "reads one keyed stream and one that is not, which does not run on Spark",
                "key both: connect(a, b).key_by(...)",
            )  # fmt: skip

    def _add(
        self, vertex: _Vertex, node: StreamNode, operator: Operator, parent: int | None, tag: str | None, role: str,
        options: dict[str, Any], function: Any = None, keyed: bool = False,
    ) -> int:  # fmt: skip
        vertex.operators.append(
            OperatorSpec(
                role=role, function=function, parent=parent, tag=tag, id=f"{node.id}-{len(vertex.operators)}",
                key=operator.key, name=operator.name or node.name, place=str(operator.location), keyed=keyed,
                options=options,
            )
        )  # fmt: skip
        return len(vertex.operators) - 1

    def _tags(self, operator: Operator) -> dict[str, Any]:
        """The forms of an operator's side outputs that somebody reads."""
        sides = {one.id: one.tag for one in self.job.transformations if isinstance(one, SideOutput)}
        mine = {one.id for one in self.job.transformations if isinstance(one, SideOutput) and one.input == operator.id}
        found: dict[str, Any] = {}
        for reader in self.job.operators:
            for read in reader.inputs:
                if read in mine:
                    run = (reader.merged or (reader,))[0].run or PythonRun()
                    found[sides[read]] = form_of(run.record_type)
        return found

    def _partition_key(self, operator: Operator) -> Any:
        found = self._partition_behind(operator, "CUSTOM")
        return found.key_selector.target if found is not None and found.key_selector is not None else None

    def _partition_behind(self, operator: Operator, partitioner: str) -> Partition | None:
        for one in self.job.transformations:
            if isinstance(one, Partition) and one.input == operator.id and one.partitioner == partitioner:
                return one
        return None

    # --- streams

    def _arriving(
        self, vertex: _Vertex, node: StreamNode, edges: tuple[StreamEdge, ...]
    ) -> tuple[int | None, str | None]:
        """Which part an operator reads inside its vertex; None: what its vertex takes from others."""
        if len(edges) == 1 and self.vertex_of[edges[0].source] == vertex.number:
            return self.last[edges[0].source], edges[0].side_output
        for edge in edges:
            self._enter(vertex, node, edge)
        return None, None

    def _enter(self, vertex: _Vertex, node: StreamNode, edge: StreamEdge) -> None:
        source = self.vertices[self.vertex_of[edge.source]]
        ranges = _ranges(edge, source.parallelism, vertex.parallelism)
        paired = itemgetter(0) if edge.partitioner in ("HASH", "CUSTOM") else None
        position = max(0, edge.type_number - 1)
        source.edges.append(
            EdgeSpec(
                number=self.edges, node=self.last[edge.source], tag=edge.side_output, target=vertex.number,
                position=position, strategy=edge.partitioner, consumers=vertex.parallelism,
                ranges=consumers_of_producers(ranges, source.parallelism), selector=paired, custom=_partitioner(edge),
                max_parallelism=vertex.groups, reader=_reader(node), watermarks=True,
            )
        )  # fmt: skip
        vertex.inputs.append(
            InputSpec(
                edge=self.edges, position=position, first_producer=source.first_producer,
                producers=source.parallelism, ranges=producers_of_consumers(ranges, vertex.parallelism),
                selector=paired if edge.partitioner == "HASH" else None,
            )
        )  # fmt: skip
        self.edges += 1

    def _sink(self, vertex: _Vertex, node: StreamNode, edges: tuple[StreamEdge, ...]) -> None:
        operator = node.operator
        before = self.graph.by_id[edges[0].source].operator
        kind = (((before.merged or (before,))[-1]).run or PythonRun()).record_type
        pairs = any(edge.partitioner == "HASH" for edge in edges)
        parent, tag = self._arriving(vertex, node, edges)
        sink = sink_of(
            operator, kind, pairs=pairs, number=len(self.sinks), vertex=vertex.number, edge=self.edges, name=node.name,
            parallelism=vertex.parallelism,
        )  # fmt: skip
        self.sinks.append(sink)
        collects = sink.kind == "collect"
        options = {"form": form_of(kind)} if collects else {"text": form_of(kind)}
        at = self._add(vertex, node, operator, parent, tag, "pass" if collects else "java_text", options)
        vertex.edges.append(
            EdgeSpec(number=self.edges, node=at, tag=None, target=-1 - sink.number, consumers=1, reader=_reader(node))
        )
        self.edges += 1


def _reader(node: StreamNode) -> tuple[str, str, str]:
    return node.operator.key, node.name, str(node.operator.location)


def _partitioner(edge: StreamEdge) -> Any:
    if edge.partitioner != "CUSTOM" or edge.partition is None or edge.partition.custom is None:
        return None
    target = edge.partition.custom.target
    return getattr(target, "partition", target)


def _ranges(edge: StreamEdge, producers: int, consumers: int) -> tuple[tuple[int, int, int], ...]:
    if edge.partitioner not in ("RESCALE", "FORWARD"):
        return ()
    return tuple(consumed_ranges("POINTWISE", producers, consumers))
