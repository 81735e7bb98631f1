"""The JobGraph: one vertex a chain, in topological source-first order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.job import Partitioner

Distribution = Literal["POINTWISE", "ALL_TO_ALL"]
ResultType = Literal["PIPELINED", "PIPELINED_BOUNDED", "BLOCKING"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVertex:
    """One chain of operators, deployed as one task a subtask."""

    id: str  # operator id of the chain's head, 32 hex digits
    name: str
    parallelism: int  # -1: decided at run time (batch mode)
    max_parallelism: int
    slot_sharing_group: str
    co_location_group: str | None
    head: int  # stream node id
    nodes: tuple[int, ...]  # stream node ids, head first, depth first in output order
    chained_sources: tuple[int, ...]  # stream node ids of sources chained into a multi-input head
    operator_ids: tuple[str, ...]  # in Flink's order (deepest first); chained sources are not listed, as in Flink
    user_hashes: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEdge:
    """A network (or local) exchange between two vertices; `source` and `target` are positions in `JobGraph.vertices`."""

    source: int
    target: int
    stream_edge: int  # position in StreamGraph.edges
    data_set: int  # edges of one number read the same intermediate data set
    distribution: Distribution
    result_type: ResultType
    ship_strategy: Partitioner
    type_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGraph:
    """Vertices in topological source-first order, edges by target in that order."""

    name: str
    vertices: tuple[JobVertex, ...]
    edges: tuple[JobEdge, ...]
    dynamic: bool  # batch mode: parallelism -1 is decided at run time
