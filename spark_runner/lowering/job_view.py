"""What lowering looks up in a plan: vertices by node, parallelisms, exchanges, functions that are loaded."""

from __future__ import annotations

from planner.errors import InternalError
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.stream_graph import StreamEdge, StreamGraph, StreamNode
from planner.job import Operator, SideOutput, Watermarks, Window
from planner.pipeline import Plan
from spark_runner.lowering.job_functions import JobFunctions
from spark_runner.program.program import Committer, Exchange, Step
from spark_runner.program.roles import ROLES

__all__ = ["JobView"]


class JobView:
    """One plan, read only. A step is the position of a vertex in the job graph."""

    def __init__(self, plan: Plan) -> None:
        if plan.job_graph is None:
            raise InternalError("a plan without its job graph cannot be lowered")
        self.job, self.graph, self.job_graph = plan.job, plan.stream_graph, plan.job_graph
        self.functions = JobFunctions(self.job)
        self.event_time = EventTime(self.graph)
        self._steps = {node: at for at, vertex in enumerate(self.job_graph.vertices) for node in vertex.nodes}
        self._job_edges = {edge.stream_edge: at for at, edge in enumerate(self.job_graph.edges)}
        self._operators = {operator.id: self.functions.operator(operator) for operator in self.job.operators}
        self._side_outputs: dict[int, list[SideOutput]] = {}
        for side in self.job.transformations:
            if isinstance(side, SideOutput):
                self._side_outputs.setdefault(side.input, []).append(side)

    def operator(self, node: StreamNode) -> Operator:
        """A node's operator, with its functions loaded."""
        return self._operators[node.operator.id]

    def side_outputs(self, operator: Operator) -> list[SideOutput]:
        """The side outputs that are read."""
        return self._side_outputs.get(operator.id, [])

    def step(self, node: int) -> int | None:
        """The vertex a node belongs to."""
        return self._steps.get(node)

    def edges_into(self, node: StreamNode) -> tuple[int, ...]:
        """Positions of a node's edges in the stream graph."""
        return tuple(self.graph.in_edges.get(node.id, ()))

    def chained(self, step: int | None, edges: tuple[int, ...]) -> bool:
        """Whether a node's only edge stays in its vertex."""
        return len(edges) == 1 and self.step(self.graph.edges[edges[0]].source) == step

    def parallelism(self, step: int) -> int:
        """How many subtasks a vertex has."""
        vertex = self.job_graph.vertices[step]
        # batch mode leaves it open until run time: Spark takes what the operator asks for
        return vertex.parallelism if vertex.parallelism > 0 else self.graph.by_id[vertex.head].parallelism

    def make_step(self, at: int, passes: tuple[int, ...] = ()) -> Step:
        """A vertex of the job graph as a step of the program."""
        vertex = self.job_graph.vertices[at]
        after_writer = [node for node in map(self.graph.by_id.__getitem__, vertex.nodes) if node.after_writer]
        return Step(
            vertex=at,
            id=vertex.id,
            name=vertex.name,
            parallelism=self.parallelism(at),
            passes=passes,
            nodes=vertex.nodes,
            # keys of their own: the sink's is its writer's
            committers=tuple(
                Committer(node=one.id, name=one.name, key=f"{one.operator.key}.{one.role}") for one in after_writer
            ),
        )

    def exchange(self, step: int, edge_at: int) -> Exchange | None:
        """How records move over an edge into a vertex; None inside of it."""
        edge: StreamEdge = self.graph.edges[edge_at]
        producer = self._steps[edge.source]
        if producer == step:
            return None
        producers, consumers = self.parallelism(producer), self.parallelism(step)
        pointwise = edge.partitioner == "RESCALE"
        return Exchange(
            strategy=edge.partitioner,
            producers=producers,
            consumers=consumers,
            ranges=tuple(consumed_ranges("POINTWISE", producers, consumers)) if pointwise else (),
            job_edge=self._job_edges.get(edge_at),
        )


class EventTime:
    """Which nodes' outputs have an event time, and which nodes want one on their input."""

    def __init__(self, graph: StreamGraph) -> None:
        self._graph = graph
        self.stamped = self._forward()
        self.wants = self._backward()

    def travels(self, source: int, target: int) -> bool:
        """Whether records from one node to the other need their event time with them."""
        return source in self.stamped and target in self.wants

    def _forward(self) -> frozenset[int]:
        stamped: set[int] = set()
        for node in self._graph.nodes:  # ids grow along the stream
            sources = [self._graph.edges[e].source for e in self._graph.in_edges.get(node.id, ())]
            if _sets(node) or any(source in stamped for source in sources):
                stamped.add(node.id)
        return frozenset(stamped)

    def _backward(self) -> frozenset[int]:
        wants: set[int] = set()
        for node in reversed(self._graph.nodes):
            targets = [self._graph.edges[e].target for e in self._graph.out_edges.get(node.id, ())]
            if _reads(node) or (not _sets(node) and any(target in wants for target in targets)):
                wants.add(node.id)
        return frozenset(wants)


def _sets(node: StreamNode) -> bool:
    operator = node.operator
    return operator.watermarks is not None or isinstance(operator.behaviour, Watermarks | Window)


def _reads(node: StreamNode) -> bool:
    behaviour = node.operator.behaviour
    if isinstance(behaviour, Window):
        return behaviour.time is None
    role = ROLES.get(node.operator.kind)
    return role is not None and role.reads_time
