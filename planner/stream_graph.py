"""The StreamGraph: one node an operator, virtual transformations folded into the edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from planner.job import JobDefinition, Operator, Partition, Partitioner

ChainingStrategy = Literal["ALWAYS", "NEVER", "HEAD", "HEAD_WITH_SOURCES"]
ExchangeMode = Literal["UNDEFINED", "PIPELINED", "BATCH"]
NodeRole = Literal["operator", "writer", "committer"]


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
    source: Literal["new", "legacy"] | None
    yielding: bool
    buffer_timeout: int  # ms; -1: flushed when full
    uid: str | None
    user_hash: str | None
    role: NodeRole
    operator: Operator  # where it came from
    output_only_after_end: bool = False  # batch mode: a sorted (keyed) operator emits at the end of its input


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEdge:
    """One edge of the stream graph. `partition` is the transformation that asked for its partitioner, None by default."""

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

    @cached_property
    def by_id(self) -> Mapping[int, StreamNode]:
        """The nodes by their id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def out_edges(self) -> Mapping[int, tuple[int, ...]]:
        """Positions in `edges` of every node's output edges, in output order."""
        return _positions(self, "source")

    @cached_property
    def in_edges(self) -> Mapping[int, tuple[int, ...]]:
        """Positions in `edges` of every node's input edges, in the order Flink added them."""
        return _positions(self, "target")


def _positions(graph: StreamGraph, end: Literal["source", "target"]) -> Mapping[int, tuple[int, ...]]:
    raise NotImplementedError


def build_stream_graph(job: JobDefinition) -> StreamGraph:
    raise NotImplementedError
