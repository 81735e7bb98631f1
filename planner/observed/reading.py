"""Jobs as Flink's exports describe them: by a stream plan, a job plan, both, or the graph of an adaptive batch job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from planner.errors import OptionError
from planner.frontends.flink_export.chain_text import read_names
from planner.frontends.flink_export.job_plan import JobPlan, PlanVertex
from planner.frontends.flink_export.running import RunningFacts
from planner.frontends.flink_export.stream_plan import StreamPlan, is_iteration_end
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator, ObservedVertex
from planner.observed.labels import plan_mode, short_name
from planner.observed.matching import Match, match_plans
from planner.observed.proven_ids import MOST_NODES, find_origins, provable_heads, prove_ids

_HASH = re.compile("[0-9a-f]{32}")
Members = tuple[tuple[int, ...], tuple[int | None, ...]]  # the operators of a vertex, and by operator its upstream


def is_operator_id(text: str) -> bool:
    """Whether a vertex id is one of Flink's hashes."""
    return _HASH.fullmatch(text) is not None


def running_words(facts: RunningFacts) -> str:
    """What a job on a cluster is called: `running job`, `finished job`."""
    return f"{facts.state.lower() or 'running'} job"


def short_names(vertex: PlanVertex, facts: RunningFacts | None) -> list[str]:
    """The short names of a vertex' operators, where the vertex name has one for each."""
    told = read_names(facts.names.get(vertex.id, "")) if facts else []
    return told if len(told) == len(vertex.links) else [short_name(link.label) for link in vertex.links]


def planned_operator(plan: StreamPlan, node: int) -> ObservedOperator:
    """An operator as the stream plan has it."""
    entry = plan.nodes[node]
    return ObservedOperator(
        id=entry.id,
        name=entry.name,
        description=entry.description,
        parallelism=entry.parallelism,
        source=not plan.into[node],
        iteration_end=entry.iteration_end,
    )


def observed_vertices(
    job: JobPlan, members: Sequence[Members], known: RunningFacts | None
) -> tuple[ObservedVertex, ...]:
    """The vertices of a job plan, with what a cluster adds."""
    facts = known or RunningFacts()
    return tuple(
        ObservedVertex(
            id=vertex.id,
            parallelism=vertex.parallelism,
            members=own,
            parents=parents,
            max_parallelism=facts.max_parallelism.get(vertex.id),
            group=facts.groups.get(vertex.id),
            source_kind=None if vertex.inputs else facts.source_kinds.get(vertex.id),
            chain=tuple(short_names(vertex, known)),
            described=tuple(link.label for link in vertex.links),
            inputs=tuple((one.source, one.ship) for one in vertex.inputs),
        )
        for vertex, (own, parents) in zip(job.vertices, members, strict=True)
    )


def observe_stream_plan(plan: StreamPlan, name: str, *, batch: bool | None = None) -> ObservedJob:
    """A job before it runs: a forecast."""
    mode = plan_mode([node.description for node in plan.nodes]) if batch is None else batch
    return ObservedJob(
        name=name,
        origin="stream plan",
        batch=mode if not any(node.iteration_end for node in plan.nodes) else False,
        operators=tuple(planned_operator(plan, node) for node in range(len(plan.nodes))),
        edges=tuple(
            ObservedEdge(sources=(edge.source,), target=edge.target, ship=edge.ship, mode=edge.exchange)
            for edge in plan.edges
        ),
    )


def observe_both(plan: StreamPlan, job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """A job with its stream plan and its job plan: every chain is known, and most operator ids."""
    job, match = _matched(plan, job)
    chained = _chained(plan, match)
    ids = _ids(plan, job, match, chained)
    return ObservedJob(
        name=job.name,
        origin="stream plan and job plan" if facts is None else f"{running_words(facts)} and stream plan",
        batch=job.batch,
        named=facts is not None,
        operators=tuple(_placed(plan, job, match, node, facts, ids.get(node)) for node in range(len(plan.nodes))),
        edges=tuple(_edge(plan, job, match, edge, chained[edge]) for edge in range(len(plan.edges))),
        vertices=observed_vertices(job, _members(job, match), facts),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _matched(plan: StreamPlan, job: JobPlan) -> tuple[JobPlan, Match]:
    """The match of both plans; names that hold arrows or brackets are read by the stream plan's descriptions."""
    for read in (job, job.read_again({node.description for node in plan.nodes})):
        match = match_plans(plan, read)
        if match is not None:
            return read, _told_apart_by_ids(plan, read, match)
    raise OptionError(
        f"the stream plan and the job plan are not of the same job{_difference(plan, job)}",
        hint="take both from one version of the program, with the same options",
    )


def _placed(
    plan: StreamPlan, job: JobPlan, match: Match, node: int, facts: RunningFacts | None, operator_id: str | None
) -> ObservedOperator:
    return replace(
        planned_operator(plan, node),
        vertex=match.vertex(node),
        places=tuple(dict.fromkeys(seat.vertex for seat in match.seats[node])),
        operator_id=operator_id,
        parallelism=_parallelism(plan, job, match, node),
        running_name=_running_name(job, match, node, facts),
    )


def _parallelism(plan: StreamPlan, job: JobPlan, match: Match, node: int) -> int:
    place = match.vertex(node)
    return plan.nodes[node].parallelism if place is None else job.vertices[place].parallelism


def _running_name(job: JobPlan, match: Match, node: int, facts: RunningFacts | None) -> str | None:
    if len(match.seats[node]) != 1 or match.seats[node][0].inside:
        return None
    (seat,) = match.seats[node]
    return short_names(job.vertices[seat.vertex], facts)[seat.link]


def _edge(plan: StreamPlan, job: JobPlan, match: Match, edge: int, chained: bool | None) -> ObservedEdge:
    planned = plan.edges[edge]
    shipped = exchange = None
    source, target = match.vertex(planned.source), match.vertex(planned.target)
    if not chained and source is not None and target is not None:
        inputs = [one for one in job.vertices[target].inputs if one.source == source]
        ships, exchanges = {one.ship for one in inputs}, {one.exchange for one in inputs}
        shipped = ships.pop() if len(ships) == 1 else None
        exchange = exchanges.pop() if len(exchanges) == 1 else None
    return ObservedEdge(
        sources=(planned.source,),
        target=planned.target,
        ship=planned.ship,
        shipped=shipped,
        exchange=exchange,
        mode=planned.exchange,
        chained=chained,
    )


def _chained(plan: StreamPlan, match: Match) -> list[bool | None]:
    return [match.chained(plan, edge) for edge in range(len(plan.edges))]


def _told_apart_by_ids(plan: StreamPlan, job: JobPlan, match: Match) -> Match:
    """Where operators can be placed in several ways with different chains, the ids of the vertices may tell which.

    An id that is met by computing it, in any of these ways, is a generated one. Then the true way meets it as well.
    """
    if not match.solutions or None not in _chained(plan, match):
        return match
    share = MOST_NODES // len(match.solutions)
    complete = []  # the solutions that explain the ids of all vertices at once
    explained: list[set[str]] = []  # by solution, the vertices whose ids it can explain
    for solution in match.solutions:
        alone = match.alone(solution)
        heads = _heads(job, alone)
        found = list(provable_heads(plan, _chained(plan, alone), heads, _siblings(plan, alone), share))
        if any(len(one) == len(heads) for one in found):
            complete.append(solution)
        explained.append({heads[head] for one in found for head in one})
    generated = set().union(*explained)
    kept = complete or [one for one, own in zip(match.solutions, explained, strict=True) if own == generated]
    return match.narrowed(kept) if kept else match


def _ids(plan: StreamPlan, job: JobPlan, match: Match, chained: list[bool | None]) -> dict[int, str]:
    told = prove_ids(plan, chained, _heads(job, match), _siblings(plan, match))
    absorbed = {node for node, seats in enumerate(match.seats) if any(seat.inside for seat in seats)}
    return {node: operator_id for node, operator_id in told.items() if node not in absorbed}


def _heads(job: JobPlan, match: Match) -> dict[int, str]:
    """The heads of chains whose vertex is certain, with its id."""
    return {
        node: job.vertices[seats[0].vertex].id
        for node, seats in enumerate(match.seats)
        if len(seats) == 1 and seats[0].head and is_operator_id(job.vertices[seats[0].vertex].id)
    }


def _siblings(plan: StreamPlan, match: Match) -> dict[int, list[int]]:
    """By operator, its chained targets in the order in which Flink lists them."""
    siblings: dict[int, list[tuple[int, int]]] = {}
    for node, seats in enumerate(match.seats):
        if len(seats) == 1 and not seats[0].head and not seats[0].inside:
            parent = plan.edges[plan.into[node][0]].source
            siblings.setdefault(parent, []).append((seats[0].link, node))
    return {parent: [node for _, node in sorted(found)] for parent, found in siblings.items()}


def _members(job: JobPlan, match: Match) -> list[Members]:
    """By vertex, its operators in the order of its links, as far as they are certain, and the upstream of each."""
    at = {
        (seats[0].vertex, seats[0].link): node
        for node, seats in enumerate(match.seats)
        if len(seats) == 1 and not seats[0].inside
    }
    found = []
    for place, vertex in enumerate(job.vertices):
        links = [link for link in range(len(vertex.links)) if (place, link) in at]
        parents = tuple(
            None if (parent := vertex.links[link].parent) is None else at.get((place, parent)) for link in links
        )
        found.append((tuple(at[place, link] for link in links), parents))
    return found


def _difference(plan: StreamPlan, job: JobPlan) -> str:
    planned = {node.description for node in plan.nodes}
    deployed = {link.label for vertex in job.vertices for link in vertex.links}
    only = sorted(planned - deployed) or sorted(deployed - planned)
    where = "stream plan" if planned - deployed else "job plan"
    return f": only the {where} has {only[0]!r}" if only else ""


def observe_job_plan(job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """The job that a job plan alone describes."""
    origins, ids = find_origins(job)
    members = list(_members_of_vertices(job))
    return ObservedJob(
        name=job.name,
        origin="job plan" if facts is None else running_words(facts),
        named=facts is not None,
        planned=False,
        batch=job.batch,
        operators=tuple(_operators(job, facts, ids)),
        edges=(*_chained_in_vertices(members), *_exchanges(job, members, origins)),
        vertices=observed_vertices(job, members, facts),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _members_of_vertices(job: JobPlan) -> Iterator[Members]:
    """By vertex its operators: they are counted over all vertices in their order."""
    first = 0
    for vertex in job.vertices:
        own = tuple(range(first, first + len(vertex.links)))
        yield own, tuple(None if link.parent is None else first + link.parent for link in vertex.links)
        first += len(own)


def _operators(job: JobPlan, facts: RunningFacts | None, ids: Mapping[int, str]) -> Iterator[ObservedOperator]:
    count = 0
    for place, vertex in enumerate(job.vertices):
        names = short_names(vertex, facts)
        for number, link in enumerate(vertex.links):
            head = link.parent is None
            yield ObservedOperator(
                id=f"{vertex.id}/{number}",
                name=names[number],
                running_name=names[number],
                description=link.label,
                parallelism=vertex.parallelism,
                source=head and not vertex.inputs,
                vertex=place,
                operator_id=vertex.id if head else ids.get(count),
                iteration_end=len(vertex.links) == 1 and is_iteration_end(link.label),
            )
            count += 1


def _chained_in_vertices(members: Sequence[Members]) -> Iterator[ObservedEdge]:
    for own, parents in members:
        for target, parent in zip(own, parents, strict=True):
            if parent is not None:
                yield ObservedEdge(sources=(parent,), target=target, ship="FORWARD", chained=True)


def _exchanges(
    job: JobPlan, members: Sequence[Members], origins: Mapping[tuple[int, int], int]
) -> Iterator[ObservedEdge]:
    for place, vertex in enumerate(job.vertices):
        for number, one in enumerate(vertex.inputs):
            known = origins.get((place, number))
            yield ObservedEdge(
                sources=members[one.source][0] if known is None else (known,),
                target=members[place][0][0],
                ship=one.ship,
                shipped=one.ship,
                exchange=one.exchange,
                chained=False,
            )


def observe_stream_graph(plan: StreamPlan, job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """The job that a stream graph with vertices describes."""
    places = [job.by_id.get(node.vertex or "") for node in plan.nodes]
    chained = _chained_by_vertex(plan, places)
    ids = prove_ids(plan, chained, _heads_by_vertex(plan, job, places, chained), {})
    return ObservedJob(
        name=job.name,
        origin="job plan" if facts is None else running_words(facts),
        named=facts is not None,
        planned=False,
        batch=True,
        operators=tuple(
            replace(planned_operator(plan, node), vertex=places[node], operator_id=ids.get(node))
            for node in range(len(places))
        ),
        edges=tuple(
            ObservedEdge(sources=(edge.source,), target=edge.target, ship=edge.ship, mode=edge.exchange, chained=seen)
            for edge, seen in zip(plan.edges, chained, strict=True)
        ),
        vertices=observed_vertices(job, _members_by_vertex(plan, job, places, chained), facts),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _chained_by_vertex(plan: StreamPlan, places: Sequence[int | None]) -> list[bool | None]:
    """By edge, whether both ends run in one vertex; None while neither is deployed."""
    ends = [(places[edge.source], places[edge.target]) for edge in plan.edges]
    return [None if source is None and target is None else source == target for source, target in ends]


def _heads_by_vertex(
    plan: StreamPlan, job: JobPlan, places: Sequence[int | None], chained: Sequence[bool | None]
) -> dict[int, str]:
    return {
        node: job.vertices[place].id
        for node, place in enumerate(places)
        if place is not None
        and is_operator_id(job.vertices[place].id)
        and not any(chained[edge] for edge in plan.into[node])
    }


def _members_by_vertex(
    plan: StreamPlan, job: JobPlan, places: Sequence[int | None], chained: Sequence[bool | None]
) -> list[Members]:
    front = {plan.edges[edge].target: plan.edges[edge].source for edge, seen in enumerate(chained) if seen}
    own = [tuple(node for node, place in enumerate(places) if place == vertex) for vertex in range(len(job.vertices))]
    return [(nodes, tuple(front.get(node) for node in nodes)) for nodes in own]
