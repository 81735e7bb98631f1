"""A deployed job without its stream plan: its chains, and the exchanges between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planner.frontends.flink_export.job_plan import JobPlan
from planner.frontends.flink_export.running import RunningFacts
from planner.frontends.flink_export.stream_plan import is_iteration_end
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator
from planner.observed.origins import find_origins
from planner.observed.parts import Members, observed_vertices, running_words, short_names


def observe_job_plan(job: JobPlan, facts: RunningFacts | None = None) -> ObservedJob:
    """The job that a job plan alone describes."""
    origins, ids = find_origins(job)
    members = list(_members(job))
    return ObservedJob(
        name=job.name,
        origin="job plan" if facts is None else running_words(facts),
        named=facts is not None,
        planned=False,
        batch=job.batch,
        operators=tuple(_operators(job, facts, ids)),
        edges=(*_chained(members), *_exchanges(job, members, origins)),
        vertices=observed_vertices(job, members, facts),
        max_parallelism=facts.job_max_parallelism if facts else None,
    )


def _members(job: JobPlan) -> Iterator[Members]:
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


def _chained(members: Sequence[Members]) -> Iterator[ObservedEdge]:
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
