"""An observed job in the shape of a plan, for lint rules that need only its edges, numbers and slots.

What no export says (strategies, uids, max parallelism) is left at its default here: only rules that do not look at it
may be run, and nothing of it may be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from planner.flink.differences import flink
from planner.graphs.execution_graph import build_execution_graph
from planner.graphs.job_graph import build_job_graph
from planner.graphs.stream_graph import DEFAULT_SLOT_SHARING_GROUP, StreamEdge, StreamGraph, StreamNode
from planner.job import JobDefinition, Location, Operator, OperatorKind, Partitioner
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.verdicts import Verdict
from planner.pipeline import Plan
from planner.rules import Obstacle

_SHIPS: dict[str, Partitioner] = {name: name for name in get_args(Partitioner)}


def as_plan(job: ObservedJob, verdicts: Sequence[Verdict], where: str) -> Plan:
    """The plan, with the chains as they are deployed or expected."""
    location = Location(where, 1)
    operators = tuple(_operator(job, place, location) for place in range(len(job.operators)))
    order = sorted(range(len(job.edges)), key=lambda edge: job.edges[edge].sources[0])
    at = {old: new for new, old in enumerate(order)}
    graph = StreamGraph(
        name=job.name,
        batch=bool(job.batch),
        nodes=tuple(_node(job, place, operator) for place, operator in enumerate(operators)),
        edges=tuple(_edge(job.edges[old]) for old in order),
        chaining=True,
        chain_different_max_parallelism=True,
        next_id=len(operators) + 1,
        in_edges={place + 1: tuple(at[edge] for edge in job.into[place]) for place in range(len(operators))},
    )
    obstacles = tuple(() if verdicts[old].chained else (_BROKEN,) for old in order)
    ids = {place + 1: f"{place + 1:032x}" for place in range(len(operators))}
    job_graph = build_job_graph(graph, obstacles, ids)
    definition = JobDefinition(name=job.name, transformations=operators, location=location, compiled=graph)
    return Plan(
        job=definition,
        stream_graph=graph,
        obstacles=obstacles,
        operator_ids=ids,
        job_graph=job_graph,
        execution_graph=build_execution_graph(graph, job_graph),
        flink=flink(None),
    )


_BROKEN = Obstacle(code="", slug="", values="", change=None, needed=True)  # any: only that there is one matters


def _operator(job: ObservedJob, place: int, location: Location) -> Operator:
    entry = job.operators[place]
    kind: OperatorKind = "source" if entry.source else "process" if job.out[place] else "sink"
    alone = sum(other.name == entry.name for other in job.operators) == 1
    return Operator(
        id=place + 1,
        key=entry.name if alone else f"{entry.name} #{entry.id}",
        kind=kind,
        location=location,
        inputs=tuple(job.edges[edge].sources[0] + 1 for edge in job.into[place]),
        name=entry.name,
    )


def _node(job: ObservedJob, place: int, operator: Operator) -> StreamNode:
    entry, vertex = job.operators[place], job.vertex_of(place)
    return StreamNode(
        id=place + 1,
        name=entry.name,
        parallelism=entry.parallelism,
        parallelism_configured=entry.parallelism > 0,
        max_parallelism=-1,
        slot_sharing_group=(vertex.group if vertex else None) or DEFAULT_SLOT_SHARING_GROUP,
        co_location_group=None,
        chaining_strategy="ALWAYS",
        source="new" if entry.source else None,
        sorted_input=False,
        yielding=False,
        buffer_timeout=-1,
        uid=None,
        user_hash=None,
        role="operator",
        operator=operator,
    )


def _edge(edge: ObservedEdge) -> StreamEdge:
    return StreamEdge(
        source=edge.sources[0] + 1,
        target=edge.target + 1,
        partitioner=_SHIPS.get((edge.shipped or edge.ship).split("[")[0], "CUSTOM"),
        exchange_mode="UNDEFINED",
        type_number=0,
        side_output=None,
    )
