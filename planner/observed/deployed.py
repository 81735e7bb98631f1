"""A job reduced to what a deployment shows: vertices with their chains, numbers, inputs and ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planner.observed.job import ObservedJob
from planner.observed.labels import short_chain_name, with_sources, without_counters
from planner.snapshots.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True)
class DeployedVertex:
    """One vertex. Names are without the counters that SQL puts into them."""

    id: str | None
    chain: tuple[str, ...]  # the operators' names, head first
    described: tuple[str, ...] = ()  # the same with descriptions, which a job plan has in place of names
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
    described: str = ""


@dataclass(frozen=True, kw_only=True)
class DeployedJob:
    """One side of a comparison."""

    name: str
    vertices: tuple[DeployedVertex, ...]  # empty for a stream plan: its chains are only expected
    operators: tuple[DeployedOperator, ...]
    slots: int | None  # needed; None where the groups are not known
    named: bool = True  # False: a job plan alone, whose names are descriptions
    batch: bool = False  # as far as it is known

    @property
    def in_descriptions(self) -> DeployedJob:
        """The same job with descriptions in place of names."""
        return replace(
            self,
            named=False,
            vertices=tuple(replace(vertex, chain=vertex.described) for vertex in self.vertices),
            operators=tuple(replace(operator, name=operator.described) for operator in self.operators),
        )


def deployed_snapshot(snapshot: Snapshot) -> DeployedJob:
    """A job of ours, or of a baseline."""
    taken = _taken(snapshot)
    head = _heads(snapshot, taken)
    heads = list(dict.fromkeys(head))
    members: dict[int, list[int]] = {first: [] for first in heads}
    for place, first in enumerate(head):
        members[first].append(place)
    number = {place: count for count, place in enumerate(heads)}
    inputs: list[Counter[tuple[int, str]]] = [Counter() for _ in heads]
    for edge in snapshot.edges:
        if not edge.chained:
            inputs[number[head[edge.target]]][number[head[edge.source]], edge.partitioner] += 1
    vertices = (
        _snapshot_vertex(snapshot, first, members[first], taken, into)
        for first, into in zip(heads, inputs, strict=True)
    )
    ships: list[Counter[str]] = [Counter() for _ in snapshot.operators]
    for edge in snapshot.edges:
        ships[edge.target][edge.partitioner] += 1
    operators = (
        DeployedOperator(name=_plain(one.name), parallelism=one.parallelism, ships=arriving)
        for one, arriving in zip(snapshot.operators, ships, strict=True)
    )
    return DeployedJob(
        name=snapshot.name,
        batch=snapshot.mode == "batch",
        vertices=tuple(vertices),
        operators=tuple(operators),
        slots=snapshot.total_slots,
    )


def _heads(snapshot: Snapshot, taken: set[int]) -> list[int]:
    """By operator, the head of its chain."""
    front = list(range(len(snapshot.operators)))
    for edge in snapshot.edges:
        if edge.source in taken:
            front[edge.source] = edge.target
        elif edge.chained:
            front[edge.target] = edge.source
    found = []
    for place in range(len(front)):
        while front[place] != place:
            front[place] = front[front[place]]
            place = front[place]
        found.append(place)
    return found


def _taken(snapshot: Snapshot) -> set[int]:
    """The sources that a multi-input operator takes into its own task; nothing else with several inputs is chained."""
    inputs = Counter(edge.target for edge in snapshot.edges)
    return {
        edge.source
        for edge in snapshot.edges
        if edge.chained and (inputs[edge.target] > 1 or snapshot.operators[edge.target].kind == "multi_input")
    }


def _snapshot_vertex(
    snapshot: Snapshot, first: int, own: Sequence[int], taken: set[int], inputs: Mapping[tuple[int, str], int]
) -> DeployedVertex:
    names = [_plain(snapshot.operators[one].name) for one in own if one not in taken]
    sources = [_plain(snapshot.operators[one].name) for one in own if one in taken]
    return DeployedVertex(
        id=snapshot.operators[first].id,
        chain=(with_sources(names[0], sources), *names[1:]),
        parallelism=snapshot.operators[first].parallelism,
        max_parallelism=snapshot.operators[first].effective_max_parallelism,
        inputs=inputs,
    )


def _plain(name: str) -> str:
    return with_sources(without_counters(name), ())


def deployed_observed(job: ObservedJob) -> DeployedJob:
    """A job that Flink described."""
    groups: dict[str, int] = {}
    for vertex in job.vertices:
        if vertex.group is not None:
            groups[vertex.group] = max(groups.get(vertex.group, 0), vertex.parallelism)
    known = bool(job.vertices) and all(vertex.group for vertex in job.vertices) and job.batch is False
    return DeployedJob(
        name=job.name,
        named=job.named,
        batch=bool(job.batch),
        vertices=tuple(
            DeployedVertex(
                id=vertex.id,
                chain=tuple(_plain(name) for name in vertex.chain),
                described=tuple(_plain(short_chain_name(label)) for label in vertex.described),
                parallelism=vertex.parallelism,
                max_parallelism=vertex.max_parallelism,
                inputs=Counter((source, _kind(ship)) for source, ship in vertex.inputs),
            )
            for vertex in job.vertices
        ),
        operators=tuple(
            DeployedOperator(
                name=_plain(operator.name),
                described=_plain(short_chain_name(operator.description)),
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
