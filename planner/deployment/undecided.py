"""A batch job before it runs: Flink decides the missing parallelisms from the data, and this is what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.deployment.steps import vertex_regions
from planner.graphs.job_graph import JobGraph
from planner.graphs.physical import Subtask
from planner.records import record

__all__ = ["Undecided", "VertexFailure", "describe_undecided"]


@record
class VertexFailure:
    """What a failing subtask of an undecided job may take with it, by vertex."""

    vertex: int
    region: tuple[int, ...]  # vertices of which it restarts subtasks: those that pipelined channels join to it
    consumers: tuple[int, ...]  # vertices downstream of their blocking results, however far

    def to_dict(self) -> dict[str, Any]:
        """The failure as JSON-ready data."""
        return {"vertex": self.vertex, "region": list(self.region), "consumers": list(self.consumers)}


@record
class Undecided:
    """What is open, and what is not."""

    open: tuple[int, ...]  # positions of the vertices without a parallelism
    known: tuple[tuple[int, int], ...]  # the others, with theirs
    limits: tuple[tuple[int, int], ...]  # open vertices with the max parallelism they may not exceed
    regions: tuple[tuple[int, ...], ...]  # vertices that run, fail and restart together, whatever is decided
    least_slots: int  # no fewer will do: the largest known need of a region
    failures: tuple[VertexFailure, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The state of knowledge as JSON-ready data."""
        return {
            "reason": "batch mode decides parallelism at run time",
            "open": list(self.open),
            "known": [{"vertex": vertex, "parallelism": parallelism} for vertex, parallelism in self.known],
            "limits": [{"vertex": vertex, "max_parallelism": most} for vertex, most in self.limits],
            "pipelined_regions": [list(region) for region in self.regions],
            "least_slots": self.least_slots,
            "failures": [failure.to_dict() for failure in self.failures],
        }


def describe_undecided(graph: JobGraph, failed: Sequence[Subtask] = ()) -> Undecided:
    """What can be said of a job graph in which some parallelisms are missing, and of subtasks that fail."""
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
        failures=tuple(_failure(graph, names, vertex) for vertex, _ in failed),
    )


def _failure(graph: JobGraph, names: Sequence[int], vertex: int) -> VertexFailure:
    downstream: dict[int, list[int]] = {}
    for edge in graph.edges:
        downstream.setdefault(names[edge.source], []).append(names[edge.target])
    reached = [names[vertex]]
    seen = set(reached)
    for region in reached:  # grows while it is walked
        for other in downstream.get(region, ()):
            if other not in seen:
                seen.add(other)
                reached.append(other)
    return VertexFailure(
        vertex=vertex,
        region=tuple(position for position, name in enumerate(names) if name == names[vertex]),
        consumers=tuple(p for p, name in enumerate(names) if name in seen and name != names[vertex]),
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
