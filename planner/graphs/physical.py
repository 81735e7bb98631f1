"""The physical deployment: which subtasks share a slot, which restart together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

from planner.errors import PlanningError
from planner.graphs.components import Components, strongly_connected
from planner.graphs.execution_graph import ExecutionEdge, ExecutionGraph
from planner.graphs.job_graph import PIPELINED, JobGraph
from planner.graphs.stream_graph import StreamGraph
from planner.records import record

Subtask = tuple[int, int]  # (vertex position, subtask index)


@record
class Physical:
    """Slots and failover regions, each a sorted tuple of subtasks, both sorted."""

    slots: tuple[tuple[Subtask, ...], ...]
    failover_regions: tuple[tuple[Subtask, ...], ...]


def build_physical(graph: StreamGraph, job_graph: JobGraph, execution_graph: ExecutionGraph) -> Physical:
    """Share the subtasks out over slots and find what fails together."""
    subtasks = [[(vertex, n) for n in range(count)] for vertex, count in enumerate(execution_graph.parallelisms)]
    sharing = _SlotSharing(job_graph, execution_graph, subtasks).assign()
    slots = tuple(sorted([tuple(sorted(slot)) for slot in sharing]))
    regions = tuple(map(tuple, _failover_regions(job_graph, execution_graph, subtasks)))
    if not job_graph.dynamic:
        _refuse_co_location_across_regions(graph, job_graph, regions)
    return Physical(slots=slots, failover_regions=regions)


def _refuse_co_location_across_regions(
    graph: StreamGraph, job_graph: JobGraph, regions: tuple[tuple[Subtask, ...], ...]
) -> None:
    """Co-located subtasks share a slot as long as they live, so they must start and fail together."""
    if all(vertex.co_location_group is None for vertex in job_graph.vertices):
        return
    region_of: dict[tuple[str, int], int] = {}
    for number, region in enumerate(regions):
        for position, subtask in region:
            vertex = job_graph.vertices[position]
            if vertex.co_location_group is None:
                continue
            if region_of.setdefault((vertex.co_location_group, subtask), number) != number:
                raise PlanningError(
                    f'co-location group "{vertex.co_location_group}" holds {vertex.name} and operators that no '
                    "pipelined exchange joins to it",
                    location=graph.by_id[vertex.head].operator.location,
                    hint="co-locate only operators of one connected pipeline, with the subtasks that feed each other",
                )


class _SlotSharing:
    """Flink's local-input-preferred strategy.

    Vertex by vertex, each subtask goes into the slot of its co-located peers, else the slot of a producer in the same
    sharing group, else the first slot of the group that has none of this vertex yet, else a new one.
    """

    def __init__(self, job_graph: JobGraph, execution_graph: ExecutionGraph, subtasks: list[list[Subtask]]) -> None:
        self.subtasks = subtasks
        self.vertices = job_graph.vertices
        self.parallelisms = execution_graph.parallelisms
        self.inputs: dict[int, list[ExecutionEdge]] = {}
        for edge in execution_graph.edges:
            self.inputs.setdefault(edge.target, []).append(edge)
        self.slots: list[list[Subtask]] = []
        self.slot_of: list[list[int]] = [[-1] * parallelism for parallelism in self.parallelisms]
        self.of_group: dict[str, list[int]] = {}
        self.co_located: dict[tuple[str, int], int] = {}

    def assign(self) -> list[list[Subtask]]:
        for vertex, parallelism in enumerate(self.parallelisms):
            taken: set[int] = set()
            # What is taken stays taken while one vertex is placed, so each input is scanned once, never from its start.
            sharing, group = self.vertices[vertex].sharing, self.vertices[vertex].co_location_group
            inputs = [edge for edge in self.inputs.get(vertex, ()) if self.vertices[edge.source].sharing == sharing]
            remaining: Sequence[int] = range(parallelism)
            if inputs and group is None and self.follow(vertex, inputs, taken):
                remaining = range(len(taken), parallelism)
            elif inputs or group is not None:
                scanned = [0] * len(inputs)
                remaining = [n for n in remaining if not self.join_known(vertex, n, taken, inputs, scanned)]
            if remaining:
                self.fill_up(vertex, remaining, taken)
            if group is not None:
                for subtask, slot in enumerate(self.slot_of[vertex]):
                    self.co_located[group, subtask] = slot
        return self.slots

    def follow(self, vertex: int, inputs: list[ExecutionEdge], taken: set[int]) -> bool:
        """Put subtask after subtask with the producers of the first input, where each finds the next one's slot free.

        So it is where all read all, or each its own, and no slot has two producers. Subtasks beyond the producers are
        left; False where it is not so simple.
        """
        edge, parallelism = inputs[0], self.parallelisms[vertex]
        slots = self.slot_of[edge.source][:parallelism]
        if len(slots) < parallelism and len(inputs) > 1:
            return False
        if edge.distribution != "ALL_TO_ALL" and self.parallelisms[edge.source] != parallelism:
            return False
        taken.update(slots)
        if len(taken) < len(slots):
            taken.clear()
            return False
        for slot, subtask in zip(slots, self.subtasks[vertex], strict=False):
            self.slots[slot].append(subtask)
        self.slot_of[vertex][: len(slots)] = slots
        return True

    def join_known(
        self, vertex: int, subtask: int, taken: set[int], inputs: list[ExecutionEdge], scanned: list[int]
    ) -> bool:
        """Put the subtask with its co-located peers or a producer; False where there is no such slot."""
        group = self.vertices[vertex].co_location_group
        slot = self.co_located.get((group, subtask), -1) if group is not None else -1
        if slot < 0:
            slot = self.producer_slot(subtask, taken, inputs, scanned)
        if slot < 0:
            return False
        self.put(vertex, subtask, slot, taken)
        return True

    def producer_slot(self, subtask: int, taken: set[int], inputs: list[ExecutionEdge], scanned: list[int]) -> int:
        """The slot of the first producer, over all inputs in order, that has none of this vertex yet."""
        for number, edge in enumerate(inputs):
            _, low, high = edge.consumed[subtask]
            slots = self.slot_of[edge.source]
            for partition in range(max(low, scanned[number]), high + 1):
                scanned[number] = partition + 1
                if slots[partition] not in taken:
                    return slots[partition]
        return -1

    def fill_up(self, vertex: int, remaining: Sequence[int], taken: set[int]) -> None:
        slots = self.of_group.setdefault(self.vertices[vertex].sharing, [])
        place = 0
        for subtask in remaining:
            while place < len(slots) and slots[place] in taken:
                place += 1
            if place == len(slots):
                slots.append(len(self.slots))
                self.slots.append([])
            self.put(vertex, subtask, slots[place], taken)

    def put(self, vertex: int, subtask: int, slot: int, taken: set[int]) -> None:
        self.slots[slot].append(self.subtasks[vertex][subtask])
        self.slot_of[vertex][subtask] = slot
        taken.add(slot)


def _failover_regions(
    job_graph: JobGraph, execution_graph: ExecutionGraph, subtasks: list[list[Subtask]]
) -> list[list[Subtask]]:
    """Subtasks joined by pipelined channels, and those that wait for each other through blocking ones; sorted."""
    first = [0, *accumulate(execution_graph.parallelisms)]
    joined = Components(first[-1])
    blocking = []
    whole: set[int] = set()  # vertices whose subtasks all read, or are all read by, one subtask
    for edge in execution_graph.edges:
        if job_graph.edges[edge.job_edge].result_type != PIPELINED:
            blocking.append(edge)
        elif edge.distribution == "ALL_TO_ALL":
            joined.join(first[edge.source], first[edge.target])
            whole.update((edge.source, edge.target))
        else:
            _join(joined, edge, first)
    for vertex in whole:
        joined.join_range(first[vertex], first[vertex + 1])
    if blocking:
        _merge_cycles(joined, blocking, first)
    flat = list(chain.from_iterable(subtasks))
    return [[flat[number] for number in members] for members in joined.members().values()]


def _join(joined: Components, edge: ExecutionEdge, first: list[int]) -> None:
    """Join the subtasks that a pointwise edge connects."""
    source, target = first[edge.source], first[edge.target]
    for subtask, low, high in edge.consumed:
        for partition in range(low, high + 1):
            joined.join(source + partition, target + subtask)


def _merge_cycles(joined: Components, blocking: list[ExecutionEdge], first: list[int]) -> None:
    """Merge regions on a cycle of blocking exchanges; an all-to-all exchange is one extra node, not a product."""
    downstream: dict[int, list[int]] = {}
    for number, edge in enumerate(blocking):
        producers = range(first[edge.source], first[edge.source + 1])
        consumers = range(first[edge.target], first[edge.target + 1])
        if edge.distribution == "ALL_TO_ALL":
            hub = first[-1] + number
            for producer in producers:
                downstream.setdefault(joined.find(producer), []).append(hub)
            downstream[hub] = [joined.find(consumer) for consumer in consumers]
            continue
        for subtask, low, high in edge.consumed:
            for partition in range(low, high + 1):
                downstream.setdefault(joined.find(producers[partition]), []).append(joined.find(consumers[subtask]))
    for cycle in strongly_connected(list(downstream), downstream):
        regions = [number for number in cycle if number < first[-1]]
        for region in regions[1:]:
            joined.join(regions[0], region)
