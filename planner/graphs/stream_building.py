"""Building the StreamGraph from a job.

The operators are walked in creation order. An input that is virtual (a union, a partition, a side output) is followed
back to the operators upstream of it; what was met on the way becomes the partitioner, the exchange mode and the side
output of the edge.
"""

from __future__ import annotations

from dataclasses import replace

from planner.errors import JobDefinitionError, PlanningError
from planner.flink.differences import flink as flink_profile
from planner.flink.profile import FlinkProfile
from planner.graphs.growing_graph import GrowingGraph
from planner.graphs.stream_graph import NodeRole, StreamGraph, StreamNode
from planner.graphs.stream_origins import NodeOrigin
from planner.job import JobDefinition, Operator, Partition, Partitioner, Union
from planner.kinds import SINKS


def expand_sink(graph: GrowingGraph, operator: Operator) -> None:
    """A sinkTo becomes a writer and, where the sink commits, a committer after a batch exchange.

    The writer reads the stream that the sink was given: Flink does not look for what PyFlink put between them.
    """
    inputs = [
        tuple(replace(one, partition=None) if one.partition and one.partition.aligns else one for one in found)
        for found in (graph.origins.resolve(source) for source in operator.inputs)
    ]
    parts = _Parts(graph, operator)
    writer = graph.settings.node_of(operator, parts.next_id(), parts.named("Writer"), "writer", inputs)
    graph.insert(writer)
    for origin in inputs[0]:
        graph.connect(origin, writer, 0)
    if operator.committer:
        parts.commit(writer)
    for _ in range(operator.extra_ids):
        parts.next_id()


class _Parts:
    """The parts of one sink downstream of its writer. Flink numbers them first, then the virtual nodes between."""

    def __init__(self, graph: GrowingGraph, operator: Operator) -> None:
        self.graph, self.operator = graph, operator
        self.name = "Sink" if operator.name is None else operator.name
        self.virtual = 0

    def next_id(self) -> int:
        return next(self.graph.origins.ids)

    def named(self, part: str) -> str:
        return f"{self.name}: {part}"

    def commit(self, writer: StreamNode) -> None:
        """Everything downstream of the writer."""
        origin = self.through(NodeOrigin(node=writer.id), "FORWARD", batch=True)
        if self.operator.compaction is not None:
            origin = self.compact(origin)
        self.add(origin, "Committer", "committer")
        for _ in range(self.virtual):
            self.next_id()

    def compact(self, origin: NodeOrigin) -> NodeOrigin:
        """One coordinator for all files, then compactors; where compaction is switched off, what takes their state."""
        if self.operator.uid is None:
            raise JobDefinitionError(
                f"Sink {self.name} requires to set a uid since its customized topology has set uid for some operators",
                location=self.operator.location,
                hint="a FileSink with enable_compact() or disable_compact() needs one: sink_to(...).uid('NAME')",
            )
        if self.operator.compaction == "disabled":
            first = self.add(self.through(origin, "FORWARD"), "CompactorCoordinatorPlaceHolder", "coordinator")
            return self.add(self.through(first, "FORWARD"), "CompactorOperatorPlaceHolder", "compactor")
        return self.add(
            self.add(self.through(origin, "REBALANCE"), "CompactorCoordinator", "coordinator", single=True),
            "CompactorOperator",
            "compactor",
        )

    def through(self, origin: NodeOrigin, partitioner: Partitioner, *, batch: bool = False) -> NodeOrigin:
        """The origin downstream of a partitioning that Flink adds itself."""
        self.virtual += 1
        partition = Partition(
            id=self.next_id(), input=origin.node, partitioner=partitioner, exchange="batch" if batch else None,
            location=self.operator.location,
        )  # fmt: skip
        return NodeOrigin(node=origin.node, partition=partition, exchange="batch" if batch else origin.exchange)

    def add(self, origin: NodeOrigin, part: str, role: NodeRole, *, single: bool = False) -> NodeOrigin:
        """One more part, and the stream that it gives."""
        node = self.graph.settings.node_of(self.operator, self.next_id(), self.named(part), role, [(origin,)])
        if single:
            node = replace(node, parallelism=1, parallelism_configured=True)
        self.graph.insert(node)
        self.graph.connect(origin, node, 0)
        return NodeOrigin(node=node.id)


def build_stream_graph(job: JobDefinition, flink: FlinkProfile | None = None) -> StreamGraph:
    """Compile the transformations of a job into the StreamGraph of a version of Flink: the newest, if none is given."""
    graph = GrowingGraph(job, runs_in_batch_mode(job), flink or flink_profile())
    consumed = _consumed_sources(job)
    for operator in job.operators:
        if operator.name == "" or operator.uid == "":
            _refuse_empty_label(operator, graph.settings.flink)
        if operator.kind == "source":
            # Flink reaches sources through their consumers only: one that nobody reads is not in the graph.
            if operator.id in consumed:
                graph.add_operator(operator)
        elif operator.kind == "sink" and operator.api == "v2":
            expand_sink(graph, operator)
        else:
            graph.add_operator(operator)
    if all(operator.kind == "source" for operator in job.operators):
        raise PlanningError(
            "the job has no operators: sources alone do nothing" if job.operators else "the job is empty",
            location=job.location,
            hint="add at least one operator or sink that reads a source",
        )
    return graph.finish()


def runs_in_batch_mode(job: JobDefinition) -> bool:
    """Whether Flink compiles the job as a batch; refuses batch mode over an unbounded source."""
    if job.runtime_mode == "streaming":
        return False
    consumed = _consumed_sources(job)
    unbounded = next((o for o in job.operators if o.kind == "source" and not o.bounded and o.id in consumed), None)
    if job.runtime_mode == "batch" and unbounded is not None:
        kind = "a legacy SourceFunction" if unbounded.legacy else "an unbounded source"
        raise PlanningError(
            f"runtime mode is batch, but {unbounded.key} is {kind}",
            location=unbounded.location,
            hint="set the runtime mode to streaming or automatic, or read from a bounded source",
        )
    return job.runtime_mode == "batch" or (job.runtime_mode == "automatic" and unbounded is None)


def _refuse_empty_label(operator: Operator, flink: FlinkProfile) -> None:
    """What Flink says to `name("")` and `uid("")`."""
    may_be_nameless = operator.kind == "source" or operator.kind in SINKS
    if flink.empty_labels or (operator.uid != "" and may_be_nameless):
        return
    what = "uid" if operator.uid == "" else "name"
    raise PlanningError(
        f"the {what} of {operator.key} must not be empty: Flink {flink.version} refuses it",
        location=operator.location,
        hint=f"give it a {what}, or remove the setting",
    )


def _consumed_sources(job: JobDefinition) -> frozenset[int]:
    """Ids of every transformation that some operator reads, directly or through virtual ones."""
    by_id = job.by_id
    seen = {source for operator in job.operators for source in operator.inputs}
    waiting = [number for number in seen if not isinstance(by_id[number], Operator)]
    while waiting:
        virtual = by_id[waiting.pop()]
        if isinstance(virtual, Operator):
            continue
        upstream = virtual.inputs if isinstance(virtual, Union) else (virtual.input,)
        waiting += [number for number in upstream if number not in seen]
        seen.update(upstream)
    return frozenset(seen)
