"""The ExecutionGraph: every vertex in parallel, edges as ranges of consumed partitions."""

from __future__ import annotations

from collections.abc import Iterator

from planner.errors import PlanningError
from planner.flink.defaults import MAX_MAX_PARALLELISM, default_max_parallelism
from planner.graphs.job_graph import PIPELINED, Distribution, JobEdge, JobGraph, JobVertex, ResultType
from planner.graphs.regions import pipelined_regions
from planner.graphs.stream_graph import StreamGraph
from planner.records import maker, record

Consumed = tuple[int, int, int]  # consumer subtask, first partition, last partition


@record
class IntermediateResult:
    """What one vertex produces for one data set: `partitions` partitions, one per producing subtask."""

    data_set: int
    producer: int  # vertex position
    partitions: int
    result_type: ResultType
    consumers: tuple[int, ...]  # positions of the reading vertices


@record
class ExecutionEdge:
    """One job edge at run time: which range of partitions each consumer subtask reads."""

    job_edge: int  # position in JobGraph.edges
    source: int  # vertex positions
    target: int
    distribution: Distribution
    consumed: tuple[Consumed, ...]

    @property
    def channels(self) -> int:
        """How many channels the ranges stand for."""
        consumers, producers = len(self.consumed), self.consumed[-1][2] + 1
        # Pointwise, each subtask of the larger side has one channel.
        return consumers * producers if self.distribution == "ALL_TO_ALL" else max(consumers, producers)


@record
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


def build_execution_graph(graph: StreamGraph, job_graph: JobGraph) -> ExecutionGraph | None:
    """Expand a job graph into its subtasks; None while batch mode has not decided every parallelism."""
    if not job_graph.dynamic:  # batch mode meets its limits while the job runs: Flink compiles it
        for vertex in job_graph.vertices:
            _refuse_low_max_parallelism(graph, vertex)
    parallelisms = tuple([vertex.parallelism for vertex in job_graph.vertices])
    if min(parallelisms) < 1:
        return None
    edges = _expand(job_graph, parallelisms)
    slots: dict[str, int] = {}
    for vertex in job_graph.vertices:
        slots[vertex.sharing] = max(slots.get(vertex.sharing, 0), vertex.parallelism)
    return ExecutionGraph(
        parallelisms=parallelisms,
        edges=edges,
        results=_results(job_graph, parallelisms),
        execution_vertices=sum(parallelisms),
        execution_edges=sum(edge.channels for edge in edges),
        required_slots=sum(slots.values()),
        slots_by_group=tuple(sorted(slots.items())),
        pipelined_regions=_count_regions(job_graph),
    )


def consumed_ranges(distribution: Distribution, producers: int, consumers: int) -> Iterator[Consumed]:
    """Which partitions each consumer reads. Pointwise spreads the larger side evenly over the smaller, in order."""
    if distribution == "ALL_TO_ALL":
        return ((subtask, 0, producers - 1) for subtask in range(consumers))
    if producers >= consumers:
        return (
            (subtask, subtask * producers // consumers, (subtask + 1) * producers // consumers - 1)
            for subtask in range(consumers)
        )
    return (
        (subtask, partition, partition)
        for partition in range(producers)
        for subtask in range(
            (partition * consumers + producers - 1) // producers,
            ((partition + 1) * consumers + producers - 1) // producers,
        )
    )


def _expand(job_graph: JobGraph, parallelisms: tuple[int, ...]) -> tuple[ExecutionEdge, ...]:
    """Every job edge with its ranges; edges of one shape have the same ranges, which are made once."""
    make = maker(ExecutionEdge)
    ranges: dict[tuple[Distribution, int, int], tuple[Consumed, ...]] = {}
    expanded: list[ExecutionEdge] = []
    for number, edge in enumerate(job_graph.edges):
        shape = (edge.distribution, parallelisms[edge.source], parallelisms[edge.target])
        if shape not in ranges:
            ranges[shape] = tuple(consumed_ranges(*shape))
        expanded.append(
            make(
                job_edge=number,
                source=edge.source,
                target=edge.target,
                distribution=edge.distribution,
                consumed=ranges[shape],
            )
        )
    return tuple(expanded)


def _results(job_graph: JobGraph, parallelisms: tuple[int, ...]) -> tuple[IntermediateResult, ...]:
    readers: dict[int, list[JobEdge]] = {}
    for edge in job_graph.edges:
        readers.setdefault(edge.data_set, []).append(edge)
    make = maker(IntermediateResult)
    return tuple(
        [
            make(
                data_set=data_set,
                producer=edges[0].source,
                partitions=parallelisms[edges[0].source],
                result_type=edges[0].result_type,
                consumers=tuple([edge.target for edge in edges]),
            )
            for data_set, edges in sorted(readers.items())
        ]
    )


def _count_regions(job_graph: JobGraph) -> int:
    pipelined = [edge.result_type == PIPELINED for edge in job_graph.edges]
    ends = [(edge.source, edge.target) for edge in job_graph.edges]
    return len(set(pipelined_regions(len(job_graph.vertices), ends, pipelined)))


def _refuse_low_max_parallelism(graph: StreamGraph, vertex: JobVertex) -> None:
    most = vertex.max_parallelism if vertex.max_parallelism > 0 else default_max_parallelism(vertex.parallelism)
    if vertex.parallelism <= most:
        return
    raise PlanningError(
        f"{vertex.name} has parallelism {vertex.parallelism}, above its max parallelism {most}",
        location=graph.by_id[vertex.head].operator.location,
        hint="lower the parallelism or raise the max parallelism (at most "
        f"{MAX_MAX_PARALLELISM}); changing max parallelism later means starting without state",
    )
