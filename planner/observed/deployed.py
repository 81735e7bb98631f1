"""A job reduced to what a deployment shows: vertices with their chains, numbers, inputs and ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from planner.observed.job import ObservedJob
from planner.observed.labels import without_counters
from planner.snapshots.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True)
class DeployedVertex:
    """One vertex. Names are without the counters that SQL puts into them."""

    id: str | None
    chain: tuple[str, ...]  # the operators' names, head first
    parallelism: int
    max_parallelism: int | None
    inputs: Mapping[tuple[int, str], int]  # how many edges come from a vertex with a ship strategy

    @property
    def name(self) -> str:
        """How messages name the vertex."""
        return " -> ".join(self.chain) if len(self.chain) <= 3 else f"{self.chain[0]} and {len(self.chain) - 1} chained"


@dataclass(frozen=True, kw_only=True)
class DeployedOperator:
    """One operator, for comparisons with a stream plan, which knows no chains."""

    name: str
    parallelism: int
    ships: Mapping[str, int]  # how its records arrive


@dataclass(frozen=True, kw_only=True)
class DeployedJob:
    """One side of a comparison."""

    name: str
    vertices: tuple[DeployedVertex, ...]  # empty for a stream plan: its chains are only expected
    operators: tuple[DeployedOperator, ...]
    slots: int | None  # needed; None where the groups are not known


def deployed_snapshot(snapshot: Snapshot) -> DeployedJob:
    """A job of ours, or of a baseline."""
    head = _heads(snapshot)
    heads = list(dict.fromkeys(head))
    number = {place: count for count, place in enumerate(heads)}
    inputs: list[Counter[tuple[int, str]]] = [Counter() for _ in heads]
    for edge in snapshot.edges:
        if not edge.chained:
            inputs[number[head[edge.target]]][number[head[edge.source]], edge.partitioner] += 1
    vertices = (_snapshot_vertex(snapshot, head, first, into) for first, into in zip(heads, inputs, strict=True))
    ships: list[Counter[str]] = [Counter() for _ in snapshot.operators]
    for edge in snapshot.edges:
        ships[edge.target][edge.partitioner] += 1
    operators = (
        DeployedOperator(name=without_counters(one.name), parallelism=one.parallelism, ships=arriving)
        for one, arriving in zip(snapshot.operators, ships, strict=True)
    )
    return DeployedJob(
        name=snapshot.name, vertices=tuple(vertices), operators=tuple(operators), slots=snapshot.total_slots
    )


def _heads(snapshot: Snapshot) -> list[int]:
    """By operator, the head of its chain."""
    front = list(range(len(snapshot.operators)))
    for edge in snapshot.edges:
        if edge.chained and snapshot.operators[edge.target].kind == "multi_input":
            front[edge.source] = edge.target  # it takes the source into its own task
        elif edge.chained:
            front[edge.target] = edge.source
    found = []
    for place in range(len(front)):
        while front[place] != place:
            front[place] = front[front[place]]
            place = front[place]
        found.append(place)
    return found


def _snapshot_vertex(
    snapshot: Snapshot, head: list[int], first: int, inputs: Mapping[tuple[int, str], int]
) -> DeployedVertex:
    members = [one for one, own in zip(snapshot.operators, head, strict=True) if own == first]
    return DeployedVertex(
        id=snapshot.operators[first].id,
        chain=tuple(without_counters(one.name) for one in members),
        parallelism=snapshot.operators[first].parallelism,
        max_parallelism=snapshot.operators[first].effective_max_parallelism,
        inputs=inputs,
    )


def deployed_observed(job: ObservedJob) -> DeployedJob:
    """A job that Flink described."""
    inputs: list[Counter[tuple[int, str]]] = [Counter() for _ in job.vertices]
    for edge in job.edges:
        source, target = job.operators[edge.sources[0]].vertex, job.operators[edge.target].vertex
        if edge.chained is False and source is not None and target is not None:
            inputs[target][source, _kind(edge.shipped or edge.ship)] += 1
    groups: dict[str, int] = {}
    for vertex in job.vertices:
        if vertex.group is not None:
            groups[vertex.group] = max(groups.get(vertex.group, 0), vertex.parallelism)
    known = bool(job.vertices) and all(vertex.group for vertex in job.vertices) and job.batch is False
    return DeployedJob(
        name=job.name,
        vertices=tuple(
            DeployedVertex(
                id=vertex.id,
                chain=tuple(without_counters(job.operators[one].name) for one in vertex.members),
                parallelism=vertex.parallelism,
                max_parallelism=vertex.max_parallelism,
                inputs=into,
            )
            for vertex, into in zip(job.vertices, inputs, strict=True)
        ),
        operators=tuple(
            DeployedOperator(
                name=without_counters(operator.name),
                parallelism=operator.parallelism,
                ships=Counter(_kind(job.edges[edge].ship) for edge in job.into[place]),
            )
            for place, operator in enumerate(job.operators)
        ),
        slots=sum(groups.values()) if known else None,
    )


def _kind(ship: str) -> str:
    """The strategy without the columns that SQL writes behind it."""
    return ship.split("[")[0]
