"""What batch mode leaves open: parallelism that nobody set is decided at run time, except across forward edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from planner.errors import PlanningError
from planner.graphs.chains import Chain
from planner.graphs.components import Components
from planner.graphs.stream_graph import UNSET_MAX_PARALLELISM, StreamGraph

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
