"""A job with its stream plan, and with its job plan beside it."""

from __future__ import annotations

from dataclasses import replace

from planner.errors import OptionError
from planner.frontends.flink_export.job_plan import JobPlan
from planner.frontends.flink_export.running import RunningFacts
from planner.frontends.flink_export.stream_plan import StreamPlan
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator
from planner.observed.labels import plan_mode
from planner.observed.matching import Match, match_plans
from planner.observed.parts import (
    Members,
    is_operator_id,
    observed_vertices,
    planned_operator,
    running_words,
    short_names,
)
from planner.observed.proven_ids import MOST_NODES, provable_heads, prove_ids


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


def _difference(plan: StreamPlan, job: JobPlan) -> str:
    planned = {node.description for node in plan.nodes}
    deployed = {link.label for vertex in job.vertices for link in vertex.links}
    only = sorted(planned - deployed) or sorted(deployed - planned)
    where = "stream plan" if planned - deployed else "job plan"
    return f": only the {where} has {only[0]!r}" if only else ""
