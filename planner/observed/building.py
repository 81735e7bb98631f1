"""One observed job out of the exports at hand: the stream plan, the job plan, or both."""

from __future__ import annotations

import re
from dataclasses import replace

from planner.errors import OptionError
from planner.frontends.flink_export.chain_text import read_names
from planner.frontends.flink_export.job_plan import JobPlan, PlanVertex
from planner.frontends.flink_export.running import RunningFacts
from planner.frontends.flink_export.stream_plan import StreamPlan, is_iteration_end
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator, ObservedVertex
from planner.observed.labels import plan_mode, short_name
from planner.observed.matching import Match, match_plans
from planner.observed.origins import find_origins
from planner.observed.proven_ids import all_proven, prove_ids

_HASH = re.compile("[0-9a-f]{32}")


def observe_stream_plan(plan: StreamPlan, name: str, *, batch: bool | None = None) -> ObservedJob:
    """A job before it runs: a forecast."""
    mode = plan_mode([node.description for node in plan.nodes]) if batch is None else batch
    return ObservedJob(
        name=name,
        origin="stream plan",
        batch=mode if not any(node.iteration_end for node in plan.nodes) else False,
        operators=tuple(_operator(plan, node) for node in range(len(plan.nodes))),
        edges=tuple(
            ObservedEdge(sources=(edge.source,), target=edge.target, ship=edge.ship, mode=edge.exchange)
            for edge in plan.edges
        ),
    )


def observe_both(plan: StreamPlan, job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """A job with its stream plan and its job plan: every chain is known, and most operator ids."""
    match = match_plans(plan, job)
    if match is None:
        job = job.read_again({node.description for node in plan.nodes})
        match = match_plans(plan, job)
    if match is None:
        raise OptionError(
            f"the stream plan and the job plan are not of the same job{_difference(plan, job)}",
            hint="take both from one version of the program, with the same options",
        )
    match = _told_apart_by_ids(plan, job, match)
    chained = _chained(plan, match)
    ids = _ids(plan, job, match, chained)
    members = _members(job, match)
    operators = tuple(
        replace(
            _operator(plan, node),
            vertex=match.vertex(node),
            operator_id=ids.get(node),
            parallelism=_parallelism(plan, job, match, node),
            running_name=_running_name(job, match, node, facts),
        )
        for node in range(len(plan.nodes))
    )
    return ObservedJob(
        name=job.name,
        origin="stream plan and job plan" if facts is None else f"{_running(facts)} and stream plan",
        batch=job.batch,
        operators=operators,
        edges=tuple(_edge(plan, job, match, edge, chained[edge]) for edge in range(len(plan.edges))),
        vertices=_vertices(job, members, facts or RunningFacts()),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def observe_job_plan(job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """A deployed job without its stream plan: its chains, and the exchanges between them."""
    origins, ids = find_origins(job)
    operators: list[ObservedOperator] = []
    edges: list[ObservedEdge] = []
    members: list[tuple[tuple[int, ...], tuple[int | None, ...]]] = []
    for place, vertex in enumerate(job.vertices):
        first = len(operators)
        names = _names(vertex, facts)
        for number, link in enumerate(vertex.links):
            head = link.parent is None
            operators.append(
                ObservedOperator(
                    id=f"{vertex.id}/{number}",
                    name=names[number],
                    running_name=names[number],
                    description=link.label,
                    parallelism=vertex.parallelism,
                    source=head and not vertex.inputs,
                    vertex=place,
                    operator_id=vertex.id if head else ids.get(len(operators)),
                    iteration_end=len(vertex.links) == 1 and is_iteration_end(link.label),
                )
            )
            if link.parent is not None:
                edges.append(
                    ObservedEdge(sources=(first + link.parent,), target=first + number, ship="FORWARD", chained=True)
                )
        own = range(first, len(operators))
        members.append((tuple(own), tuple(None if one.parent is None else first + one.parent for one in vertex.links)))
    for place, vertex in enumerate(job.vertices):
        edges += [
            ObservedEdge(
                sources=(origins[place, number],) if (place, number) in origins else members[one.source][0],
                target=members[place][0][0],
                ship=one.ship,
                shipped=one.ship,
                exchange=one.exchange,
                chained=False,
            )
            for number, one in enumerate(vertex.inputs)
        ]
    return ObservedJob(
        name=job.name,
        origin="job plan" if facts is None else _running(facts),
        planned=False,
        batch=job.batch,
        operators=tuple(operators),
        edges=tuple(edges),
        vertices=_vertices(job, members, facts or RunningFacts()),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _running(facts: RunningFacts) -> str:
    return f"{facts.state.lower() or 'running'} job"


def _names(vertex: PlanVertex, facts: RunningFacts | None) -> list[str]:
    """The short names of a vertex' operators, where the vertex name has one for each."""
    told = read_names(facts.names.get(vertex.id, "")) if facts else []
    return told if len(told) == len(vertex.links) else [short_name(link.label) for link in vertex.links]


def observe_stream_graph(plan: StreamPlan, job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """An adaptive batch job: its stream graph names the vertex of every operator that was already deployed."""
    places = [job.by_id.get(node.vertex or "") for node in plan.nodes]
    chained = [
        None
        if places[edge.source] is None and places[edge.target] is None
        else places[edge.source] == places[edge.target]
        for edge in plan.edges
    ]
    first = {
        node: job.vertices[place].id
        for node, place in enumerate(places)
        if place is not None and not any(chained[edge] for edge in plan.into[node])
    }
    ids = prove_ids(plan, chained, first, {})
    members = [tuple(node for node, place in enumerate(places) if place == own) for own in range(len(job.vertices))]
    parents = [
        tuple(next((plan.edges[e].source for e in plan.into[node] if chained[e]), None) for node in own)
        for own in members
    ]
    return ObservedJob(
        name=job.name,
        origin="job plan" if facts is None else _running(facts),
        planned=False,
        batch=True,
        operators=tuple(
            replace(_operator(plan, node), vertex=places[node], operator_id=ids.get(node))
            for node in range(len(places))
        ),
        edges=tuple(
            ObservedEdge(sources=(edge.source,), target=edge.target, ship=edge.ship, mode=edge.exchange, chained=seen)
            for edge, seen in zip(plan.edges, chained, strict=True)
        ),
        vertices=_vertices(job, list(zip(members, parents, strict=True)), facts or RunningFacts()),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _operator(plan: StreamPlan, node: int) -> ObservedOperator:
    entry = plan.nodes[node]
    return ObservedOperator(
        id=entry.id,
        name=entry.name,
        description=entry.description,
        parallelism=entry.parallelism,
        source=not plan.into[node],
        iteration_end=entry.iteration_end,
    )


def _parallelism(plan: StreamPlan, job: JobPlan, match: Match, node: int) -> int:
    place = match.vertex(node)
    return plan.nodes[node].parallelism if place is None else job.vertices[place].parallelism


def _running_name(job: JobPlan, match: Match, node: int, facts: RunningFacts | None) -> str | None:
    if len(match.seats[node]) != 1 or match.seats[node][0].inside:
        return None
    (seat,) = match.seats[node]
    return _names(job.vertices[seat.vertex], facts)[seat.link]


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
    """Where operators can be placed in several ways with different chains, the ids of the vertices may tell which."""
    if not match.solutions or None not in _chained(plan, match):
        return match
    proven = []
    for solution in match.solutions:
        alone = match.alone(solution)
        if all_proven(plan, _chained(plan, alone), _heads(job, alone), _siblings(plan, alone)):
            proven.append(solution)
    return match.narrowed(proven) if proven else match


def _ids(plan: StreamPlan, job: JobPlan, match: Match, chained: list[bool | None]) -> dict[int, str]:
    told = prove_ids(plan, chained, _heads(job, match), _siblings(plan, match))
    absorbed = {node for node, seats in enumerate(match.seats) if any(seat.inside for seat in seats)}
    return {node: operator_id for node, operator_id in told.items() if node not in absorbed}


def _heads(job: JobPlan, match: Match) -> dict[int, str]:
    """The heads of chains whose vertex is certain, with its id."""
    return {
        node: job.vertices[seats[0].vertex].id
        for node, seats in enumerate(match.seats)
        if len(seats) == 1 and seats[0].head and _HASH.fullmatch(job.vertices[seats[0].vertex].id)
    }


def _siblings(plan: StreamPlan, match: Match) -> dict[int, list[int]]:
    """By operator, its chained targets in the order in which Flink lists them."""
    siblings: dict[int, list[tuple[int, int]]] = {}
    for node, seats in enumerate(match.seats):
        if len(seats) == 1 and not seats[0].head and not seats[0].inside:
            parent = plan.edges[plan.into[node][0]].source
            siblings.setdefault(parent, []).append((seats[0].link, node))
    return {parent: [node for _, node in sorted(found)] for parent, found in siblings.items()}


def _members(job: JobPlan, match: Match) -> list[tuple[tuple[int, ...], tuple[int | None, ...]]]:
    """By vertex, its operators in the order of its links, as far as they are certain, and who is in front of each."""
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


def _vertices(
    job: JobPlan, members: list[tuple[tuple[int, ...], tuple[int | None, ...]]], facts: RunningFacts
) -> tuple[ObservedVertex, ...]:
    return tuple(
        ObservedVertex(
            id=vertex.id,
            parallelism=vertex.parallelism,
            members=own,
            parents=parents,
            max_parallelism=facts.max_parallelism.get(vertex.id),
            group=facts.groups.get(vertex.id),
            source_kind=None if vertex.inputs else facts.source_kinds.get(vertex.id),
            name=facts.names.get(vertex.id, ""),
        )
        for vertex, (own, parents) in zip(job.vertices, members, strict=True)
    )


def _difference(plan: StreamPlan, job: JobPlan) -> str:
    planned = {node.description for node in plan.nodes}
    deployed = {link.label for vertex in job.vertices for link in vertex.links}
    only = sorted(planned - deployed) or sorted(deployed - planned)
    where = "stream plan" if planned - deployed else "job plan"
    return f": only the {where} has {only[0]!r}" if only else ""
