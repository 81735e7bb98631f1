"""The JobGraph: one vertex per chain, in topological source-first order.

The steps, each a function: form the chains from the entry points (Flink's order of creation decides all later orders),
settle parallelism where batch mode leaves it open, connect the chains, put them in topological order, share slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Literal, NoReturn

from planner.errors import PlanningError
from planner.flink.vertex_order import source_first_order
from planner.graphs.chains import Chain, form_chains
from planner.graphs.components import Components
from planner.graphs.regions import pipelined_regions
from planner.graphs.stream_graph import (
    BUFFER_TIMEOUT_DISABLED,
    DEFAULT_SLOT_SHARING_GROUP,
    UNSET_MAX_PARALLELISM,
    ExchangeMode,
    StreamEdge,
    StreamGraph,
    StreamNode,
)
from planner.job import Partitioner
from planner.records import maker, record
from planner.rules import Obstacle

UNDECIDED = -1


def decide_parallelism(graph: StreamGraph, chains: Sequence[Chain]) -> list[tuple[int, int]]:
    """Parallelism and max parallelism of every chain, -1 where Flink decides while the job runs."""
    settled = [(graph.by_id[chain.head].parallelism, graph.by_id[chain.head].max_parallelism) for chain in chains]
    if not graph.batch:
        return settled
    opened = [
        (parallelism if _configured(graph, chain) else UNDECIDED, most)
        for chain, (parallelism, most) in zip(chains, settled, strict=True)
    ]
    return _settle_forward_groups(graph, chains, opened)


def _configured(graph: StreamGraph, chain: Chain) -> bool:
    return any(graph.by_id[node].parallelism_configured for node in (*chain.nodes, *chain.sources))


def _settle_forward_groups(
    graph: StreamGraph, chains: Sequence[Chain], opened: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Chains joined by forward edges that the user asked for run with one parallelism and one max parallelism."""
    number_of = {chain.head: number for number, chain in enumerate(chains)}
    groups = Components(len(chains))
    for number, chain in enumerate(chains):
        for position in chain.out_edges:
            edge = graph.edges[position]
            if edge.partitioner == "FORWARD" and edge.partition is not None:
                groups.join(number, number_of[edge.target])
    settled = list(opened)
    for members in groups.members().values():
        if len(members) == 1:
            continue
        decided = max(opened[number][0] for number in members)
        limits = [most for number in members if (most := opened[number][1]) > 0]
        most = min(limits, default=UNSET_MAX_PARALLELISM)
        if 0 < most < decided:
            _refuse_limit(graph, chains[members[0]], decided, most)
        for number in members:
            settled[number] = (decided, most)
    return settled


def _refuse_limit(graph: StreamGraph, chain: Chain, parallelism: int, most: int) -> NoReturn:
    raise PlanningError(
        f"forward edges give {chain.name} and its neighbours parallelism {parallelism}, but one of them has the max "
        f"parallelism {most}",
        location=graph.by_id[chain.head].operator.location,
        hint=f"raise that max parallelism to {parallelism} or more, or replace forward by rescale",
    )


Distribution = Literal["POINTWISE", "ALL_TO_ALL"]
ResultType = Literal["PIPELINED_BOUNDED", "BLOCKING", "HYBRID_FULL", "HYBRID_SELECTIVE"]
PIPELINED: ResultType = "PIPELINED_BOUNDED"  # read while it is written; all others can be read later

POINTWISE: frozenset[Partitioner] = frozenset({"FORWARD", "RESCALE"})


@record(kw_only=False)
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
    exchanges = _connect(graph, chains, parallelism)  # chains in Flink's order of creation, consumers before producers
    ends = [(source, target) for source, target, *_ in exchanges]
    order = source_first_order(len(chains), ends, _output_order(exchanges))
    make = maker(JobVertex)
    vertices = [_vertex(make, graph, chains[number], operator_ids, *parallelism[number]) for number in order]
    edges = _edges(graph, exchanges, order)
    vertices = _share_slots(graph, vertices, edges)
    _refuse_split_co_location(graph, vertices)
    return JobGraph(name=graph.name, vertices=tuple(vertices), edges=tuple(edges), dynamic=graph.batch)


def ship_strategy(graph: StreamGraph, edge: StreamEdge) -> Partitioner:
    """How an unchained edge ships records: where batch mode chose forward itself and could not chain, it rescales."""
    unspecified = graph.batch and edge.partition is None and edge.partitioner == "FORWARD"
    return "RESCALE" if unspecified else edge.partitioner


def _vertex(
    make: Callable[..., JobVertex],
    graph: StreamGraph,
    chain: Chain,
    operator_ids: Mapping[int, str],
    parallelism: int,
    max_parallelism: int,
) -> JobVertex:
    head = graph.by_id[chain.head]
    alone = len(chain.finished) == 1
    return make(  # by position, in the order of the fields: a large job has many
        operator_ids[chain.head],
        chain.name,
        parallelism,
        max_parallelism,
        head.slot_sharing_group,
        head.slot_sharing_group,  # batch mode may split it
        head.co_location_group,
        chain.head,
        chain.nodes,
        chain.sources,
        (operator_ids[chain.head],) if alone else tuple([operator_ids[node] for node in chain.finished]),
        (head.user_hash,) if alone else tuple([graph.by_id[node].user_hash for node in chain.finished]),
    )


# Two chains by their numbers, the stream edge between them, the data set and how it is handed over.
Connected = tuple[int, int, int, int, ResultType]


def _connect(graph: StreamGraph, chains: Sequence[Chain], parallelism: Sequence[tuple[int, int]]) -> list[Connected]:
    """The exchanges between chains, in the order in which Flink connects them."""
    number_of = {chain.head: number for number, chain in enumerate(chains)}
    data_sets: dict[object, int] = {}
    found: list[Connected] = []
    for number, chain in enumerate(chains):
        for position in chain.out_edges:
            edge = graph.edges[position]
            target = number_of[edge.target]
            shared: object = position
            result = _result_type(graph, edge)
            if result == "BLOCKING":
                _refuse_buffer_timeout(graph.by_id[edge.source])
            if result != PIPELINED:
                shared = _reuse_key(graph, edge, parallelism[target])
            found.append((number, target, position, data_sets.setdefault(shared, len(data_sets)), result))
    return found


def _edges(graph: StreamGraph, exchanges: Sequence[Connected], order: Sequence[int]) -> list[JobEdge]:
    """The exchanges with the positions of their vertices, by target."""
    place_of = [0] * len(order)
    for place, number in enumerate(order):
        place_of[number] = place
    make = maker(JobEdge)
    edges: list[JobEdge] = []
    for source, target, position, data_set, result in exchanges:
        edge = graph.edges[position]
        ship = ship_strategy(graph, edge)
        edges.append(
            make(
                source=place_of[source],
                target=place_of[target],
                stream_edge=position,
                data_set=data_set,
                distribution="POINTWISE" if ship in POINTWISE else "ALL_TO_ALL",
                result_type=result,
                ship_strategy=ship,
                type_number=edge.type_number,
            )
        )
    edges.sort(key=attrgetter("target"))
    return edges


_RESULTS: Mapping[ExchangeMode, ResultType] = {
    "PIPELINED": PIPELINED,
    "BATCH": "BLOCKING",
    "HYBRID_FULL": "HYBRID_FULL",
    "HYBRID_SELECTIVE": "HYBRID_SELECTIVE",
}


def _result_type(graph: StreamGraph, edge: StreamEdge) -> ResultType:
    mode = graph.exchanges if edge.exchange_mode == "UNDEFINED" else edge.exchange_mode
    if mode == "UNDEFINED":
        mode = "BATCH" if graph.batch else "PIPELINED"
    return _RESULTS[mode]


def _reuse_key(graph: StreamGraph, edge: StreamEdge, target: tuple[int, int]) -> object:
    """Blocking results with an equal key are one data set. Only these are read twice.

    Partitioners are equal by their kind; key selectors and custom partitioners only as one and the same object, so that
    one keyed stream read twice shares its data set, and two calls of `key_by` or `partition_custom` never do.
    """
    call = edge.partition.id if edge.partition and edge.partitioner in ("HASH", "CUSTOM") else None
    return (edge.source, edge.side_output, ship_strategy(graph, edge), call, target)


def _refuse_buffer_timeout(source: StreamNode) -> None:
    if source.buffer_timeout == BUFFER_TIMEOUT_DISABLED:
        return
    raise PlanningError(
        f"{source.operator.key} has a buffer timeout of {source.buffer_timeout} ms, but its output is blocking",
        location=source.operator.location,
        hint="remove the operator's buffer timeout: batch mode writes whole results and flushes nothing",
    )


def _output_order(exchanges: Sequence[Connected]) -> dict[int, list[int]]:
    """Positions in `exchanges` of every chain's outputs: data sets as they were made, each with its readers."""
    found: dict[int, list[int]] = {}
    for position, exchange in enumerate(exchanges):
        found.setdefault(exchange[0], []).append(position)
    for outputs in found.values():
        if len(outputs) > 1:  # numbers of data sets grow with their first readers
            outputs.sort(key=lambda position: exchanges[position][3])
    return found


def _share_slots(graph: StreamGraph, vertices: Sequence[JobVertex], edges: Sequence[JobEdge]) -> list[JobVertex]:
    """In batch mode the default group falls apart into one for each pipelined region."""
    if not graph.batch:
        return list(vertices)
    pipelined = [edge.result_type == PIPELINED for edge in edges]
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
