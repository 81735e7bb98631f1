"""An export as a Plan: the graphs that a compiled job has too, and beside them an Observation of what is not known.

The graphs hold what Flink told. What no export tells (uids, strategies, often groups and max parallelism) has Flink's
default in them, and `Observation` says that it is not known: whoever shows such a value asks it first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from planner.chaining.registry import BY_CODE
from planner.flink.differences import flink
from planner.graphs.components import Components
from planner.graphs.execution_graph import build_execution_graph
from planner.graphs.job_graph import POINTWISE, JobEdge, JobGraph, JobVertex
from planner.graphs.stream_graph import (
    DEFAULT_SLOT_SHARING_GROUP,
    UNSET_MAX_PARALLELISM,
    StreamEdge,
    StreamGraph,
    StreamNode,
)
from planner.job import MEANINGFUL, JobDefinition, Location, Operator, OperatorKind, Partitioner
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.judgement import ITERATION, Judgement, Observation, decide
from planner.pipeline import Plan
from planner.rules import Obstacle

__all__ = ["plan_observed"]

_SHIPS: dict[str, Partitioner] = {name: name for name in get_args(Partitioner)}
NOT_KNOWN = ""  # an id that no export tells


def plan_observed(job: ObservedJob, where: str) -> Plan:
    """The plan of a job that Flink described, with the chains as they are deployed, or expected."""
    judgements = decide(job)
    location = Location(where, 1)
    numbers = _node_numbers(job)
    operators = _operators(job, numbers, location)
    graph = StreamGraph(
        name=job.name,
        batch=bool(job.batch),
        nodes=tuple(_node(job, place, operator) for place, operator in enumerate(operators)),
        edges=tuple(_edge(edge, numbers) for edge in job.edges),
        chaining=True,
        chain_different_max_parallelism=True,
        next_id=max(numbers, default=0) + 1,
        in_edges={numbers[place]: job.into[place] for place in range(len(operators))},
    )
    obstacles = tuple(_obstacles(edge, judgement) for edge, judgement in zip(job.edges, judgements, strict=True))
    job_graph = _job_graph(job, judgements, graph, numbers)
    return Plan(
        job=JobDefinition(name=job.name, transformations=operators, location=location, compiled=graph),
        stream_graph=graph,
        obstacles=obstacles,
        operator_ids={
            number: operator.operator_id
            for number, operator in zip(numbers, job.operators, strict=True)
            if operator.operator_id is not None
        },
        job_graph=job_graph,
        execution_graph=build_execution_graph(graph, job_graph) if job_graph.vertices else None,
        flink=flink(None),
        observed=Observation(job=job, numbers=tuple(numbers), judgements=judgements),
    )


def _node_numbers(job: ObservedJob) -> list[int]:
    """The stream node of every operator: its id in the stream plan; a job plan alone has none, so they are counted."""
    told = [operator.id for operator in job.operators if isinstance(operator.id, int)]
    return told if len(set(told)) == len(job.operators) else list(range(1, len(job.operators) + 1))


def _operators(job: ObservedJob, numbers: Sequence[int], location: Location) -> tuple[Operator, ...]:
    used = Counter(operator.name for operator in job.operators)
    return tuple(
        Operator(
            id=number,
            key=entry.name if used[entry.name] == 1 else f"#{number}",
            kind=_kind(job, place),
            location=location,
            inputs=tuple(numbers[_likely_source(job.edges[edge])] for edge in job.into[place]),
            name=entry.name,
            description=entry.description if entry.description != entry.name else None,
        )
        for place, (number, entry) in enumerate(zip(numbers, job.operators, strict=True))
    )


def _kind(job: ObservedJob, place: int) -> OperatorKind:
    return "source" if job.operators[place].source else "process" if job.out[place] else "sink"


def _node(job: ObservedJob, place: int, operator: Operator) -> StreamNode:
    entry, vertex = job.operators[place], job.vertex_of(place)
    return StreamNode(
        id=operator.id,
        name=entry.name,
        parallelism=entry.parallelism,
        parallelism_configured=entry.parallelism > 0,
        max_parallelism=UNSET_MAX_PARALLELISM,
        slot_sharing_group=(vertex.group if vertex else None) or DEFAULT_SLOT_SHARING_GROUP,
        co_location_group=None,
        chaining_strategy="ALWAYS",
        source=((vertex.source_kind if vertex else None) or "new") if entry.source else None,
        sorted_input=False,
        yielding=False,
        buffer_timeout=-1,
        uid=None,
        user_hash=None,
        role="operator",
        operator=operator,
    )


def _likely_source(edge: ObservedEdge) -> int:
    """The operator that feeds an edge; a job plan alone tells only its chain, and then it is mostly the last of it."""
    return edge.sources[-1]


def _ship(text: str) -> Partitioner:
    """The partitioner in a ship strategy; SQL writes its columns after it, and programs have names of their own."""
    return _SHIPS.get(text.split("[")[0], "CUSTOM")


def _edge(edge: ObservedEdge, numbers: Sequence[int]) -> StreamEdge:
    return StreamEdge(
        source=numbers[_likely_source(edge)],
        target=numbers[edge.target],
        partitioner=_ship(edge.ship),
        exchange_mode="UNDEFINED",
        type_number=0,
        side_output=None,
    )


def _obstacles(edge: ObservedEdge, judgement: Judgement) -> tuple[Obstacle, ...]:
    """What keeps an edge from being chained, or may keep it; none where it is chained, or expected to be."""
    if judgement.chained:
        return ()
    words = {ITERATION: "the end of an iteration: Flink never chains it", **dict(judgement.facts)}
    codes = judgement.reasons or (judgement.likely if judgement.certainty == "expected" else ()) or judgement.possible
    return tuple(
        Obstacle(
            code=code,
            slug=BY_CODE[code].slug if code in BY_CODE else code,
            values=words[code],
            change=None,
            needed=bool(judgement.reasons) and _is_needed(edge, code),
            about=BY_CODE[code].about if code in BY_CODE else "other",
            certain=bool(judgement.reasons),
        )
        for code in codes
    )


def _is_needed(edge: ObservedEdge, code: str) -> bool:
    about = BY_CODE[code].about if code in BY_CODE else "inputs"
    return about == "inputs" or (about == "partitioner" and _ship(edge.ship) in MEANINGFUL)


def _job_graph(
    job: ObservedJob, judgements: Sequence[Judgement], graph: StreamGraph, numbers: Sequence[int]
) -> JobGraph:
    """One vertex for all operators that are chained, in the order of the job plan, else sources first."""
    groups = Components(len(job.operators))
    taken: set[int] = set()  # sources inside of an operator with several inputs
    for edge, judgement in zip(job.edges, judgements, strict=True):
        if judgement.chained and edge.source is not None:
            groups.join(edge.source, edge.target)
            if len(job.into[edge.target]) > 1:
                taken.add(edge.source)
    members: dict[int, list[int]] = {}
    for operator in _order(job):
        members.setdefault(groups.find(operator), []).append(operator)
    place_of = {root: place for place, root in enumerate(members)}
    edges = [
        JobEdge(
            source=source,
            target=target,
            stream_edge=position,
            data_set=position,
            distribution="POINTWISE" if _ship(ship := edge.shipped or edge.ship) in POINTWISE else "ALL_TO_ALL",
            result_type="BLOCKING" if (edge.exchange or "").startswith("blocking") else "PIPELINED_BOUNDED",
            ship_strategy=_ship(ship),
            type_number=0,
        )
        for position, edge in enumerate(job.edges)
        if (source := place_of[groups.find(_likely_source(edge))]) != (target := place_of[groups.find(edge.target)])
    ]
    return JobGraph(
        name=job.name,
        vertices=tuple(_vertex(job, own, taken, graph, numbers) for own in members.values()),
        edges=tuple(sorted(edges, key=lambda edge: edge.target)),
        dynamic=job.batch is not False,
    )


def _order(job: ObservedJob) -> Sequence[int]:
    """The operators by vertex, where every one has its place; else each after all that feed it."""
    placed = [one for vertex in job.vertices for one in vertex.members]
    if len(placed) == len(job.operators):
        return placed
    return list(dict.fromkeys([*job.sources_first, *range(len(job.operators))]))


def _vertex(
    job: ObservedJob, own: Sequence[int], taken: set[int], graph: StreamGraph, numbers: Sequence[int]
) -> JobVertex:
    nodes = [one for one in own if one not in taken] or list(own)
    sources = [one for one in own if one in taken and one not in nodes]
    vertex = next((found for one in nodes if (found := job.vertex_of(one)) is not None), None)
    if vertex is None:  # twins may have ids that tell their vertices: those of the heads
        head = job.operators[nodes[0]].operator_id
        vertex = next((found for found in job.vertices_of(nodes[0]) if found.id == head), None)
    group = (vertex.group if vertex else None) or DEFAULT_SLOT_SHARING_GROUP
    ids = [job.operators[one].operator_id or NOT_KNOWN for one in nodes]
    return JobVertex(
        id=vertex.id if vertex else NOT_KNOWN,
        name=" -> ".join(job.operators[one].name for one in nodes),
        parallelism=job.operators[nodes[0]].parallelism,
        max_parallelism=(vertex.max_parallelism if vertex else None) or UNSET_MAX_PARALLELISM,
        slot_sharing_group=group,
        sharing=group,
        co_location_group=None,
        head=numbers[nodes[0]],
        nodes=tuple(numbers[one] for one in nodes),
        chained_sources=tuple(numbers[one] for one in sources),
        operator_ids=tuple(reversed(ids)),
        user_hashes=(None,) * len(nodes),
    )
