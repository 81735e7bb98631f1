"""The StreamGraph while it grows: nodes are inserted and connected, and at the end it is frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final, get_args

from planner.errors import PlanningError
from planner.flink.defaults import BUFFER_TIMEOUT
from planner.flink.operator_names import default_name
from planner.flink.profile import FlinkProfile
from planner.graphs.stream_graph import (
    BUFFER_TIMEOUT_DISABLED,
    DEFAULT_SLOT_SHARING_GROUP,
    UNSET_MAX_PARALLELISM,
    ChainingStrategy,
    ExchangeMode,
    NodeRole,
    SourceKind,
    StreamEdge,
    StreamGraph,
    StreamNode,
)
from planner.graphs.stream_origins import NodeOrigin, Origins
from planner.job import Exchange, JobDefinition, Operator, Partition, Partitioner, Union
from planner.kinds import NEVER_KEYED, TWO_INPUTS
from planner.records import maker

GrowingInputs = (
    StreamNode | Sequence[tuple[NodeOrigin, ...]]
)  # the one node that is read directly, else what each input leads to


class NodeSettings:
    """Makes stream nodes; `nodes` are those made so far, from which later ones inherit."""

    def __init__(self, job: JobDefinition, batch: bool, flink: FlinkProfile, nodes: Mapping[int, StreamNode]) -> None:
        self.job = job
        self.batch = batch
        self.flink = flink
        self.nodes = nodes
        timeout = BUFFER_TIMEOUT if job.buffer_timeout is None else job.buffer_timeout
        self.default_timeout = BUFFER_TIMEOUT_DISABLED if batch else timeout
        self.make = maker(StreamNode)

    def node_of(self, operator: Operator, node_id: int, name: str, role: NodeRole, inputs: GrowingInputs) -> StreamNode:
        """The stream node that an operator, or one role of a sink, becomes."""
        of_source: SourceKind | None = None if operator.kind != "source" else "legacy" if operator.legacy else "new"
        single = of_source == "legacy" and not operator.parallel
        fixed_by_flink = single or (self.batch and role != "operator" and self.flink.sink_parallelism_is_set)
        set_by_user = operator.parallelism is not None and not operator.parallelism_inherited
        sorts = self.batch and self.sorts_input(operator, role)
        group, together, timeout, uid = (
            operator.slot_sharing_group,
            operator.co_location_group,
            operator.buffer_timeout,
            operator.uid,
        )
        return self.make(
            id=node_id,
            name=name,
            parallelism=operator.parallelism or (1 if single else self.inherited_parallelism(operator)),
            parallelism_configured=set_by_user or fixed_by_flink,
            max_parallelism=operator.max_parallelism or self.job.max_parallelism or UNSET_MAX_PARALLELISM,
            slot_sharing_group=self.inherited_group(inputs) if group is None else group,
            co_location_group=operator.co_locates if together is None else self.co_location_group(operator, role),
            chaining_strategy="HEAD" if sorts and operator.chaining != "disable" else self.strategy(operator),
            sorted_input=sorts,
            source=of_source,
            yielding=_yields(operator, role),
            buffer_timeout=self.default_timeout if timeout is None else self.buffer_timeout(operator, role),
            uid=uid if uid is None or role == "operator" else _role_uid(uid, role),
            user_hash=operator.uid_hash.lower() if operator.uid_hash else None,
            role=role,
            operator=operator,
        )

    def inherited_parallelism(self, operator: Operator) -> int:
        """The job's, except for watermarks: Flink gives these the parallelism of the stream they are put on."""
        if operator.kind != "watermarks":
            return self.job.parallelism
        current = self.job.by_id[operator.inputs[0]]
        while not isinstance(current, Operator):
            current = self.job.by_id[current.inputs[0] if isinstance(current, Union) else current.input]
        return self.nodes[current.id].parallelism

    def co_location_group(self, operator: Operator, role: NodeRole) -> str | None:
        """The operator's, where this version hands it on to the parts of an expanded sink."""
        kept = role == "operator" or self.flink.sink_parts_co_locate
        return operator.co_location_group if kept else None

    def inherited_group(self, inputs: GrowingInputs) -> str:
        """The group that all inputs agree on, else the default."""
        if isinstance(inputs, StreamNode):
            return inputs.slot_sharing_group
        groups = {self.nodes[origin.node].slot_sharing_group for origins in inputs for origin in origins}
        return groups.pop() if len(groups) == 1 else DEFAULT_SLOT_SHARING_GROUP

    def strategy(self, operator: Operator) -> ChainingStrategy:
        """The strategy of an operator whose input is not sorted."""
        if operator.chaining is not None:
            return "NEVER" if operator.chaining == "disable" else "HEAD"
        if operator.kind == "multi_input" and operator.chain_sources:
            return "HEAD_WITH_SOURCES"
        if operator.kind == "source" and operator.legacy:
            return "HEAD"
        if operator.kind in TWO_INPUTS and operator.python is None:  # Python operators say ALWAYS themselves
            return self.flink.two_input_strategy
        return "ALWAYS"

    def sorts_input(self, operator: Operator, role: NodeRole) -> bool:
        """Whether batch mode, which this asks about, sorts an input by key: one keyed input of two is enough."""
        keyless = role not in ("operator", "writer") or operator.helper == "collect"  # Flink gives these no key
        if keyless or operator.kind in NEVER_KEYED:
            return False
        inputs = [self.job.by_id[number] for number in operator.inputs]
        return any(isinstance(step, Partition) and step.partitioner == "HASH" for step in inputs)

    def buffer_timeout(self, operator: Operator, role: NodeRole) -> int:
        """The operator's own, which the parts of an expanded sink do not get; -1 stands for the default."""
        own = operator.buffer_timeout
        return own if own is not None and own >= 0 and role == "operator" else self.default_timeout


_ROLE_UIDS: Final[Mapping[NodeRole, str]] = {
    "coordinator": "{}: FileSinkCompactorCoordinator",
    "compactor": "{}: FileSinkCompactorOperator",
    "committer": "Sink Committer: {}",
}


def _yields(operator: Operator, role: NodeRole) -> bool:
    """Whether the operator may take other mail while it works, which Flink asks of async calls and writers."""
    if operator.kind == "async_map":
        return operator.python is None
    return role == "writer" or operator.helper == "split_reader"


def _role_uid(uid: str, role: NodeRole) -> str:
    """The writer keeps the sink's uid; Flink derives those of the other parts from it."""
    return _ROLE_UIDS.get(role, "{}").format(uid)


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
            self._add_after(self.nodes[sources[0]], operator, name)
            return
        inputs = [self.origins.resolve(source) for source in sources]
        node = self.settings.node_of(operator, operator.id, name, "operator", inputs)
        self.insert(node)
        many = len(inputs) > 1 or operator.kind == "multi_input"
        for position, origins in enumerate(inputs):
            for origin in origins:
                self.connect(origin, node, position + 1 if many else 0)

    def _add_after(self, source: StreamNode, operator: Operator, name: str) -> None:
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

    def connect(self, origin: NodeOrigin, target: StreamNode, type_number: int) -> None:
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
            exchanges=self.exchanges(),
        )

    def exchanges(self) -> ExchangeMode:
        """The mode of the edges that have none, where the job sets it for a batch."""
        mode = str(self.job.options.get("execution.batch-shuffle-mode", "")).upper().removeprefix("ALL_EXCHANGES_")
        modes: dict[str, ExchangeMode] = {one: one for one in get_args(ExchangeMode)}
        return modes.get("BATCH" if mode == "BLOCKING" else mode, "UNDEFINED") if self.batch else "UNDEFINED"


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
