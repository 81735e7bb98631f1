"""From a plan to a Spark program: which operators share a pass, what crosses between them, and what cannot run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planner.errors import InternalError, UnsupportedOnSpark
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator, PythonFunction, SideOutput, Window, Writer
from planner.kinds import KEEPS_COLUMNS
from planner.pipeline import Plan
from spark_runner.lowering.bounded import refuse_unbounded
from spark_runner.lowering.drafts import Draft, Stream, committers_of
from spark_runner.lowering.event_time import EventTime
from spark_runner.lowering.job_functions import JobFunctions
from spark_runner.lowering.operators import LOWERINGS, Lowered, Setting
from spark_runner.lowering.operators.sinks import PRINTING_FORMATS
from spark_runner.program.program import (
    Exchange,
    Inlet,
    Mode,
    Operation,
    Outlet,
    Sink,
    SparkProgram,
    Step,
)


def lower(plan: Plan, *, mode: Mode | None = None) -> SparkProgram:
    """The Spark program of a plan; `mode` None follows the job's sources and runtime mode.

    Raises UnsupportedOnSpark, naming the operator and what to do, for anything Spark cannot run the way Flink would.
    """
    if plan.job_graph is None:
        raise InternalError("a plan without its job graph cannot be lowered")
    refuse_unbounded(plan)
    return _Lowerer(plan).lower()


class _Lowerer:
    """One walk over the job vertices in order; every stream is known before it is read."""

    def __init__(self, plan: Plan) -> None:
        assert plan.job_graph is not None
        self.plan, self.job, self.graph, self.job_graph = plan, plan.job, plan.stream_graph, plan.job_graph
        self.functions = JobFunctions(self.job)
        self.event_time = EventTime(self.graph)
        self.drafts: list[Draft] = []
        self.sinks: list[Sink] = []
        self.streams: dict[tuple[int, str | None], Stream] = {}
        self.steps_of = {n: at for at, vertex in enumerate(self.job_graph.vertices) for n in vertex.nodes}
        self.job_edges = {edge.stream_edge: at for at, edge in enumerate(self.job_graph.edges)}
        self.operators = {op.id: self.functions.operator(op) for op in self.job.operators}
        self.side_outputs: dict[int, list[SideOutput]] = {}
        for side in self.job.transformations:
            if isinstance(side, SideOutput):
                self.side_outputs.setdefault(side.input, []).append(side)

    def lower(self) -> SparkProgram:
        steps = []
        for position, vertex in enumerate(self.job_graph.vertices):
            if vertex.chained_sources:
                node = self.graph.by_id[vertex.head]
                LOWERINGS["multi_input"](self._setting(node, ()))
            first = len(self.drafts)
            for node_id in vertex.nodes:
                self._lower_node(position, self.graph.by_id[node_id])
            steps.append(
                Step(
                    vertex=position,
                    id=vertex.id,
                    name=vertex.name,
                    parallelism=self._parallelism(position),
                    passes=tuple(range(first, len(self.drafts))),
                    nodes=vertex.nodes,
                    committers=committers_of(self.graph, vertex.nodes),
                )
            )
        self._drain_leaves()
        passes = tuple(draft.freeze() for draft in self.drafts)
        of_step: dict[int, list[int]] = {}
        for number, one in enumerate(passes):
            of_step.setdefault(one.step, []).append(number)
        return SparkProgram(
            name=self.graph.name,
            mode="batch",
            file=self.job.location.file,
            steps=tuple(replace(step, passes=tuple(of_step.get(step.vertex, ()))) for step in steps),
            passes=passes,
            sinks=tuple(self.sinks),
        )

    def _parallelism(self, step: int) -> int:
        vertex = self.job_graph.vertices[step]
        # batch mode leaves it open until run time: Spark takes what the operator asks for
        return vertex.parallelism if vertex.parallelism > 0 else self.graph.by_id[vertex.head].parallelism

    # --- one operator

    def _lower_node(self, step: int, node: StreamNode) -> None:
        if node.role == "committer":
            return
        operator = self.operators[node.operator.id]
        edges = tuple(self.graph.in_edges.get(node.id, ()))
        setting = self._setting(node, edges)
        lowered = LOWERINGS[operator.kind](setting)
        if operator.kind == "print" or isinstance(operator.behaviour, Writer):
            self._sink(step, node, operator, edges)
            return
        at, number = self._place(step, node, operator, edges, lowered)
        self._publish(node, operator, at, number, edges)
        if operator.watermarks is not None and node.id in self.event_time.stamped:
            self._stamp_source(node, operator)
        if lowered.role == "sink":
            outlet = self._outlet(self.streams[node.id, None], Outlet(operation=number, pickled=True))
            self._add_sink(at, outlet, "drain", node, operator, step)

    def _stamp_source(self, node: StreamNode, operator: Operator) -> None:
        """A strategy given with the source: no operator of its own in Flink, an operation of the same node here."""
        strategy = operator.watermarks
        if strategy is None or (strategy.time is None and strategy.assigner is None):
            return
        if strategy.assigner is not None:
            strategy = replace(strategy, assigner=self.functions.loaded(strategy.assigner, operator))
        stream = self.streams[node.id, None]
        at, parent = stream.source, stream.operation
        if strategy.assigner is not None and self.drafts[at].engine == "native":
            source = self.drafts[at]
            inlet = Inlet(source=at, outlet=self._outlet(stream, Outlet(operation=parent)))
            self.drafts.append(Draft(source.step, "python", source.parallelism, inlets=[inlet]))
            at, parent = len(self.drafts) - 1, None
        draft = self.drafts[at]
        role = "watermarks" if draft.engine == "python" else ""
        stamping = replace(operator, kind="watermarks", behaviour=strategy, watermarks=None)
        draft.operations.append(Operation(node=node.id, name=node.name, operator=stamping, parent=parent, role=role))
        self.streams[node.id, None] = replace(
            stream,
            source=at,
            operation=len(draft.operations) - 1,
            declared_by=stream.declared_by if parent is not None else None,
        )

    def _setting(self, node: StreamNode, edges: tuple[int, ...]) -> Setting:
        step = self.steps_of.get(node.id)
        sources = [self._stream(self.graph.edges[e]) for e in edges]
        chained = self._chained(step, edges)
        behind = [self.graph.edges[e].target for e in self.graph.out_edges.get(node.id, ())]
        return Setting(
            operator=self.operators[node.operator.id],
            keyed=self.job.is_keyed(node.operator),
            pickled=any(stream.pickled for stream in sources),
            before=self.drafts[sources[0].source].engine if chained else None,
            python_follows=any(
                isinstance(self.graph.by_id[t].operator.behaviour, PythonFunction)
                for t in behind
                if self.steps_of.get(t) == step
            ),
        )

    def _stream(self, edge: StreamEdge) -> Stream:
        stream = self.streams.get((edge.source, edge.side_output))
        if stream is None:
            operator = self.graph.by_id[edge.source].operator
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} has no side output {edge.side_output!r} when it runs as SQL",
                location=operator.location,
                hint="side outputs come from process functions",
            )
        return stream

    def _chained(self, step: int | None, edges: tuple[int, ...]) -> bool:
        return len(edges) == 1 and self.steps_of.get(self.graph.edges[edges[0]].source) == step

    def _place(
        self, step: int, node: StreamNode, operator: Operator, edges: tuple[int, ...], lowered: Lowered
    ) -> tuple[int, int]:
        at, parent, tag = self._same_pass(step, operator, edges, lowered)
        if at is None:
            # first the inlets: computing a key may put a pass in front of this one
            inlets = [self._inlet(step, node, operator, edge) for edge in edges]
            draft = Draft(step, lowered.engine, self._parallelism(step), inlets=inlets, grouped=lowered.grouped)
            self.drafts.append(draft)
            at = len(self.drafts) - 1
        draft = self.drafts[at]
        draft.operations.append(
            Operation(
                node=node.id,
                name=node.name,
                operator=operator,
                parent=parent,
                tag=tag,
                role=lowered.role,
                keyed=self.job.is_keyed(node.operator),
                output=operator.output,
            )
        )
        return at, len(draft.operations) - 1

    def _same_pass(
        self, step: int, operator: Operator, edges: tuple[int, ...], lowered: Lowered
    ) -> tuple[int | None, int | None, str | None]:
        if not self._chained(step, edges) or self.job.is_keyed(operator):
            return None, None, None
        stream = self._stream(self.graph.edges[edges[0]])
        if self.drafts[stream.source].engine == lowered.engine:
            return stream.source, stream.operation, stream.tag
        if lowered.engine == "python":
            for at, draft in enumerate(self.drafts):
                if draft.step == step and draft.engine == "python" and not draft.grouped and len(draft.inlets) == 1:
                    inlet = draft.inlets[0]
                    outlet = self.drafts[inlet.source].outlets[inlet.outlet]
                    if inlet.exchange is None and (inlet.source, outlet.operation) == (stream.source, stream.operation):
                        return at, None, None
        return None, None, None

    def _publish(self, node: StreamNode, operator: Operator, at: int, number: int, edges: tuple[int, ...]) -> None:
        native = self.drafts[at].engine == "native"
        keeps = operator.kind in KEEPS_COLUMNS or (operator.kind == "window_reduce" and self._reduces(operator))
        inherited = self._stream(self.graph.edges[edges[0]]) if keeps and operator.output is None else None
        if inherited is not None:
            same = inherited.source == at
            stream = Stream(
                source=at,
                operation=number,
                tag=None,
                pickled=inherited.pickled and not native,
                columns=inherited.columns,
                declared_by=inherited.declared_by if same else None,
            )
        else:
            stream = Stream(
                source=at,
                operation=number,
                tag=None,
                pickled=not native and operator.output is None,
                columns=operator.output,
                declared_by=number,
            )
        self.streams[node.id, None] = stream
        if not native:
            for side in self.side_outputs.get(operator.id, ()):
                self.streams[node.id, side.tag] = Stream(
                    source=at, operation=number, tag=side.tag, pickled=side.output is None, columns=side.output,
                    declared_by=number,
                )  # fmt: skip

    @staticmethod
    def _reduces(operator: Operator) -> bool:
        return isinstance(operator.behaviour, Window) and operator.behaviour.form == "reduce"

    # --- what crosses between passes

    def _inlet(self, step: int, node: StreamNode, operator: Operator, edge_at: int) -> Inlet:
        edge = self.graph.edges[edge_at]
        stream = self._stream(edge)
        position = max(0, edge.type_number - 1)
        key = self.functions.key(operator, position, stream.columns)
        exchange = self._exchange(step, edge, edge_at)
        partition = edge.partition if edge.partitioner == "CUSTOM" else None
        custom = None
        if partition is not None:
            custom = self.functions.partitioner(partition, operator)
            key = self.functions.key_of(partition, operator, stream.columns)
        wanted = Outlet(
            operation=stream.operation,
            tag=stream.tag,
            key=key if key is not None and (key.selector is not None or custom is not None) else None,
            custom=custom,
            reader=(operator.key, node.name, str(operator.location)),
            consumers=exchange.consumers if exchange is not None and custom is not None else 0,
            timestamps=self.event_time.travels(edge.source, node.id),
        )
        if (wanted.key is not None or custom is not None) and self.drafts[stream.source].engine == "native":
            stream = self._key_pass(stream, wanted)
            wanted = replace(wanted, operation=None, tag=None)
        behaviour = operator.behaviour
        return Inlet(
            source=stream.source,
            outlet=self._outlet(stream, wanted),
            position=position,
            key=key,
            time=behaviour.time if isinstance(behaviour, Window) else None,
            exchange=exchange,
        )

    def _key_pass(self, stream: Stream, wanted: Outlet) -> Stream:
        """A Python pass behind a native one, in its step, that only computes what the exchange needs."""
        plain = replace(wanted, key=None, custom=None, reader=None, consumers=0)
        source = self.drafts[stream.source]
        outlet = self._outlet(stream, plain)
        self.drafts.append(Draft(source.step, "python", source.parallelism))
        self.drafts[-1].inlets.append(Inlet(source=stream.source, outlet=outlet))
        return replace(stream, source=len(self.drafts) - 1, operation=None, tag=None, declared_by=None)

    def _outlet(self, stream: Stream, wanted: Outlet) -> int:
        outlets = self.drafts[stream.source].outlets
        wanted = replace(
            wanted, pickled=stream.pickled or wanted.pickled, columns=stream.columns, declared_by=stream.declared_by
        )
        for number, outlet in enumerate(outlets):
            if replace(outlet, readers=1) == wanted:
                outlets[number] = replace(outlet, readers=outlet.readers + 1)
                return number
        outlets.append(wanted)
        return len(outlets) - 1

    def _exchange(self, step: int, edge: StreamEdge, edge_at: int) -> Exchange | None:
        producer = self.steps_of[edge.source]
        if producer == step:
            return None
        producers, consumers = self._parallelism(producer), self._parallelism(step)
        pointwise = edge.partitioner == "RESCALE"
        return Exchange(
            strategy=edge.partitioner,
            producers=producers,
            consumers=consumers,
            ranges=tuple(consumed_ranges("POINTWISE", producers, consumers)) if pointwise else (),
            job_edge=self.job_edges.get(edge_at),
        )

    # --- ends

    def _sink(self, step: int, node: StreamNode, operator: Operator, edges: tuple[int, ...]) -> None:
        behaviour = operator.behaviour
        prints = not isinstance(behaviour, Writer) or behaviour.format.lower() in PRINTING_FORMATS
        if self._chained(step, edges) and self.functions.key(operator, 0) is None:
            stream = self._stream(self.graph.edges[edges[0]])
        else:
            stream = self._arrivals(step, node, operator, edges)
        outlet = self._outlet(stream, Outlet(operation=stream.operation, tag=stream.tag))
        self._add_sink(stream.source, outlet, "print" if prints else "write", node, operator, step)

    def _arrivals(self, step: int, node: StreamNode, operator: Operator, edges: tuple[int, ...]) -> Stream:
        """A native pass that only takes what the exchange brings."""
        inlets = [self._inlet(step, node, operator, edge) for edge in edges]
        first = self._stream(self.graph.edges[edges[0]])
        self.drafts.append(Draft(step, "native", self._parallelism(step), inlets=inlets))
        return replace(first, source=len(self.drafts) - 1, operation=None, tag=None, declared_by=None)

    def _add_sink(self, at: int, outlet: int, kind: Any, node: StreamNode, operator: Operator, step: int) -> None:
        self.sinks.append(
            Sink(
                source=at, outlet=outlet, kind=kind, node=node.id, name=node.name, operator=operator, step=step,
                parallelism=self._parallelism(step),
            )
        )  # fmt: skip

    def _drain_leaves(self) -> None:
        """Operators whose records nobody reads run all the same, as they do in Flink."""
        for at, draft in enumerate(self.drafts):
            read = {o.parent for o in draft.operations} | {o.operation for o in draft.outlets}
            for number, operation in enumerate(draft.operations):
                driven = draft.engine == "python" and draft.outlets
                if number not in read and not driven:
                    node = self.graph.by_id[operation.node]
                    outlet = self._outlet(self.streams[node.id, None], Outlet(operation=number))
                    self._add_sink(at, outlet, "drain", node, operation.operator, draft.step)
