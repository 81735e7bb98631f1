"""At which steps vertices and regions start and finish: the longest way to them from a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.deployment.layout import Layout, blocking_links
from planner.graphs.job_graph import PIPELINED, JobGraph
from planner.graphs.regions import pipelined_regions
from planner.topology import longest_ways

__all__ = [
    "FIRST_STEP",
    "STEPS_TO_FINISHED",
    "STEPS_TO_RUNNING",
    "Steps",
    "eager_steps",
    "lazy_steps",
    "region_starts",
    "vertex_region_steps",
    "vertex_regions",
]

FIRST_STEP = 1  # at step 0 everything is CREATED
STEPS_TO_RUNNING = 2  # SCHEDULED, then DEPLOYING, then RUNNING
STEPS_TO_FINISHED = 3

Steps = tuple[int, int]  # when something is SCHEDULED, and when it may first be FINISHED


def vertex_regions(graph: JobGraph) -> list[int]:
    """The pipelined region of every vertex, named by its first one."""
    ends = [(edge.source, edge.target) for edge in graph.edges]
    return pipelined_regions(len(graph.vertices), ends, [edge.result_type == PIPELINED for edge in graph.edges])


def region_starts(layout: Layout) -> list[int]:
    """When every failover region starts: once the regions whose blocking results it reads are finished."""
    count = len(layout.physical.failover_regions)
    return _longest(count, blocking_links(layout, layout.region_of, count), cost=STEPS_TO_FINISHED)


def vertex_region_steps(graph: JobGraph) -> list[Steps]:
    """The steps of every vertex, by pipelined region, while its number of subtasks is not yet known."""
    region = vertex_regions(graph)
    starts = _longest(len(region), _links(graph, region), cost=STEPS_TO_FINISHED)
    return [(starts[name], starts[name] + STEPS_TO_FINISHED) for name in region]


def eager_steps(graph: JobGraph) -> list[Steps]:
    """Everything starts at once; what reads blocking results runs idle until these are finished."""
    region = vertex_regions(graph)
    depth = _longest(len(region), _links(graph, region), cost=1)
    return [(FIRST_STEP, depth[name] + STEPS_TO_FINISHED) for name in region]


def lazy_steps(graph: JobGraph) -> list[Steps]:
    """From the sources: a vertex starts when its pipelined inputs run and its blocking ones are finished.

    A pipelined region finishes as a whole, one step after the last of it runs: none of it can end before its readers.
    """
    region = vertex_regions(graph)
    inputs: list[list[int]] = [[] for _ in region]
    for edge in graph.edges:
        inputs[edge.target].append(edge.source)
    starts = [FIRST_STEP] * len(region)
    finished: dict[int, int] = {}
    for name, members in _regions_in_order(graph, region):
        for vertex in members:
            for source in inputs[vertex]:
                inside = region[source] == name
                ready = starts[source] + STEPS_TO_RUNNING if inside else finished[region[source]]
                starts[vertex] = max(starts[vertex], ready)
        finished[name] = max(starts[vertex] for vertex in members) + STEPS_TO_FINISHED
    return [(start, finished[name]) for start, name in zip(starts, region, strict=True)]


def _regions_in_order(graph: JobGraph, region: Sequence[int]) -> list[tuple[int, list[int]]]:
    """The regions with their vertices, producers of blocking results first."""
    members: dict[int, list[int]] = {}
    for vertex, name in enumerate(region):
        members.setdefault(name, []).append(vertex)
    depth = _longest(len(region), _links(graph, region), cost=1)
    return sorted(members.items(), key=lambda item: (depth[item[0]], item[0]))


def _links(graph: JobGraph, region: Sequence[int]) -> dict[int, list[int]]:
    links: dict[int, list[int]] = {}
    for edge in graph.edges:
        if region[edge.source] != region[edge.target]:
            links.setdefault(region[edge.source], []).append(region[edge.target])
    return links


def _longest(count: int, links: Mapping[int, Sequence[int]], *, cost: int) -> list[int]:
    """The step of each of the numbers below `count`; larger ones are exchanges, which take no time of their own."""
    numbers = {*range(count), *links, *(target for targets in links.values() for target in targets)}
    ends = [(number, target) for number, targets in links.items() for target in targets]
    ways = longest_ways(sorted(numbers), ends, {number: cost if number < count else 0 for number in numbers})
    return [FIRST_STEP + ways[number] for number in range(count)]
