"""The StreamGraph: one node an operator, virtual transformations folded into the edges.

`build_stream_graph` walks the operators in creation order. An input that is virtual (a union, a partition, a side
output) is followed back to the operators behind it; what was met on the way becomes the partitioner, the exchange mode
and the side output of the edge. Example: `source.rebalance().map()` is the nodes 1 and 3 and one REBALANCE edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Literal

from planner.errors import PlanningError
from planner.flink.defaults import BUFFER_TIMEOUT
from planner.flink.operator_names import default_name
from planner.flink.profile import FlinkProfile
from planner.flink.registry import flink as flink_profile
from planner.job import Exchange, JobDefinition, Operator, Partition, Partitioner, SideOutput, Union
from planner.kinds import NEVER_KEYED

ChainingStrategy = Literal["ALWAYS", "NEVER", "HEAD", "HEAD_WITH_SOURCES"]
ExchangeMode = Literal["UNDEFINED", "PIPELINED", "BATCH"]
NodeRole = Literal["operator", "writer", "committer"]

DEFAULT_SLOT_SHARING_GROUP = "default"
BUFFER_TIMEOUT_DISABLED = -1
UNSET_MAX_PARALLELISM = -1
_TWO_INPUTS = frozenset({"co_map", "co_flat_map", "co_process"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamNode:
    """One operator of the stream graph."""

    id: int
    name: str
    parallelism: int
    parallelism_configured: bool  # set on the operator (or fixed by Flink), not inherited from the job
    max_parallelism: int  # -1: unset
    slot_sharing_group: str
    co_location_group: str | None
    chaining_strategy: ChainingStrategy
    sorted_input: bool  # batch mode sorts the input of keyed operators, which only the head of a chain can do
    source: Literal["new", "legacy"] | None
    yielding: bool
    buffer_timeout: int  # ms; -1: flushed when full
    uid: str | None
    user_hash: str | None
    role: NodeRole
    operator: Operator  # where it came from


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEdge:
    """One edge of the stream graph. `partition` asked for its partitioner; None: nobody did."""

    source: int
    target: int
    partitioner: Partitioner
    exchange_mode: ExchangeMode
    type_number: int
    side_output: str | None
    partition: Partition | None = None


@dataclass(frozen=True, kw_only=True)
class StreamGraph:
    """Nodes by id and edges by source node, then output order."""

    name: str
    batch: bool
    nodes: tuple[StreamNode, ...]
    edges: tuple[StreamEdge, ...]
    chaining: bool
    chain_different_max_parallelism: bool
    next_id: int  # the first id of Flink's counter that is still free
    in_edges: Mapping[
        int, tuple[int, ...]
    ]  # positions in `edges` of every node's inputs, in the order Flink added them

    @cached_property
    def by_id(self) -> Mapping[int, StreamNode]:
        """The nodes by their id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def out_edges(self) -> Mapping[int, tuple[int, ...]]:
        """Positions in `edges` of every node's outputs, in output order."""
        found: dict[int, list[int]] = {node.id: [] for node in self.nodes}
        for position, edge in enumerate(self.edges):
            found[edge.source].append(position)
        return {node: tuple(positions) for node, positions in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Origin:
    """A stream node behind an input, with what the virtual transformations between ask of the edge."""

    node: int
    partition: Partition | None = None  # the nearest to the consumer decides the partitioner
    exchange: Exchange | None = None  # the nearest to the producer decides the exchange mode, as in Flink
    side_output: str | None = None


def build_stream_graph(job: JobDefinition, flink: FlinkProfile | None = None) -> StreamGraph:
    """Compile the transformations of a job into the StreamGraph of a version of Flink: the newest, if none is given."""
    batch = runs_in_batch_mode(job)
    builder = _Builder(job, batch, flink or flink_profile())
    consumed = _consumed_sources(job)
    for operator in job.operators:
        if operator.kind == "source":
            # Flink reaches sources through their consumers only: one that nobody reads is not in the graph.
            if operator.id in consumed:
                builder.add_operator(operator)
        elif operator.kind == "sink" and operator.api == "v2":
            builder.add_expanded_sink(operator)
        else:
            builder.add_operator(operator)
    if all(operator.kind == "source" for operator in job.operators):
        raise PlanningError(
            "the job has no operators: sources alone do nothing" if job.operators else "the job is empty",
            location=job.location,
            hint="add at least one operator or sink that reads a source",
        )
    return builder.finish()


def runs_in_batch_mode(job: JobDefinition) -> bool:
    """Whether Flink compiles the job as a batch; refuses batch mode over an unbounded source."""
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


def _consumed_sources(job: JobDefinition) -> frozenset[int]:
    """Ids of every transformation that some operator reads, directly or through virtual ones."""
    seen: set[int] = set()
    waiting = [source for operator in job.operators for source in operator.inputs]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        transformation = job.by_id[current]
        if isinstance(transformation, Union):
            waiting.extend(transformation.inputs)
        elif isinstance(transformation, Partition | SideOutput):
            waiting.append(transformation.input)
    return frozenset(seen)


class _Builder:
    """The graph while it grows; ids of expanded sinks continue Flink's one counter of transformations."""

    def __init__(self, job: JobDefinition, batch: bool, flink: FlinkProfile) -> None:
        self.job = job
        self.batch = batch
        self.flink = flink
        self.ids = count(job.next_id or max((t.id for t in job.transformations), default=0) + 1)
        self.nodes: dict[int, StreamNode] = {}
        self.out: dict[int, list[StreamEdge]] = {}
        self.into: dict[int, list[StreamEdge]] = {}
        self.origins: dict[int, tuple[_Origin, ...]] = {}

    def add_operator(self, operator: Operator) -> None:
        inputs = [self.resolve(source) for source in operator.inputs]
        node = self.node_of(operator, operator.id, default_name(self.job, operator), "operator", inputs)
        self.insert(node)
        many = len(inputs) > 1 or operator.kind == "multi_input"
        for position, origins in enumerate(inputs):
            for origin in origins:
                self.connect(origin, node, position + 1 if many else 0)
        self.origins[operator.id] = (_Origin(node=node.id),)

    def add_expanded_sink(self, operator: Operator) -> None:
        """A sinkTo becomes a writer and, where the sink commits, a committer behind a batch exchange."""
        inputs = [self.resolve(source) for source in operator.inputs]
        name = "Sink" if operator.name is None else operator.name
        writer_id = next(self.ids)
        writer = self.node_of(operator, writer_id, f"{name}: Writer", "writer", inputs)
        barrier = committer_id = 0
        if operator.committer:
            barrier, committer_id = next(self.ids), next(self.ids)
        self.insert(writer)
        for origin in inputs[0]:
            self.connect(origin, writer, 0)
        if operator.committer:
            region = Partition(
                id=barrier, input=writer_id, partitioner="FORWARD", exchange="batch", location=operator.location
            )
            next(self.ids)  # the virtual node of the exchange
            origin = _Origin(node=writer_id, partition=region, exchange="batch")
            committer = self.node_of(operator, committer_id, f"{name}: Committer", "committer", [(origin,)])
            self.insert(committer)
            self.connect(origin, committer, 0)
        for _ in range(operator.extra_ids):
            next(self.ids)

    def resolve(self, transformation_id: int) -> tuple[_Origin, ...]:
        """The stream nodes behind a transformation; virtual ones are resolved once, innermost first."""
        path = [transformation_id]
        while path:
            current = path[-1]
            if current in self.origins:
                path.pop()
                continue
            transformation = self.job.by_id[current]
            sources = transformation.inputs if isinstance(transformation, Union | Operator) else (transformation.input,)
            missing = [source for source in sources if source not in self.origins]
            if missing:
                path.extend(reversed(missing))
                continue
            self.origins[current] = tuple(self.fold(transformation))
            path.pop()
        return self.origins[transformation_id]

    def fold(self, transformation: Union | Partition | SideOutput | Operator) -> Iterator[_Origin]:
        """What one virtual transformation makes of the origins behind it."""
        if isinstance(transformation, Operator):
            raise PlanningError(f"{transformation.key} is read before it is defined", location=transformation.location)
        if isinstance(transformation, Union):
            for source in transformation.inputs:
                yield from self.origins[source]
            return
        for origin in self.origins[transformation.input]:
            next(self.ids)  # Flink numbers a virtual node for each
            if isinstance(transformation, SideOutput):
                yield _Origin(
                    node=origin.node,
                    partition=origin.partition,
                    exchange=origin.exchange,
                    side_output=transformation.tag,
                )
            else:
                exchange = origin.exchange if origin.partition else transformation.exchange
                yield _Origin(
                    node=origin.node, partition=transformation, exchange=exchange, side_output=origin.side_output
                )

    def node_of(
        self, operator: Operator, node_id: int, name: str, role: NodeRole, inputs: Sequence[tuple[_Origin, ...]]
    ) -> StreamNode:
        job = self.job
        single = operator.kind == "source" and operator.legacy and not operator.parallel
        fixed_by_flink = single or (self.batch and role != "operator" and self.flink.sink_parallelism_is_set)
        set_by_user = operator.parallelism is not None and not operator.parallelism_inherited
        return StreamNode(
            id=node_id,
            name=name,
            parallelism=operator.parallelism or (1 if single else self.inherited_parallelism(operator)),
            parallelism_configured=set_by_user or fixed_by_flink,
            max_parallelism=operator.max_parallelism or job.max_parallelism or UNSET_MAX_PARALLELISM,
            slot_sharing_group=operator.slot_sharing_group or self.inherited_group(inputs),
            co_location_group=operator.co_location_group or (f"sink-{operator.id}" if operator.co_locates else None),
            chaining_strategy=self.strategy(operator, role),
            sorted_input=self.sorts_input(operator, role),
            source=None if operator.kind != "source" else "legacy" if operator.legacy else "new",
            yielding=(operator.kind == "async_map" and operator.python is None) or role == "writer",
            buffer_timeout=self.buffer_timeout(operator if role == "operator" else None),
            uid=_role_uid(operator.uid, role),
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

    def inherited_group(self, inputs: Sequence[tuple[_Origin, ...]]) -> str:
        """The group that all inputs agree on, else the default."""
        groups = {self.nodes[origin.node].slot_sharing_group for origins in inputs for origin in origins}
        return groups.pop() if len(groups) == 1 else DEFAULT_SLOT_SHARING_GROUP

    def strategy(self, operator: Operator, role: NodeRole) -> ChainingStrategy:
        if operator.chaining == "disable":
            return "NEVER"
        if operator.chaining == "start_new" or self.sorts_input(operator, role):
            return "HEAD"
        if operator.kind == "multi_input" and operator.chain_sources:
            return "HEAD_WITH_SOURCES"
        if operator.kind == "source" and operator.legacy:
            return "HEAD"
        if operator.kind in _TWO_INPUTS and operator.python is None:  # Python operators say ALWAYS themselves
            return self.flink.two_input_strategy
        return "ALWAYS"

    def sorts_input(self, operator: Operator, role: NodeRole) -> bool:
        """Whether batch mode sorts an input by key: one keyed input of two is enough."""
        if not self.batch or role == "committer" or operator.kind in NEVER_KEYED:
            return False
        inputs = [self.job.by_id[number] for number in operator.inputs]
        return any(isinstance(step, Partition) and step.partitioner == "HASH" for step in inputs)

    def buffer_timeout(self, operator: Operator | None) -> int:
        if operator is not None and operator.buffer_timeout is not None and operator.buffer_timeout >= 0:
            return operator.buffer_timeout
        if self.batch:
            return BUFFER_TIMEOUT_DISABLED
        return BUFFER_TIMEOUT if self.job.buffer_timeout is None else self.job.buffer_timeout

    def insert(self, node: StreamNode) -> None:
        self.nodes[node.id] = node
        self.out[node.id] = []
        self.into[node.id] = []

    def connect(self, origin: _Origin, target: StreamNode, type_number: int) -> None:
        source = self.nodes[origin.node]
        edge = StreamEdge(
            source=source.id,
            target=target.id,
            partitioner=self.partitioner(origin, source, target),
            exchange_mode=self.exchange_mode(origin.exchange),
            type_number=type_number,
            side_output=origin.side_output,
            partition=origin.partition,
        )
        self.out[source.id].append(edge)
        self.into[target.id].append(edge)

    def partitioner(self, origin: _Origin, source: StreamNode, target: StreamNode) -> Partitioner:
        same = source.parallelism == target.parallelism
        if origin.partition is None:
            return "FORWARD" if same else "REBALANCE"
        if origin.partition.partitioner == "FORWARD" and not same:
            raise PlanningError(
                f"forward from {source.name} (parallelism {source.parallelism}) to {target.name} "
                f"(parallelism {target.parallelism}): forward needs the same parallelism on both sides",
                location=origin.partition.location,
                hint=f"give {target.operator.key} and {source.operator.key} one parallelism, or replace forward "
                "by rebalance or rescale",
            )
        return origin.partition.partitioner

    def exchange_mode(self, exchange: Exchange | None) -> ExchangeMode:
        if exchange == "pipelined":
            return "PIPELINED"
        return "BATCH" if exchange == "batch" and self.batch else "UNDEFINED"

    def finish(self) -> StreamGraph:
        nodes = tuple(self.nodes[node] for node in sorted(self.nodes))
        edges = tuple(edge for node in nodes for edge in self.out[node.id])
        position = {id(edge): number for number, edge in enumerate(edges)}
        return StreamGraph(
            name=self.job.name or ("Flink Batch Job" if self.batch else "Flink Streaming Job"),
            batch=self.batch,
            nodes=nodes,
            edges=edges,
            chaining=self.job.chaining,
            chain_different_max_parallelism=self.job.chain_different_max_parallelism,
            in_edges={node: tuple(position[id(edge)] for edge in found) for node, found in self.into.items()},
            next_id=next(self.ids),
        )


def _role_uid(uid: str | None, role: NodeRole) -> str | None:
    """The writer keeps the sink's uid; Flink derives the committer's from it."""
    return f"Sink Committer: {uid}" if uid is not None and role == "committer" else uid
