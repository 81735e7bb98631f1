"""Chains: which operators run together as one task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.graphs.job_graph import JobVertex
from planner.graphs.stream_graph import SourceKind
from planner.operators import OperatorRef
from planner.pipeline import Plan
from planner.records import record

__all__ = ["ChainExplanation", "ChainLink", "explain_chains"]


@record
class ChainLink:
    """One operator of a chain, and how far from its straight line it is."""

    operator: OperatorRef
    depth: int  # branches before it: 0 on the straight line from the head


@record
class ChainExplanation:
    """One job vertex: a chain of operators that runs as one task in every subtask."""

    position: int
    id: str
    name: str
    parallelism: int  # -1: decided at run time
    max_parallelism: int
    slot_sharing_group: str
    co_location_group: str | None
    links: tuple[ChainLink, ...]  # head first, depth first
    source_api: SourceKind | None = None  # of a running job: of the source at its head

    def to_dict(self) -> dict[str, Any]:
        """The chain as JSON-ready data."""
        return {
            "position": self.position,
            "id": self.id,
            "name": self.name,
            "parallelism": self.parallelism,
            "max_parallelism": self.max_parallelism,
            "slot_sharing_group": self.slot_sharing_group,
            "co_location_group": self.co_location_group,
            "operators": [link.operator.to_dict() for link in self.links],
        }


def explain_chains(plan: Plan, operators: Mapping[int, OperatorRef]) -> tuple[ChainExplanation, ...]:
    """The chains in topological order; empty where the plan stops before the job graph."""
    if plan.job_graph is None:
        return ()
    return tuple(
        ChainExplanation(
            position=position,
            id=vertex.id,
            name=vertex.name,
            parallelism=vertex.parallelism,
            max_parallelism=vertex.max_parallelism,
            slot_sharing_group=vertex.slot_sharing_group,
            co_location_group=vertex.co_location_group,
            links=_links(plan, vertex, operators),
            source_api=plan.observed.source_api(vertex.head) if plan.observed else None,
        )
        for position, vertex in enumerate(plan.job_graph.vertices)
    )


def _links(plan: Plan, vertex: JobVertex, operators: Mapping[int, OperatorRef]) -> tuple[ChainLink, ...]:
    graph = plan.stream_graph
    inside = {*vertex.nodes, *vertex.chained_sources}
    depth: dict[int, int] = {}
    links = []
    for node in (*vertex.chained_sources, *vertex.nodes):
        feeding = [graph.edges[at].source for at in graph.in_edges.get(node, ()) if not plan.obstacles[at]]
        fed_by = next((source for source in feeding if source in inside), None)
        branches = fed_by is not None and _chained_outputs(plan, fed_by) > 1
        depth[node] = 0 if fed_by is None else depth.get(fed_by, 0) + (1 if branches else 0)
        links.append(ChainLink(operator=operators[node], depth=depth[node]))
    return tuple(links)


def _chained_outputs(plan: Plan, node: int) -> int:
    return sum(not plan.obstacles[at] for at in plan.stream_graph.out_edges.get(node, ()))
