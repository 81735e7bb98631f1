"""From the plan of a PyFlink job to what Spark runs: merged operators as their parts, helpers with their meaning."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from planner.errors import InternalError
from planner.flink.defaults import default_max_parallelism
from planner.frontends.pyflink.values.rows import Row
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator, Partition, PythonRun, SideOutput
from planner.pipeline import Plan
from planner.settings.boundedness import data_ends
from spark_runner.executor.layout import EdgeSpec, InputSpec, Layout, SourceSpec
from spark_runner.program.pointwise import consumers_of_producers, producers_of_consumers
from spark_runner.program.program import SparkProgram, Step
from spark_runner.pyflink.forms import form_of
from spark_runner.pyflink.parts import given_form, part_of, refused
from spark_runner.pyflink.program import Counted, ScriptJob, ScriptSink, ScriptSource
from spark_runner.pyflink.sinks import write_end
from spark_runner.pyflink.sources import read_end
from spark_runner.pyflink.vertices import VertexDraft, partitioner_of, reader_of

__all__ = ["lower_pyflink", "lower_script", "steps_of"]


def lower_pyflink(plan: Plan) -> SparkProgram:
    """The Spark program of a bounded PyFlink job. Raises UnsupportedOnSpark for what would not run as in PyFlink."""
    _refuse_endless(plan)
    job = lower_script(plan, streaming=False)
    return SparkProgram(
        name=plan.stream_graph.name,
        mode="batch",
        file=plan.job.location.file,
        steps=steps_of(plan, job),
        passes=(),
        sinks=(),
        bounded=job,
    )


def lower_script(plan: Plan, *, streaming: bool) -> ScriptJob:
    """A PyFlink job by its vertices. Raises UnsupportedOnSpark for what would not run as in PyFlink."""
    if plan.job_graph is None:
        raise InternalError("a plan without its job graph cannot be lowered")
    return _Lowerer(plan, streaming).lower()


def steps_of(plan: Plan, job: ScriptJob) -> tuple[Step, ...]:
    """One step for every job vertex."""
    assert plan.job_graph is not None
    return tuple(
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


def _refuse_endless(plan: Plan) -> None:
    for operator in plan.job.operators:
        if operator.kind == "source" and not data_ends(operator):
            raise refused(operator, "never ends, so it cannot run as a batch", "leave --mode batch out")


class _Lowerer:
    """One walk over the vertices in order: every stream is known before it is read."""

    def __init__(self, plan: Plan, streaming: bool) -> None:
        assert plan.job_graph is not None
        self.plan, self.streaming = plan, streaming
        self.job, self.graph, self.job_graph = plan.job, plan.stream_graph, plan.job_graph
        self.vertex_of = {node: at for at, one in enumerate(self.job_graph.vertices) for node in one.nodes}
        # automatic is batch where every source of a bounded run ends
        self.batch = not streaming and plan.job.runtime_mode != "streaming"
        self.vertices: list[VertexDraft] = []
        self.sources: list[ScriptSource] = []
        self.sinks: list[ScriptSink] = []
        self.last: dict[int, int] = {}  # by node: the position of its last part in its vertex
        self.edges = 0

    def lower(self) -> ScriptJob:
        for number, vertex in enumerate(self.job_graph.vertices):
            self.vertices.append(self._vertex(number))
            for node in vertex.nodes:
                self._node(self.vertices[number], self.graph.by_id[node])
        return ScriptJob(
            layout=Layout(
                vertices=tuple(one.freeze(streaming=self.streaming) for one in self.vertices),
                sources=tuple(SourceSpec(number=n, vertex=one.vertex) for n, one in enumerate(self.sources)),
                sinks=(),
                script=True,
            ),
            sources=tuple(self.sources),
            sinks=tuple(self.sinks),
            counted={one.number: tuple(one.counted) for one in self.vertices},
            owners={one.number: tuple(one.whose) for one in self.vertices},
        )

    def _vertex(self, number: int) -> VertexDraft:
        vertex = self.job_graph.vertices[number]
        parallelism = vertex.parallelism if vertex.parallelism > 0 else self.graph.by_id[vertex.head].parallelism
        groups = vertex.max_parallelism if vertex.max_parallelism > 0 else default_max_parallelism(parallelism)
        feeding = [edge.source for edge in self.job_graph.edges if edge.target == number]
        before = self.vertices[-1] if self.vertices else None
        return VertexDraft(
            number=number,
            id=self._id(self.graph.by_id[vertex.head]),
            name=vertex.name,
            layer=1 + max((self.vertices[source].layer for source in feeding), default=-1),
            parallelism=parallelism,
            groups=groups,
            first_producer=before.first_producer + before.parallelism if before is not None else 0,
        )

    def _id(self, node: StreamNode) -> str:
        """What state is found by: Flink's id where the script gives one, else the operator's place in the job."""
        given = node.operator.uid is not None or node.operator.uid_hash is not None
        return self.plan.operator_ids[node.id] if given else f"{node.operator.key}@{node.role}"

    # --- one node

    def _node(self, vertex: VertexDraft, node: StreamNode) -> None:
        operator = node.operator
        if node.behind_writer:
            vertex.counted.append(
                Counted(node=node.id, key=f"{operator.key}.{node.role}", name=node.name, first=-1, last=-1)
            )
            return
        edges = tuple(self.graph.edges[at] for at in self.graph.in_edges.get(node.id, ()))
        first = len(vertex.operators)
        if operator.kind == "source":
            self._source(vertex, node)
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

    def _source(self, vertex: VertexDraft, node: StreamNode) -> None:
        operator = node.operator
        end = read_end(operator, streaming=self.streaming)
        self.sources.append(
            ScriptSource(
                vertex=vertex.number, node=node.id, name=node.name, operator=operator, records=end.records,
                reader=end.reader, paths=end.paths, columns=end.columns, bounded=data_ends(operator),
            )
        )  # fmt: skip
        options = {**end.options, "form": given_form(operator)}
        at = vertex.add(node, operator, None, None, end.role, options, state_id=self._id(node))
        strategy = (operator.run or PythonRun()).strategy
        if strategy is not None and strategy.kind != "none":
            vertex.add(
                node, operator, at, None, "watermarks", self._time(vertex, strategy), state_id=f"{self._id(node)}-time"
            )

    def _time(self, vertex: VertexDraft, strategy: Any) -> dict[str, Any]:
        """How a strategy says how far event time has come; a bounded run learns it from the end of the input."""
        if not self.streaming or strategy is None or strategy.kind == "none":
            return {}
        if vertex.idle is None:
            vertex.idle = strategy.idleness
        return {"delay": strategy.out_of_orderness}

    def _parts(self, vertex: VertexDraft, node: StreamNode, edges: tuple[StreamEdge, ...]) -> None:
        operator = node.operator
        keyed = self.job.is_keyed(operator)
        parent, tag = self._arriving(vertex, node, edges)
        parts = operator.merged or (operator,)
        for at, one in enumerate(parts):
            made = part_of(one, keyed=keyed and at == 0, batch=self.batch, selector=self._partition_key(operator))
            options = dict(made.options)
            if made.role == "co_process":
                options["paired"] = _paired(edges)
            if made.role == "watermarks":
                options |= self._time(vertex, (one.run or PythonRun()).strategy)
            if at == len(parts) - 1:
                options["tags"] = self._tags(operator)
                if operator.python is not None:
                    options["form"] = given_form(one)
            state_id = self._id(node) if at == 0 else f"{self._id(node)}-{at}"
            parent = vertex.add(
                node, one, parent, tag, made.role, options, made.function, made.keyed, state_id=state_id
            )
            tag = None

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
        self, vertex: VertexDraft, node: StreamNode, edges: tuple[StreamEdge, ...]
    ) -> tuple[int | None, str | None]:
        """Which part an operator reads inside its vertex; None: what its vertex takes from others."""
        if len(edges) == 1 and self.vertex_of[edges[0].source] == vertex.number:
            return self.last[edges[0].source], edges[0].side_output
        for edge in edges:
            self._enter(vertex, node, edge)
        return None, None

    def _enter(self, vertex: VertexDraft, node: StreamNode, edge: StreamEdge) -> None:
        operator = node.operator
        source = self.vertices[self.vertex_of[edge.source]]
        ranges = _ranges(edge, source.parallelism, vertex.parallelism)
        keyed = edge.partitioner == "HASH" and operator.kind not in ("print", "sink") and self.job.is_keyed(operator)
        paired = itemgetter(0) if edge.partitioner in ("HASH", "CUSTOM") else None
        position = max(0, edge.type_number - 1)
        source.edges.append(
            EdgeSpec(
                number=self.edges, node=self.last[edge.source], tag=edge.side_output, target=vertex.number,
                position=position, strategy=edge.partitioner, consumers=vertex.parallelism,
                ranges=consumers_of_producers(ranges, source.parallelism), selector=paired,
                pairs=keyed, custom=partitioner_of(edge), max_parallelism=vertex.groups, reader=reader_of(node),
                watermarks=True,
            )
        )  # fmt: skip
        vertex.inputs.append(
            InputSpec(
                edge=self.edges, position=position, first_producer=source.first_producer,
                producers=source.parallelism, ranges=producers_of_consumers(ranges, vertex.parallelism),
                idle=source.idle,
            )
        )  # fmt: skip
        self.edges += 1

    def _sink(self, vertex: VertexDraft, node: StreamNode, edges: tuple[StreamEdge, ...]) -> None:
        operator = node.operator
        before = self.graph.by_id[edges[0].source].operator
        kind = (((before.merged or (before,))[-1]).run or PythonRun()).record_type
        end = write_end(operator, kind)
        if self.streaming and end.role == "avro_record":
            raise refused(operator, "writes files of Avro, which is not done in a stream", "write Parquet, or text")
        parent, tag = self._arriving(vertex, node, edges)
        if any(edge.partitioner == "HASH" for edge in edges):  # behind key_by, whose type is a row of key and record
            options = {"form": form_of(kind)}
            parent = vertex.add(node, operator, parent, tag, "pair_row", options, state_id=f"{self._id(node)}-pairs")
            tag = None
        sink = ScriptSink(
            number=len(self.sinks), kind=end.kind, vertex=vertex.number, node=node.id, edge=self.edges,
            operator=operator, name=node.name, parallelism=vertex.parallelism, identifier=end.identifier,
            writer=end.writer, columns=end.columns,
        )  # fmt: skip
        self.sinks.append(sink)
        at = vertex.add(node, operator, parent, tag, end.role, dict(end.options), state_id=self._id(node))
        vertex.edges.append(
            EdgeSpec(
                number=self.edges, node=at, tag=None, target=-1 - sink.number, consumers=1, blame=at,
                reader=reader_of(node),
            )
        )  # fmt: skip
        self.edges += 1


def _paired(edges: tuple[StreamEdge, ...]) -> Any:
    """Which of two inputs are keyed where not both are: PyFlink gives their records as rows of key and record."""
    keyed = tuple(max(0, edge.type_number - 1) for edge in edges if edge.partitioner == "HASH")
    return (Row, keyed) if keyed else None


def _ranges(edge: StreamEdge, producers: int, consumers: int) -> tuple[tuple[int, int, int], ...]:
    if edge.partitioner not in ("RESCALE", "FORWARD"):
        return ()
    return tuple(consumed_ranges("POINTWISE", producers, consumers))
