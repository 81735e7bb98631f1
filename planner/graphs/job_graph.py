"""The JobGraph: one vertex per chain, in topological source-first order.

The steps, each a function: form the chains from the entry points (Flink's order of creation decides all later orders),
settle parallelism where batch mode leaves it open, connect the chains, put them in topological order, share slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from planner.errors import PlanningError
from planner.flink.vertex_order import source_first_order
from planner.graphs.chains import Chain, form_chains
from planner.graphs.dynamic_parallelism import decide_parallelism
from planner.graphs.obstacle import Obstacle
from planner.graphs.regions import pipelined_regions
from planner.graphs.stream_graph import BUFFER_TIMEOUT_DISABLED, DEFAULT_SLOT_SHARING_GROUP, StreamEdge, StreamGraph
from planner.job import Partitioner
from planner.records import record

Distribution = Literal["POINTWISE", "ALL_TO_ALL"]
ResultType = Literal["PIPELINED_BOUNDED", "BLOCKING"]

_POINTWISE: frozenset[Partitioner] = frozenset({"FORWARD", "RESCALE"})


@record
class JobVertex:
    """One chain of operators, deployed as one task per subtask."""

    id: str  # operator id of the chain's head, 32 hex digits
    name: str
    parallelism: int  # -1: decided at run time (batch mode)
    max_parallelism: int
    slot_sharing_group: str
    sharing: str  # vertices with one value may share slots: the group, and in batch mode its pipelined region
    co_location_group: str | None
    head: int  # stream node id
    nodes: tuple[int, ...]  # stream node ids, head first, depth first in output order
    chained_sources: tuple[int, ...]  # stream node ids of sources chained into a multi-input head
    operator_ids: tuple[str, ...]  # in Flink's order (deepest first); chained sources are not listed, as in Flink
    user_hashes: tuple[str | None, ...]


@record
class JobEdge:
    """An exchange between two vertices; `source` and `target` are positions in `JobGraph.vertices`."""

    source: int
    target: int
    stream_edge: int  # position in StreamGraph.edges
    data_set: int  # edges of one number read the same intermediate data set
    distribution: Distribution
    result_type: ResultType
    ship_strategy: Partitioner
    type_number: int


@record
class JobGraph:
    """Vertices in topological source-first order, edges by target in that order."""

    name: str
    vertices: tuple[JobVertex, ...]
    edges: tuple[JobEdge, ...]
    dynamic: bool  # batch mode: parallelism -1 is decided at run time


def build_job_graph(
    graph: StreamGraph, obstacles: Sequence[tuple[Obstacle, ...]], operator_ids: Mapping[int, str]
) -> JobGraph:
    """Compile a stream graph into Flink's JobGraph."""
    chains = form_chains(graph, obstacles)
    parallelism = decide_parallelism(graph, chains)
    vertices = [
        _vertex(graph, chain, operator_ids, *parallelism[number]) for number, chain in enumerate(chains)
    ]  # in Flink's order of creation, consumers before producers
    edges = _connect(graph, chains, parallelism)
    order = source_first_order(len(vertices), [(edge.source, edge.target) for edge in edges], _output_order(edges))
    vertices, edges = _renumber(vertices, edges, order)
    vertices = _share_slots(graph, vertices, edges)
    _refuse_split_co_location(graph, vertices)
    return JobGraph(name=graph.name, vertices=tuple(vertices), edges=tuple(edges), dynamic=graph.batch)


def ship_strategy(graph: StreamGraph, edge: StreamEdge) -> Partitioner:
    """How an unchained edge ships records: where batch mode chose forward itself and could not chain, it rescales."""
    unspecified = graph.batch and edge.partition is None and edge.partitioner == "FORWARD"
    return "RESCALE" if unspecified else edge.partitioner


def _vertex(
    graph: StreamGraph, chain: Chain, operator_ids: Mapping[int, str], parallelism: int, max_parallelism: int
) -> JobVertex:
    head = graph.by_id[chain.head]
    return JobVertex(
        id=operator_ids[chain.head],
        name=chain.name,
        parallelism=parallelism,
        max_parallelism=max_parallelism,
        slot_sharing_group=head.slot_sharing_group,
        sharing=head.slot_sharing_group,
        co_location_group=head.co_location_group,
        head=chain.head,
        nodes=chain.nodes,
        chained_sources=chain.sources,
        operator_ids=tuple(operator_ids[node] for node in chain.finished),
        user_hashes=tuple(graph.by_id[node].user_hash for node in chain.finished),
    )


def _connect(graph: StreamGraph, chains: Sequence[Chain], parallelism: Sequence[tuple[int, int]]) -> list[JobEdge]:
    """The exchanges between chains, in the order in which Flink connects them."""
    number_of = {node: number for number, chain in enumerate(chains) for node in (*chain.nodes, *chain.sources)}
    data_sets: dict[object, int] = {}
    edges = []
    for number, chain in enumerate(chains):
        for position in chain.out_edges:
            edge = graph.edges[position]
            target = number_of[edge.target]
            result = _result_type(graph, edge)
            _refuse_buffer_timeout(graph, edge, result)
            shared = _reuse_key(graph, position, result, parallelism[target])
            ship = ship_strategy(graph, edge)
            edges.append(
                JobEdge(
                    source=number,
                    target=target,
                    stream_edge=position,
                    data_set=data_sets.setdefault(shared, len(data_sets)),
                    distribution="POINTWISE" if ship in _POINTWISE else "ALL_TO_ALL",
                    result_type=result,
                    ship_strategy=ship,
                    type_number=edge.type_number,
                )
            )
    return edges


def _result_type(graph: StreamGraph, edge: StreamEdge) -> ResultType:
    if edge.exchange_mode == "UNDEFINED":
        return "BLOCKING" if graph.batch else "PIPELINED_BOUNDED"
    return "BLOCKING" if edge.exchange_mode == "BATCH" else "PIPELINED_BOUNDED"


def _reuse_key(graph: StreamGraph, position: int, result: ResultType, target: tuple[int, int]) -> object:
    """Edges with an equal key read one data set. Only blocking results are read twice.

    Partitioners are equal by their kind; key selectors and custom partitioners only as one and the same object, so that
    one keyed stream read twice shares its data set, and two calls of `key_by` or `partition_custom` never do.
    """
    edge = graph.edges[position]
    if result != "BLOCKING":
        return position
    call = edge.partition.id if edge.partition and edge.partitioner in ("HASH", "CUSTOM") else None
    return (edge.source, edge.side_output, ship_strategy(graph, edge), call, target)


def _refuse_buffer_timeout(graph: StreamGraph, edge: StreamEdge, result: ResultType) -> None:
    source = graph.by_id[edge.source]
    if result != "BLOCKING" or source.buffer_timeout == BUFFER_TIMEOUT_DISABLED:
        return
    raise PlanningError(
        f"{source.operator.key} has a buffer timeout of {source.buffer_timeout} ms, but its output is blocking",
        location=source.operator.location,
        hint="remove the operator's buffer timeout: batch mode writes whole results and flushes nothing",
    )


def _output_order(edges: Sequence[JobEdge]) -> dict[int, list[int]]:
    """Positions in `edges` of every vertex's outputs: data sets as they were made, each with its readers."""
    found: dict[int, dict[int, list[int]]] = {}
    for position, edge in enumerate(edges):
        found.setdefault(edge.source, {}).setdefault(edge.data_set, []).append(position)
    return {source: [edge for readers in sets.values() for edge in readers] for source, sets in found.items()}


def _renumber(
    vertices: Sequence[JobVertex], edges: Sequence[JobEdge], order: Sequence[int]
) -> tuple[list[JobVertex], list[JobEdge]]:
    position = {number: place for place, number in enumerate(order)}
    moved = [
        JobEdge(  # written out: `replace` takes three times as long, and a large job has many edges
            source=position[edge.source],
            target=position[edge.target],
            stream_edge=edge.stream_edge,
            data_set=edge.data_set,
            distribution=edge.distribution,
            result_type=edge.result_type,
            ship_strategy=edge.ship_strategy,
            type_number=edge.type_number,
        )
        for edge in edges
    ]
    return [vertices[number] for number in order], sorted(moved, key=lambda edge: edge.target)


def _share_slots(graph: StreamGraph, vertices: Sequence[JobVertex], edges: Sequence[JobEdge]) -> list[JobVertex]:
    """In batch mode the default group falls apart into one for each pipelined region."""
    if not graph.batch:
        return list(vertices)
    pipelined = [edge.result_type != "BLOCKING" for edge in edges]
    regions = pipelined_regions(len(vertices), [(edge.source, edge.target) for edge in edges], pipelined)
    return [
        replace(vertex, sharing=f"{DEFAULT_SLOT_SHARING_GROUP}/{regions[place]}")
        if vertex.slot_sharing_group == DEFAULT_SLOT_SHARING_GROUP
        else vertex
        for place, vertex in enumerate(vertices)
    ]


def _refuse_split_co_location(graph: StreamGraph, vertices: Sequence[JobVertex]) -> None:
    first: dict[str, JobVertex] = {}
    for vertex in vertices:
        if vertex.co_location_group is None:
            continue
        other = first.setdefault(vertex.co_location_group, vertex)
        if other.sharing != vertex.sharing:
            raise PlanningError(
                f'co-location group "{vertex.co_location_group}" holds {other.name} (slot sharing group '
                f"{other.sharing}) and {vertex.name} (slot sharing group {vertex.sharing})",
                location=graph.by_id[vertex.head].operator.location,
                hint="co-located operators need one slot sharing group",
            )
