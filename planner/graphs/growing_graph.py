"""The StreamGraph while it grows: nodes are inserted and connected, and at the end it is frozen."""

from __future__ import annotations

from itertools import count

from planner.errors import PlanningError
from planner.flink.operator_names import default_name
from planner.flink.profile import FlinkProfile
from planner.graphs.node_settings import NodeSettings
from planner.graphs.stream_graph import ExchangeMode, StreamEdge, StreamGraph, StreamNode
from planner.graphs.stream_origins import Origin, Origins
from planner.job import Exchange, JobDefinition, Operator, Partition, Partitioner
from planner.records import maker

__all__ = ["GrowingGraph"]


class GrowingGraph:
    """Nodes and edges so far. Ids of expanded sinks continue Flink's one counter of transformations."""

    def __init__(self, job: JobDefinition, batch: bool, flink: FlinkProfile) -> None:
        self.job = job
        self.batch = batch
        self.nodes: dict[int, StreamNode] = {}
        self.edges: list[StreamEdge] = []
        self.into: dict[int, list[int]] = {}  # positions in `edges`
        self.settings = NodeSettings(job, batch, flink, self.nodes)
        ids = count(job.next_id or max((t.id for t in job.transformations), default=0) + 1)
        self.origins = Origins(job, ids, self.nodes)
        self.make_edge = maker(StreamEdge)

    def add_operator(self, operator: Operator) -> None:
        """Insert an operator that becomes one node, and connect its inputs."""
        sources = operator.inputs
        name = default_name(self.job, operator)
        if len(sources) == 1 and sources[0] in self.nodes and operator.kind != "multi_input":
            self._add_behind(self.nodes[sources[0]], operator, name)
            return
        inputs = [self.origins.resolve(source) for source in sources]
        node = self.settings.node_of(operator, operator.id, name, "operator", inputs)
        self.insert(node)
        many = len(inputs) > 1 or operator.kind == "multi_input"
        for position, origins in enumerate(inputs):
            for origin in origins:
                self.connect(origin, node, position + 1 if many else 0)

    def _add_behind(self, source: StreamNode, operator: Operator, name: str) -> None:
        """Insert an operator that reads another directly, as most do: nothing is between them to be followed."""
        node = self.settings.node_of(operator, operator.id, name, "operator", source)
        self.nodes[node.id] = node
        self.into[node.id] = [len(self.edges)]
        self.edges.append(
            self.make_edge(
                source=source.id,
                target=node.id,
                partitioner=_partitioner(None, source, node),
                exchange_mode="UNDEFINED",
                type_number=0,
                side_output=None,
            )
        )

    def insert(self, node: StreamNode) -> None:
        """Add a node without edges."""
        self.nodes[node.id] = node
        self.into[node.id] = []

    def connect(self, origin: Origin, target: StreamNode, type_number: int) -> None:
        """Add the edge from an origin to a node."""
        self.into[target.id].append(len(self.edges))
        self.edges.append(
            self.make_edge(
                source=origin.node,
                target=target.id,
                partitioner=_partitioner(origin.partition, self.nodes[origin.node], target),
                exchange_mode="UNDEFINED" if origin.exchange is None else self._exchange_mode(origin.exchange),
                type_number=type_number,
                side_output=origin.side_output,
                partition=origin.partition,
            )
        )

    def _exchange_mode(self, exchange: Exchange) -> ExchangeMode:
        if exchange == "pipelined":
            return "PIPELINED"
        return "BATCH" if exchange == "batch" and self.batch else "UNDEFINED"

    def job_name(self) -> str:
        """The job's name, else Flink's default."""
        if self.job.name is not None:
            return self.job.name
        return "Flink Batch Job" if self.batch else "Flink Streaming Job"

    def finish(self) -> StreamGraph:
        """The graph as it is now: edges go by their source, those of one source as they were added."""
        added = self.edges
        order = sorted(range(len(added)), key=[edge.source for edge in added].__getitem__)
        position = {number: place for place, number in enumerate(order)}
        return StreamGraph(
            name=self.job_name(),
            batch=self.batch,
            nodes=tuple([self.nodes[node] for node in sorted(self.nodes)]),
            edges=tuple([added[number] for number in order]),
            chaining=self.job.chaining,
            chain_different_max_parallelism=self.job.chain_different_max_parallelism,
            in_edges={node: tuple([position[number] for number in found]) for node, found in self.into.items()},
            next_id=next(self.origins.ids),
        )


def _partitioner(partition: Partition | None, source: StreamNode, target: StreamNode) -> Partitioner:
    same = source.parallelism == target.parallelism
    if partition is None:
        return "FORWARD" if same else "REBALANCE"
    if partition.partitioner == "FORWARD" and not same:
        raise PlanningError(
            f"forward from {source.name} (parallelism {source.parallelism}) to {target.name} "
            f"(parallelism {target.parallelism}): forward needs the same parallelism on both sides",
            location=partition.location,
            hint=f"give {target.operator.key} and {source.operator.key} one parallelism, or replace forward "
            "by rebalance or rescale",
        )
    return partition.partitioner
