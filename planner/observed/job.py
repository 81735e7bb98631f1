"""A job as far as Flink's exports show it. What no export says is None, never a guess."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from planner.graphs.stream_graph import SourceKind
from planner.records import record
from planner.topology import topological_order

Certainty = Literal["certain", "one of", "expected"]


@record
class ObservedOperator:
    """One operator. `id` is the one of the stream plan, or `VERTEX/NUMBER` where only the job plan is known."""

    id: int | str
    name: str
    description: str
    parallelism: int
    source: bool  # nothing feeds it
    vertex: int | None = None  # position in ObservedJob.vertices
    places: tuple[int, ...] = ()  # where twins cannot be told apart: all vertices that it may run in
    operator_id: str | None = None  # only where it is proven
    iteration_end: bool = False
    running_name: str | None = None  # of the running job: SQL counts its operators anew each time


@record
class ObservedEdge:
    """One edge. A job plan alone does not say which operator of the upstream chain feeds it: then all are listed."""

    sources: tuple[int, ...]  # positions in ObservedJob.operators
    target: int
    ship: str  # as planned; without a stream plan: as deployed
    shipped: str | None = None  # as deployed
    exchange: str | None = None  # of the deployed exchange: blocking, pipelined_bounded, ...
    mode: str | None = None  # UNDEFINED, PIPELINED or BATCH: only an adaptive batch job tells
    chained: bool | None = None  # as deployed; None: not deployed, or not clear

    @property
    def source(self) -> int | None:
        """The upstream operator, where it is known."""
        return self.sources[0] if len(self.sources) == 1 else None


@record
class ObservedVertex:
    """One vertex of the deployed job."""

    id: str
    parallelism: int
    members: tuple[int, ...]  # positions in ObservedJob.operators, head first
    parents: tuple[int | None, ...] = ()  # by member, the member upstream of it
    max_parallelism: int | None = None  # as Flink resolved it
    group: str | None = None  # slotSharingGroupId: random, but equal means the same group
    source_kind: SourceKind | None = None  # of a source at its head, from the names of its metrics
    chain: tuple[str, ...] = ()  # the names of all its operators, also of those whose place is not certain
    described: tuple[str, ...] = ()  # their descriptions
    inputs: tuple[tuple[int, str], ...] = ()  # the vertices that feed it, and how


@record(slots=False)
class ObservedJob:
    """A job that Flink described."""

    name: str
    origin: str  # what was read: "stream plan", "job plan", ...
    batch: bool | None  # None: the exports do not say
    operators: tuple[ObservedOperator, ...]
    edges: tuple[ObservedEdge, ...]
    vertices: tuple[ObservedVertex, ...] = ()
    max_parallelism: int | None = None  # of the running job
    named: bool = True  # whether chains have names; a job plan alone has descriptions only
    planned: bool = True  # the ship strategies are those of the program; False: as batch mode may have changed them

    @property
    def deployed(self) -> bool:
        """Whether the chains that Flink made are known."""
        return bool(self.vertices)

    @cached_property
    def into(self) -> tuple[tuple[int, ...], ...]:
        """By operator, the positions of the edges that enter it."""
        found: list[list[int]] = [[] for _ in self.operators]
        for position, edge in enumerate(self.edges):
            found[edge.target].append(position)
        return tuple(tuple(positions) for positions in found)

    @cached_property
    def out(self) -> tuple[tuple[int, ...], ...]:
        """By operator, the positions of the edges that leave it, or may leave it."""
        found: list[list[int]] = [[] for _ in self.operators]
        for position, edge in enumerate(self.edges):
            for source in edge.sources:
                found[source].append(position)
        return tuple(tuple(positions) for positions in found)

    @cached_property
    def linked(self) -> frozenset[int]:
        """The operators that are chained to something."""
        edges = [edge for edge in self.edges if edge.chained]
        return frozenset(one for edge in edges for one in (*edge.sources, edge.target))

    @cached_property
    def certainly_broken(self) -> frozenset[int]:
        """Positions of the edges that cannot be chained, whatever the program says."""
        return frozenset(
            position
            for position, edge in enumerate(self.edges)
            if edge.chained is False or not edge.ship.startswith("FORWARD") or len(self.into[edge.target]) > 1
        )

    @cached_property
    def chain_sources(self) -> tuple[int | None, ...]:
        """By operator, the source at which its chain begins, or may begin; None if it begins elsewhere."""
        found: list[int | None] = [None] * len(self.operators)
        for operator in self.sources_first:
            edges = self.into[operator]
            if self.operators[operator].source:
                found[operator] = operator
            elif len(edges) == 1 and edges[0] not in self.certainly_broken:
                before = self.edges[edges[0]].source
                found[operator] = None if before is None else found[before]
        return tuple(found)

    @cached_property
    def sources_first(self) -> tuple[int, ...]:
        """The operators, each after all that feed it."""
        ends = ((edge.sources[0], edge.target) for edge in self.edges)  # an edge that several may feed counts once
        return tuple(topological_order(range(len(self.operators)), ends))

    def vertices_of(self, operator: int) -> tuple[ObservedVertex, ...]:
        """The vertex that an operator runs in, or all that it may run in; nothing where that is not known."""
        entry = self.operators[operator]
        return tuple(self.vertices[place] for place in (entry.places if entry.vertex is None else (entry.vertex,)))

    def vertex_of(self, operator: int) -> ObservedVertex | None:
        """The vertex that an operator runs in, where it is known."""
        place = self.operators[operator].vertex
        return None if place is None else self.vertices[place]
