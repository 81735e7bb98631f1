"""Which operator of a chain feeds an exchange, where only the job plan is known.

A job plan names the vertices of an exchange, not the operator. But the id of a chain's head mixes in the ids of what
feeds it: the operator for which the computed id is the vertex id is the one. Where no operator gives that id (a uid,
another order of the walk) the origin stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from planner.frontends.flink_export.job_plan import JobPlan
from planner.frontends.flink_export.stream_plan import PlanEdge, PlanNode, StreamPlan
from planner.graphs.operator_ids import generated_id
from planner.observed.proven_ids import wholly_proven

_HASH = re.compile("[0-9a-f]{32}")
MOST_OPERATORS = 500  # of a job: the search takes the square of it
MOST_INPUTS = 4  # of a vertex whose inputs are tried in every order
Inputs = tuple[tuple[int, int], ...]  # of a vertex, in the order in which Flink counts them: input and its origin


def find_origins(job: JobPlan) -> tuple[dict[tuple[int, int], int], dict[int, str]]:
    """By vertex and input, the operator that feeds it; and the operator ids that are proven with these origins.

    Operators are counted over all vertices in their order.
    """
    first = _first_operators(job)
    if sum(len(vertex.links) for vertex in job.vertices) > MOST_OPERATORS:
        return {}, {}
    heads = {first[place]: vertex.id for place, vertex in enumerate(job.vertices) if _HASH.fullmatch(vertex.id)}
    chosen = {
        place: tuple((number, _last(job, first, one.source)) for number, one in enumerate(vertex.inputs))
        for place, vertex in enumerate(job.vertices)
    }
    for place, vertex in enumerate(job.vertices):  # an id depends only on what is in front: earlier choices stay
        if not vertex.inputs or first[place] in _proven(job, first, chosen, heads)[0]:
            continue
        for inputs in _alternatives(job, first, place):
            tried = {**chosen, place: inputs}
            if first[place] in _proven(job, first, tried, heads)[0]:
                chosen = tried
                break
    proven, ids = _proven(job, first, chosen, heads)
    certain = {
        (place, number): origin
        for place, inputs in chosen.items()
        for number, origin in inputs
        if first[place] in proven
    }
    return certain, ids


def _last(job: JobPlan, first: Sequence[int], vertex: int) -> int:
    return first[vertex] + len(job.vertices[vertex].links) - 1


def _first_operators(job: JobPlan) -> list[int]:
    found, count = [], 0
    for vertex in job.vertices:
        found.append(count)
        count += len(vertex.links)
    return found


def _proven(
    job: JobPlan, first: Sequence[int], chosen: Mapping[int, Inputs], heads: Mapping[int, str]
) -> tuple[frozenset[int], dict[int, str]]:
    plan, chained = _stream_plan(job, first, chosen)
    return wholly_proven(plan, chained, heads, _siblings(job, first))


def _alternatives(job: JobPlan, first: Sequence[int], place: int) -> Iterator[Inputs]:
    """Other inputs for one vertex: every order of them, and at most one origin that is not the end of its chain."""
    inputs = job.vertices[place].inputs
    ends = tuple((number, _last(job, first, one.source)) for number, one in enumerate(inputs))
    for order in permutations(ends) if len(ends) <= MOST_INPUTS else (ends,):
        yield order
        for at, (number, end) in enumerate(order):
            begin = first[inputs[number].source]
            for origin in range(begin, end):
                yield (*order[:at], (number, origin), *order[at + 1 :])


def _stream_plan(
    job: JobPlan, first: Sequence[int], chosen: Mapping[int, Inputs]
) -> tuple[StreamPlan, list[bool | None]]:
    """The stream plan that the job would have with these origins."""
    nodes: list[PlanNode] = []
    edges: list[PlanEdge] = []
    chained: list[bool | None] = []
    turns = _turns(job)
    for place, vertex in enumerate(job.vertices):
        for number, origin in chosen[place]:
            edges.append(PlanEdge(source=origin, target=first[place], ship=vertex.inputs[number].ship))
            chained.append(False)
        for number, link in enumerate(vertex.links):
            node = first[place] + number
            turn = turns[place] if link.parent is None and not vertex.inputs else node
            nodes.append(PlanNode(id=turn, name=link.label, description=link.label, parallelism=vertex.parallelism))
            if link.parent is not None:
                edges.append(PlanEdge(source=first[place] + link.parent, target=node, ship="FORWARD"))
                chained.append(True)
    return StreamPlan(nodes=tuple(nodes), edges=tuple(edges)), chained


def _turns(job: JobPlan) -> list[int]:
    """By vertex, a number in the order in which Flink begins at the sources: the id of a source tells its turn."""
    total = sum(len(vertex.links) for vertex in job.vertices)
    found = []
    for place, vertex in enumerate(job.vertices):
        links = sum(link.parent == 0 for link in vertex.links)
        turns = (turn for turn in range(total) if generated_id(turn, links, ()).hex() == vertex.id)
        found.append(next(turns, total + place) - 2 * total if not vertex.inputs else place)
    return found


def _siblings(job: JobPlan, first: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for place, vertex in enumerate(job.vertices):
        for number, link in enumerate(vertex.links):
            if link.parent is not None:
                found.setdefault(first[place] + link.parent, []).append(first[place] + number)
    return found
