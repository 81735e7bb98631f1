"""Which operator of a stream plan stands where in the chains of a job plan.

Both name operators by the same description. Where several share one, their neighbours tell them apart: an operator
inside of a chain has its one input upstream of it, the head of a chain has the inputs of its vertex. Places that do not
fit are struck out until nothing changes; then, if need be, the places left are tried one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planner.frontends.flink_export.job_plan import JobPlan, VertexInput
from planner.frontends.flink_export.stream_plan import StreamPlan
from planner.operators import without_counters
from planner.records import record

MOST_WORK = 3_000_000  # comparisons; what is left open then stays open
MOST_SOLUTIONS = 200
MOST_SETS = 2_000  # of sources that one operator may have taken in
FORWARD = "FORWARD"


@record
class Seat:
    """A place for an operator: a position in a vertex, or inside of the multi-input operator that absorbs it."""

    vertex: int
    link: int  # position in the vertex' links; 0 is the head
    absorbed: frozenset[int] = frozenset()  # for a head: the sources it takes in
    inside: bool = False  # for a source: it is taken in by this place

    @property
    def head(self) -> bool:
        """Whether an operator here begins a chain."""
        return self.link == 0 and not self.inside


@record
class Match:
    """The places that each operator may have, by its position in the stream plan. One place: it is certain."""

    seats: tuple[tuple[Seat, ...], ...]
    solutions: tuple[tuple[Seat, ...], ...] = ()  # every way to place all operators, where there are several and few

    def narrowed(self, kept: Sequence[tuple[Seat, ...]]) -> Match:
        """The same match with only these ways left."""
        merged = [dict.fromkeys(solution[node] for solution in kept) for node in range(len(self.seats))]
        return Match(seats=tuple(tuple(one) for one in merged), solutions=tuple(kept) if len(kept) > 1 else ())

    def alone(self, solution: tuple[Seat, ...]) -> Match:
        """The match that one way to place all operators would be."""
        return self.narrowed([solution])

    def vertex(self, node: int) -> int | None:
        """The vertex of an operator, where only one is possible."""
        found = {seat.vertex for seat in self.seats[node]}
        return found.pop() if len(found) == 1 else None

    def chained(self, plan: StreamPlan, edge: int) -> bool | None:
        """Whether an edge is inside of a chain; None where the possible places disagree."""
        source, target = plan.edges[edge].source, plan.edges[edge].target
        found = {source in seat.absorbed if seat.head else True for seat in self.seats[target]}
        return found.pop() if len(found) == 1 else None


class TooMuchWork(Exception):
    """The search for places was given up."""


def match_plans(stream: StreamPlan, job: JobPlan) -> Match | None:
    """The match of two exports of one job; None if they are not of the same job."""
    for same in _COMPARISONS:
        seats = _first_seats(stream, job, *same)
        if all(seats):
            found = _Search(stream, job, strict_ship=same[1]).solve(seats)
            if found is not None:
                return found
    return None


# By label and parallelism as they are, then with SQL's counters left out, then also for another parallelism.
_COMPARISONS = ((False, True), (True, True), (True, False))


def _first_seats(stream: StreamPlan, job: JobPlan, counters: bool, numbers: bool) -> list[list[Seat]]:
    """By operator, the places whose label, number of inputs and parallelism fit."""
    seats: list[list[Seat]] = [[] for _ in stream.nodes]
    by_label: dict[str, list[int]] = {}
    for node, entry in enumerate(stream.nodes):
        by_label.setdefault(without_counters(entry.description) if counters else entry.description, []).append(node)
    for place, vertex in enumerate(job.vertices):
        for link, one in enumerate(vertex.links):
            label = without_counters(one.label) if counters else one.label
            for node, absorbed in _candidates(stream, by_label, label, counters):
                inputs = len(stream.into[node]) - len(absorbed)
                fits = inputs == len(vertex.inputs) if link == 0 else inputs == 1 and not absorbed
                numbered = not numbers or job.batch or vertex.parallelism in (-1, stream.nodes[node].parallelism)
                if fits and numbered:
                    seats[node].append(Seat(vertex=place, link=link, absorbed=absorbed))
                    for source in absorbed:
                        seats[source].append(Seat(vertex=place, link=link, inside=True))
    return seats


def _candidates(
    stream: StreamPlan, by_label: dict[str, list[int]], label: str, counters: bool
) -> Iterator[tuple[int, frozenset[int]]]:
    """The operators with this label, and the sources that `operator [source, source]` takes in."""
    for node in by_label.get(label, ()):
        yield node, frozenset()
    if not label.endswith("]"):
        return
    for at in range(len(label)):
        if label.startswith(" [", at):
            inside = label[at + 2 : -1]
            for node in by_label.get(label[:at], ()):
                for absorbed in _absorbed(stream, node, inside, counters):
                    yield node, absorbed


def _absorbed(stream: StreamPlan, node: int, inside: str, counters: bool) -> list[frozenset[int]]:
    """The sets of direct sources whose descriptions stand in the brackets; Flink lists them in any order."""
    before = [stream.edges[edge].source for edge in stream.into[node]]
    alone = [source for source in before if not stream.into[source] and len(stream.out[source]) == 1]
    described = {source: stream.nodes[source].description for source in alone}
    labels = {source: without_counters(text) if counters else text for source, text in described.items() if text}
    found: set[frozenset[int]] = set()
    seen: set[tuple[int, frozenset[int]]] = set()
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting and len(seen) < MOST_SETS:
        at, taken = waiting.pop()
        for source, label in labels.items():
            if source in taken or not inside.startswith(label, at):
                continue
            end, longer = at + len(label), taken | {source}
            if end == len(inside):
                found.add(longer)
            elif inside.startswith(", ", end) and (end + 2, longer) not in seen:
                seen.add((end + 2, longer))
                waiting.append((end + 2, longer))
    return sorted(found, key=sorted)


class _Search:
    """Strikes out places that do not fit their neighbours, then tries what is left."""

    def __init__(self, stream: StreamPlan, job: JobPlan, strict_ship: bool) -> None:
        self.stream = stream
        self.job = job
        self.strict_ship = strict_ship and not job.batch
        self.work = 0
        self.twins: dict[str, list[int]] = {}  # operators by label: only these can want the same place
        for node, entry in enumerate(stream.nodes):
            self.twins.setdefault(without_counters(entry.description), []).append(node)

    def solve(self, seats: list[list[Seat]]) -> Match | None:
        settled = seats
        found: list[list[list[Seat]]] = []
        try:
            if not self.settle(seats, range(len(seats))):
                return None
            settled = [list(one) for one in seats]
            for solution in self.solutions(seats):
                found.append(solution)
                if len(found) >= MOST_SOLUTIONS:
                    raise TooMuchWork
        except TooMuchWork:
            return Match(seats=tuple(tuple(one) for one in settled))
        if not found:
            return None
        placed = [tuple(seat for (seat,) in solution) for solution in found]
        return Match(seats=tuple(tuple(one) for one in settled)).narrowed(placed)

    def solutions(self, seats: list[list[Seat]]) -> Iterator[list[list[Seat]]]:
        """All ways to give each operator one place; a stack in place of recursion."""
        waiting = [seats]
        while waiting:
            current = waiting.pop()
            open_nodes = [node for node, places in enumerate(current) if len(places) > 1]
            if not open_nodes:
                if self.complete(current):
                    yield current
                continue
            node = min(open_nodes, key=lambda one: len(current[one]))
            for seat in reversed(current[node]):
                tried = [list(places) for places in current]
                tried[node] = [seat]
                if self.settle(tried, self.around(node)):
                    waiting.append(tried)

    def around(self, node: int) -> list[int]:
        """The operators whose places depend on those of `node`: neighbours, and all that share a place."""
        near = [self.stream.edges[edge].source for edge in self.stream.into[node]]
        near += [self.stream.edges[edge].target for edge in self.stream.out[node]]
        return [node, *near, *self.alike(node)]

    def settle(self, seats: list[list[Seat]], first: Iterable[int]) -> bool:
        """Strike out until nothing changes; False if an operator has no place left."""
        waiting = dict.fromkeys(first)
        while waiting:
            node = next(iter(waiting))
            del waiting[node]
            kept = [seat for seat in seats[node] if self.fits(seats, node, seat)]
            if not kept:
                return False
            if len(kept) < len(seats[node]):
                seats[node] = kept
                waiting.update(dict.fromkeys(self.around(node)))
        return True

    def fits(self, seats: list[list[Seat]], node: int, seat: Seat) -> bool:
        self.work += len(self.alike(node))
        if self.work > MOST_WORK:
            raise TooMuchWork
        if self.taken(seats, node, seat):
            return False
        if seat.inside:
            return any(node in one.absorbed for one in seats[self.stream.edges[self.stream.out[node][0]].target])
        if not (self.follows_its_parent(seats, node, seat) if seat.link else self.fed(seats, node, seat)):
            return False
        return all(self.leads_to(seats, node, seat, edge) for edge in self.stream.out[node])

    def taken(self, seats: list[list[Seat]], node: int, seat: Seat) -> bool:
        """Whether an operator with the same label has this place for itself."""
        if seat.inside:
            return False
        return any(
            other != node and len(seats[other]) == 1 and _same_place(seats[other][0], seat)
            for other in self.alike(node)
        )

    def alike(self, node: int) -> list[int]:
        return self.twins[without_counters(self.stream.nodes[node].description)]

    def follows_its_parent(self, seats: list[list[Seat]], node: int, seat: Seat) -> bool:
        edge = self.stream.edges[self.stream.into[node][0]]
        if edge.ship != FORWARD and not self.job.batch:
            return False
        parent = self.job.vertices[seat.vertex].links[seat.link].parent
        return any(one.vertex == seat.vertex and one.link == parent and not one.inside for one in seats[edge.source])

    def fed(self, seats: list[list[Seat]], node: int, seat: Seat) -> bool:
        """Whether each input of the vertex can be one of the operator's edges, and each edge one of the inputs."""
        inputs = self.job.vertices[seat.vertex].inputs
        edges = [e for e in self.stream.into[node] if self.stream.edges[e].source not in seat.absorbed]
        return all(any(self.carries(seats, edge, one) for one in inputs) for edge in edges) and all(
            any(self.carries(seats, edge, one) for edge in edges) for one in inputs
        )

    def carries(self, seats: list[list[Seat]], edge: int, into: VertexInput) -> bool:
        planned = self.stream.edges[edge]
        if self.strict_ship and planned.ship != into.ship:
            return False
        return any(one.vertex == into.source and not one.inside for one in seats[planned.source])

    def leads_to(self, seats: list[list[Seat]], node: int, seat: Seat, edge: int) -> bool:
        """Whether the operator downstream of an edge can stand downstream of this place."""
        planned = self.stream.edges[edge]
        for one in seats[planned.target]:
            vertex = self.job.vertices[one.vertex]
            if one.head and any(into.source == seat.vertex for into in vertex.inputs) and node not in one.absorbed:
                return True
            if not one.head and one.vertex == seat.vertex and vertex.links[one.link].parent == seat.link:
                return True
        return False

    def complete(self, seats: list[list[Seat]]) -> bool:
        """Whether every place has exactly one operator."""
        filled = [(seat.vertex, seat.link) for (seat,) in seats if not seat.inside]
        return len(filled) == len(set(filled)) == sum(len(vertex.links) for vertex in self.job.vertices)


def _same_place(one: Seat, other: Seat) -> bool:
    return (one.vertex, one.link, one.inside) == (other.vertex, other.link, other.inside)
