"""The ExecutionGraph: every vertex in parallel, edges as ranges of consumed partitions."""

from __future__ import annotations

from dataclasses import dataclass

from planner.job_graph import Distribution, ResultType


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateResult:
    """What one vertex produces for one data set: `partitions` partitions, one a producing subtask."""

    data_set: int
    producer: int  # vertex position
    partitions: int
    result_type: ResultType
    consumers: tuple[int, ...]  # positions of the reading vertices


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionEdge:
    """One job edge at run time: which range of partitions each consumer subtask reads."""

    job_edge: int  # position in JobGraph.edges
    source: int  # vertex positions
    target: int
    distribution: Distribution
    consumed: tuple[tuple[int, int, int], ...]  # (consumer subtask, first partition, last partition)

    @property
    def channels(self) -> int:
        """How many channels the ranges stand for."""
        return sum(last - first + 1 for _, first, last in self.consumed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionGraph:
    """The parallel plan, without an object per subtask or per channel."""

    parallelisms: tuple[int, ...]  # subtasks of each job vertex
    edges: tuple[ExecutionEdge, ...]
    results: tuple[IntermediateResult, ...]
    execution_vertices: int
    execution_edges: int
    required_slots: int
    slots_by_group: tuple[tuple[str, int], ...]
    pipelined_regions: int  # of the job graph
