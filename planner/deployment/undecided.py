"""A batch job before it runs: Flink decides the missing parallelisms from the data, and this is what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.deployment.steps import vertex_regions
from planner.job_graph import JobGraph

__all__ = ["Undecided", "describe_undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """What is open, and what is not."""

    open: tuple[int, ...]  # positions of the vertices without a parallelism
    known: tuple[tuple[int, int], ...]  # the others, with theirs
    limits: tuple[tuple[int, int], ...]  # open vertices with the max parallelism they may not exceed
    regions: tuple[tuple[int, ...], ...]  # vertices that run, fail and restart together, whatever is decided
    least_slots: int  # no fewer will do: the largest known need of a region

    def to_dict(self) -> dict[str, Any]:
        """The state of knowledge as JSON-ready data."""
        return {
            "reason": "batch mode decides parallelism at run time",
            "open": list(self.open),
            "known": [{"vertex": vertex, "parallelism": parallelism} for vertex, parallelism in self.known],
            "limits": [{"vertex": vertex, "max_parallelism": most} for vertex, most in self.limits],
            "pipelined_regions": [list(region) for region in self.regions],
            "least_slots": self.least_slots,
        }


def describe_undecided(graph: JobGraph) -> Undecided:
    """What can be said of a job graph in which some parallelisms are missing."""
    names = vertex_regions(graph)
    members: dict[int, list[int]] = {}
    for vertex, name in enumerate(names):
        members.setdefault(name, []).append(vertex)
    vertices = list(enumerate(graph.vertices))
    return Undecided(
        open=tuple(position for position, vertex in vertices if vertex.parallelism < 1),
        known=tuple((position, vertex.parallelism) for position, vertex in vertices if vertex.parallelism > 0),
        limits=tuple(
            (position, vertex.max_parallelism)
            for position, vertex in vertices
            if vertex.parallelism < 1 and vertex.max_parallelism > 0
        ),
        regions=tuple(tuple(region) for region in members.values()),
        least_slots=_least_slots(graph, names, members),
    )


def _least_slots(graph: JobGraph, names: Sequence[int], members: Mapping[int, Sequence[int]]) -> int:
    """The largest need of a region: a full exchange makes all its subtasks run at once, else one at a time may do."""
    whole = {
        names[edge.source]
        for edge in graph.edges
        if names[edge.source] == names[edge.target] and edge.distribution == "ALL_TO_ALL"
    }
    return max((_need(graph, region, whole=name in whole) for name, region in members.items()), default=1)


def _need(graph: JobGraph, region: Sequence[int], *, whole: bool) -> int:
    needs: dict[str, int] = {}
    for position in region:
        vertex = graph.vertices[position]
        needs[vertex.sharing] = max(needs.get(vertex.sharing, 1), vertex.parallelism if whole else 1)
    return sum(needs.values())
