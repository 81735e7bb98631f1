"""The chains of an observed job, in source-first order: as Flink deployed them, or as they are expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.observed.job import ObservedJob
from planner.observed.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedChain:
    """One chain; `inputs` are positions in the list of chains."""

    id: str | None  # of the vertex; None while it is only expected
    members: tuple[int, ...]  # positions in ObservedJob.operators, head first
    depth: tuple[int, ...]  # by member, how many operators of the chain are in front of it
    parallelism: int
    inputs: tuple[int, ...] = ()


def chains_of(job: ObservedJob, verdicts: Sequence[Verdict]) -> tuple[ObservedChain, ...]:
    """All chains, each behind its inputs."""
    front: dict[int, int] = {}  # by operator, the one it is chained to
    for edge, verdict in zip(job.edges, verdicts, strict=True):
        if verdict.chained and edge.source is not None:
            front[edge.target] = edge.source
    order = job.sources_first
    depth: dict[int, int] = {}
    head: dict[int, int] = {}
    for operator in order:
        before = front.get(operator)
        depth[operator] = 0 if before is None else depth[before] + 1
        head[operator] = operator if before is None else head[before]
    members: dict[int, list[int]] = {}
    for operator in _deployed_order(job) or order:
        members.setdefault(head[operator], []).append(operator)
    number = {first: place for place, first in enumerate(members)}
    return tuple(
        ObservedChain(
            id=_vertex_id(job, first),
            members=tuple(own),
            depth=tuple(depth[one] for one in own),
            parallelism=job.operators[first].parallelism,
            inputs=_inputs(job, own, {one: number[head[one]] for one in order}),
        )
        for first, own in members.items()
    )


def _vertex_id(job: ObservedJob, operator: int) -> str | None:
    vertex = job.vertex_of(operator)
    return vertex.id if vertex else None


def _inputs(job: ObservedJob, own: Sequence[int], chain: dict[int, int]) -> tuple[int, ...]:
    entering = [job.edges[edge] for one in own for edge in job.into[one]]
    found = {chain[edge.sources[0]] for edge in entering} - {chain[own[0]]}
    return tuple(sorted(found))


def _deployed_order(job: ObservedJob) -> list[int]:
    """The operators by vertex, where every one has its place."""
    placed = [one for vertex in job.vertices for one in vertex.members]
    return placed if len(placed) == len(job.operators) else []
