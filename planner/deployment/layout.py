"""A plan laid out for deployment: its graphs, and every subtask as one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from planner.flink.profile import LoadBalanceMode
from planner.graphs.execution_graph import ExecutionEdge, ExecutionGraph
from planner.graphs.job_graph import PIPELINED, JobGraph
from planner.graphs.physical import Physical, Subtask
from planner.graphs.task_balance import balance_tasks
from planner.pipeline import Plan
from planner.records import record

__all__ = ["Layout", "Range", "blocking_links", "fold", "lay_out"]

Range = tuple[int, int]  # first and last, both included


@record
class Layout:
    """A plan whose every parallelism is known. Subtask `s` of vertex `v` has the number `first[v] + s`."""

    job_graph: JobGraph
    execution_graph: ExecutionGraph
    physical: Physical
    first: tuple[int, ...]  # of each vertex, and after the last one the number of all subtasks
    slot_of: tuple[int, ...]  # position in Physical.slots, of each subtask
    region_of: tuple[int, ...]  # position in Physical.failover_regions, of each subtask
    inputs: tuple[tuple[ExecutionEdge, ...], ...]  # of each vertex

    def numbers(self, vertex: int) -> range:
        """The numbers of a vertex's subtasks."""
        return range(self.first[vertex], self.first[vertex + 1])

    def number(self, subtask: Subtask) -> int:
        """The number of one subtask."""
        return self.first[subtask[0]] + subtask[1]

    def is_blocking(self, edge: ExecutionEdge) -> bool:
        """Whether the edge reads a result that must be finished first."""
        return self.job_graph.edges[edge.job_edge].result_type != PIPELINED

    def blocking_edges(self) -> Iterator[ExecutionEdge]:
        """The edges that read blocking results."""
        return (edge for edge in self.execution_graph.edges if self.is_blocking(edge))


def lay_out(plan: Plan, mode: LoadBalanceMode = "none") -> Layout | None:
    """Number the subtasks of a plan; None while batch mode has not decided every parallelism.

    Slots are shared as the plan says, but under the mode `tasks`, which has a way of its own.
    """
    job_graph, graph, physical = plan.job_graph, plan.execution_graph, plan.physical
    if job_graph is None or graph is None or physical is None:
        return None
    if mode == "tasks":
        physical = replace(physical, slots=balance_tasks(job_graph, graph))
    first = (0, *accumulate(graph.parallelisms))
    inputs: list[list[ExecutionEdge]] = [[] for _ in job_graph.vertices]
    for edge in graph.edges:
        inputs[edge.target].append(edge)
    return Layout(
        job_graph=job_graph,
        execution_graph=graph,
        physical=physical,
        first=first,
        slot_of=_owners(physical.slots, first),
        region_of=_owners(physical.failover_regions, first),
        inputs=tuple(tuple(edges) for edges in inputs),
    )


def _owners(groups: Sequence[tuple[Subtask, ...]], first: Sequence[int]) -> tuple[int, ...]:
    owner = [-1] * first[-1]
    for position, group in enumerate(groups):
        for vertex, subtask in group:
            owner[first[vertex] + subtask] = position
    return tuple(owner)


def blocking_links(layout: Layout, group_of: Sequence[int], groups: int) -> dict[int, list[int]]:
    """Which groups of subtasks must finish before which others may start.

    Groups are the numbers below `groups`; a full exchange is one more number instead of a product of both sides. Where
    one group is on both sides of an exchange, it waits for the others only.
    """
    links: dict[int, list[int]] = {}
    for position, edge in enumerate(layout.blocking_edges()):
        producers, consumers = layout.numbers(edge.source), layout.numbers(edge.target)
        if edge.distribution == "ALL_TO_ALL":
            exchange = groups + position
            _link_all(links, exchange, _distinct(group_of, producers), _distinct(group_of, consumers))
            continue
        for subtask, low, high in edge.consumed:
            reader = group_of[consumers[subtask]]
            for producer in _distinct(group_of, producers[low : high + 1]):
                if producer != reader:
                    links.setdefault(producer, []).append(reader)
    return links


def _link_all(links: dict[int, list[int]], exchange: int, producers: list[int], consumers: list[int]) -> None:
    both = set(producers) & set(consumers)
    # Two groups on both sides wait for each other: that cycle stays, for the caller to see.
    alone = both if len(both) == 1 else set()
    links[exchange] = consumers
    for producer in producers:
        if producer in alone:
            links.setdefault(producer, []).extend(group for group in consumers if group != producer)
        else:
            links.setdefault(producer, []).append(exchange)


def _distinct(group_of: Sequence[int], numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(group_of[number] for number in numbers))


def fold(numbers: Iterable[int]) -> tuple[Range, ...]:
    """Ascending numbers as ranges."""
    ranges: list[Range] = []
    for number in numbers:
        if ranges and ranges[-1][1] + 1 == number:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return tuple(ranges)
