"""Parts that every way to observe a job needs: operators, vertices, names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planner.frontends.flink_export.chain_text import read_names
from planner.frontends.flink_export.job_plan import JobPlan, PlanVertex
from planner.frontends.flink_export.running import RunningFacts
from planner.frontends.flink_export.stream_plan import StreamPlan
from planner.observed.job import ObservedOperator, ObservedVertex
from planner.observed.labels import short_name

_HASH = re.compile("[0-9a-f]{32}")
Members = tuple[tuple[int, ...], tuple[int | None, ...]]  # the operators of a vertex, and by operator the one in front


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
            name=facts.names.get(vertex.id, ""),
            chain=tuple(short_names(vertex, known)),
            described=tuple(link.label for link in vertex.links),
            inputs=tuple((one.source, one.ship) for one in vertex.inputs),
        )
        for vertex, (own, parents) in zip(job.vertices, members, strict=True)
    )
