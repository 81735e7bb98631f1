"""What a deployment costs: channels, network buffers and memory, by edge and by task manager.

An input gate takes `buffers_per_channel` for each of its channels and `floating_buffers_per_gate` besides. A pipelined
result partition takes one buffer for each subpartition and one more; a blocking one is sorted before it is written,
and takes a fixed number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from planner.deployment.cluster import Cluster
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.graphs.execution_graph import ExecutionEdge
from planner.job import Partitioner

__all__ = ["SORT_SHUFFLE_BUFFERS", "Costs", "EdgeCost", "TaskManagerCost", "count_costs"]

SORT_SHUFFLE_BUFFERS = 512  # Flink's taskmanager.network.sort-shuffle.min-buffers


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCost:
    """What one exchange takes on all task managers together."""

    edge: int  # position in JobGraph.edges
    source: int
    target: int
    ship_strategy: Partitioner
    channels: int
    remote_channels: int | None  # between different task managers; None: nothing is placed
    gates: int
    input_buffers: int
    output_buffers: int  # 0 where an earlier edge reads the same result

    @property
    def buffers(self) -> int:
        """All buffers of the exchange."""
        return self.input_buffers + self.output_buffers


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskManagerCost:
    """What runs on one task manager, and the buffers it takes. In turns, the largest of them."""

    task_manager: int
    subtasks: int
    buffers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The figures of a whole deployment."""

    edges: tuple[EdgeCost, ...]
    task_managers: tuple[TaskManagerCost, ...]  # those in use; empty where nothing is placed
    buffer_size: int
    available: int | None  # buffers of one task manager; None: its network memory is not known

    @property
    def channels(self) -> int:
        """The channels of all edges."""
        return sum(edge.channels for edge in self.edges)

    @property
    def buffers(self) -> int:
        """The buffers of all edges."""
        return sum(edge.buffers for edge in self.edges)

    @property
    def dearest(self) -> EdgeCost | None:
        """The edge that takes most buffers, the first of equals; None where there is no edge."""
        return max(self.edges, key=lambda edge: edge.buffers, default=None)

    @property
    def fullest(self) -> TaskManagerCost | None:
        """The task manager that takes most buffers."""
        return max(self.task_managers, key=lambda cost: cost.buffers, default=None)

    @property
    def overloaded(self) -> tuple[TaskManagerCost, ...]:
        """The task managers that take more buffers than they have."""
        if self.available is None:
            return ()
        return tuple(cost for cost in self.task_managers if cost.buffers > self.available)

    def to_dict(self) -> dict[str, Any]:
        """The costs as JSON-ready data."""
        dearest = self.dearest
        return {
            "channels": self.channels,
            "buffers": self.buffers,
            "memory": self.buffers * self.buffer_size,
            "buffer_size": self.buffer_size,
            "buffers_available": self.available,
            "most_costly_edge": dearest.edge if dearest else None,
            "edges": [_edge(edge, self.buffer_size) for edge in self.edges],
            "task_managers": [
                {
                    "task_manager": cost.task_manager,
                    "subtasks": cost.subtasks,
                    "buffers": cost.buffers,
                    "memory": cost.buffers * self.buffer_size,
                    "fits": None if self.available is None else cost.buffers <= self.available,
                }
                for cost in self.task_managers
            ],
        }


def _edge(cost: EdgeCost, buffer_size: int) -> dict[str, Any]:
    return {
        "edge": cost.edge,
        "source": cost.source,
        "target": cost.target,
        "ship_strategy": cost.ship_strategy,
        "channels": cost.channels,
        "remote_channels": cost.remote_channels,
        "gates": cost.gates,
        "input_buffers": cost.input_buffers,
        "output_buffers": cost.output_buffers,
        "memory": cost.buffers * buffer_size,
    }


def count_costs(layout: Layout, settings: Cluster, placement: Placement | None = None) -> Costs:
    """Count what every edge takes, and with a placement, every task manager."""
    of_subtask = [0] * layout.first[-1]
    written: set[int] = set()
    edges = []
    for edge in layout.execution_graph.edges:
        data_set = layout.job_graph.edges[edge.job_edge].data_set
        taken_in = _add_gates(layout, edge, settings, of_subtask)
        taken_out = 0 if data_set in written else _add_partitions(layout, edge, of_subtask)
        written.add(data_set)
        edges.append(_edge_cost(layout, edge, placement, taken_in, taken_out))
    return Costs(
        edges=tuple(edges),
        task_managers=_by_task_manager(layout, placement, of_subtask) if placement else (),
        buffer_size=settings.buffer_size,
        available=settings.network_buffers,
    )


def _add_gates(layout: Layout, edge: ExecutionEdge, settings: Cluster, of_subtask: list[int]) -> int:
    total, first = 0, layout.first[edge.target]
    for subtask, low, high in edge.consumed:
        buffers = (high - low + 1) * settings.buffers_per_channel + settings.floating_buffers_per_gate
        of_subtask[first + subtask] += buffers
        total += buffers
    return total


def _add_partitions(layout: Layout, edge: ExecutionEdge, of_subtask: list[int]) -> int:
    total = 0
    blocking = layout.is_blocking(edge)
    for number, subpartitions in zip(layout.numbers(edge.source), _subpartitions(layout, edge), strict=True):
        buffers = SORT_SHUFFLE_BUFFERS if blocking else subpartitions + 1
        of_subtask[number] += buffers
        total += buffers
    return total


def _subpartitions(layout: Layout, edge: ExecutionEdge) -> list[int]:
    """How many consumers read each partition."""
    if edge.distribution == "ALL_TO_ALL":
        return [len(edge.consumed)] * len(layout.numbers(edge.source))
    readers = [0] * len(layout.numbers(edge.source))
    for _, low, high in edge.consumed:
        for partition in range(low, high + 1):
            readers[partition] += 1
    return readers


def _edge_cost(
    layout: Layout, edge: ExecutionEdge, placement: Placement | None, taken_in: int, taken_out: int
) -> EdgeCost:
    return EdgeCost(
        edge=edge.job_edge,
        source=edge.source,
        target=edge.target,
        ship_strategy=layout.job_graph.edges[edge.job_edge].ship_strategy,
        channels=edge.channels,
        remote_channels=edge.channels - _local_channels(layout, edge, placement) if placement else None,
        gates=len(edge.consumed),
        input_buffers=taken_in,
        output_buffers=taken_out,
    )


def _local_channels(layout: Layout, edge: ExecutionEdge, placement: Placement) -> int:
    """The channels between subtasks of one task manager."""
    managers, slots = placement.task_managers, layout.slot_of
    producers, consumers = layout.numbers(edge.source), layout.numbers(edge.target)
    if edge.distribution == "ALL_TO_ALL":
        on = Counter(managers[slots[number]] for number in producers)
        return sum(on[managers[slots[number]]] for number in consumers)
    return sum(
        managers[slots[producer]] == managers[slots[consumers[subtask]]]
        for subtask, low, high in edge.consumed
        for producer in producers[low : high + 1]
    )


def _by_task_manager(layout: Layout, placement: Placement, of_subtask: list[int]) -> tuple[TaskManagerCost, ...]:
    found: dict[tuple[int, int], list[int]] = {}
    for slot, subtasks in enumerate(layout.physical.slots):
        cost = found.setdefault((placement.task_managers[slot], placement.turns[slot]), [0, 0])
        cost[0] += len(subtasks)
        cost[1] += sum(of_subtask[layout.number(subtask)] for subtask in subtasks)
    most: dict[int, tuple[int, int]] = {}
    for (manager, _), (subtasks_there, buffers) in sorted(found.items()):
        before = most.get(manager, (0, 0))
        most[manager] = (max(before[0], subtasks_there), max(before[1], buffers))
    return tuple(
        TaskManagerCost(task_manager=manager, subtasks=subtasks_there, buffers=buffers)
        for manager, (subtasks_there, buffers) in most.items()
    )
