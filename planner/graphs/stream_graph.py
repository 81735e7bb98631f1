"""The StreamGraph: one node per operator, virtual transformations folded into the edges.

Example: `source.rebalance().map()` is the nodes 1 and 3 and one REBALANCE edge. `stream_building` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from planner.job import Operator, Partition, Partitioner
from planner.records import record

ChainingStrategy = Literal["ALWAYS", "NEVER", "HEAD", "HEAD_WITH_SOURCES"]
ExchangeMode = Literal["UNDEFINED", "PIPELINED", "BATCH", "HYBRID_FULL", "HYBRID_SELECTIVE"]
SourceKind = Literal["new", "legacy"]
NodeRole = Literal["operator", "writer", "coordinator", "compactor", "committer"]

DEFAULT_SLOT_SHARING_GROUP = "default"
BUFFER_TIMEOUT_DISABLED = -1
UNSET_MAX_PARALLELISM = -1


@record(kw_only=False)
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
    source: SourceKind | None
    yielding: bool
    buffer_timeout: int  # ms; -1: flushed when full
    uid: str | None
    user_hash: str | None
    role: NodeRole
    operator: Operator  # where it came from

    @property
    def after_writer(self) -> bool:
        """Whether it is a part of a sink that takes no records, only what was written."""
        return self.role not in ("operator", "writer")


@record
class StreamEdge:
    """One edge of the stream graph. `partition` asked for its partitioner; None: nobody did."""

    source: int
    target: int
    partitioner: Partitioner
    exchange_mode: ExchangeMode
    type_number: int
    side_output: str | None
    partition: Partition | None = None


@record(slots=False)
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
    exchanges: ExchangeMode = "UNDEFINED"  # of edges that have none; UNDEFINED: as the mode has it

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
        return dict(zip(found, map(tuple, found.values()), strict=True))
