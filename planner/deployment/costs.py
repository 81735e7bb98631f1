"""What a deployment costs: channels, network buffers and memory, by edge and by task manager."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from planner.deployment.cluster import Cluster
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.flink.network_buffers import NETWORK_MEMORY_OPTIONS, Buffers, NetworkBuffers
from planner.graphs.exchange_size import subpartitions
from planner.graphs.execution_graph import ExecutionEdge
from planner.job import Partitioner
from planner.records import record


def remote_bounds(layout: Layout, edge: ExecutionEdge, placement: Placement) -> tuple[int, int]:
    """The fewest and the most remote channels that an edge has, over all placements."""
    if placement.certain:
        remote = edge.channels - local_channels(layout, edge, placement)
        return remote, remote
    if placement.last_turn or layout.job_graph.dynamic:  # slots are reused: producers and consumers may lie anywhere
        return 0, edge.channels
    counts = sorted((count for count in placement.slots_used if count), reverse=True)
    least, most = (_all_to_all if edge.distribution == "ALL_TO_ALL" else _pointwise)(layout, edge, counts)
    return edge.channels - most, edge.channels - least


def local_channels(layout: Layout, edge: ExecutionEdge, placement: Placement) -> int:
    """The channels between subtasks of one task manager, in this placement."""
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


def _all_to_all(layout: Layout, edge: ExecutionEdge, counts: Sequence[int]) -> tuple[int, int]:
    """Bounds of the local channels where every consumer reads every producer."""
    producers = {layout.slot_of[number] for number in layout.numbers(edge.source)}
    consumers = {layout.slot_of[number] for number in layout.numbers(edge.target)}
    both = len(producers & consumers)
    most = sum(a * b for a, b in zip(_filled(len(producers), counts), _filled(len(consumers), counts), strict=True))
    if len(producers | consumers) == both:  # every slot that matters has one of each
        return _least_squares(both, counts), most
    every = sum(counts)
    if len(producers) == every or len(consumers) == every:
        few = min(len(producers), len(consumers))  # each of them meets all slots of its task manager
        return sum(a * b for a, b in zip(_filled(few, counts[::-1]), counts[::-1], strict=True)), most
    return _least_squares(both, counts), most


def _filled(slots: int, counts: Sequence[int]) -> list[int]:
    """So many slots, filled into the task managers in their order."""
    found = []
    for count in counts:
        found.append(min(count, slots))
        slots -= found[-1]
    return found


def _least_squares(slots: int, counts: Sequence[int]) -> int:
    """The least sum of squares when so many slots are spread as evenly as the counts allow."""
    total, rest, left = 0, slots, sorted(counts)
    for position, count in enumerate(left):
        here = min(count, rest // (len(left) - position))
        total, rest = total + here * here, rest - here
    return total


def _pointwise(layout: Layout, edge: ExecutionEdge, counts: Sequence[int]) -> tuple[int, int]:
    """Bounds of the local channels of a pointwise edge: those inside a slot, and what its neighbours may add."""
    inside = 0
    weights: dict[int, Counter[int]] = {}
    producers, consumers = layout.numbers(edge.source), layout.numbers(edge.target)
    for subtask, low, high in edge.consumed:
        here = layout.slot_of[consumers[subtask]]
        for producer in producers[low : high + 1]:
            other = layout.slot_of[producer]
            if other == here:
                inside += 1
            else:
                weights.setdefault(here, Counter())[other] += 1
                weights.setdefault(other, Counter())[here] += 1
    neighbours = max(counts, default=1) - 1
    around = sum(sum(weight for _, weight in each.most_common(neighbours)) for each in weights.values()) // 2
    return inside, min(inside + around, edge.channels)


@record
class EdgeCost:
    """What one exchange takes on all task managers together, in the placement that is shown."""

    edge: int  # position in JobGraph.edges
    source: int
    target: int
    ship_strategy: Partitioner
    channels: int
    remote_channels: tuple[int, int] | None  # between task managers, fewest and most; None: nothing is placed
    gates: int
    inputs: Buffers
    outputs: Buffers  # none where an earlier edge reads the same result

    @property
    def buffers(self) -> Buffers:
        """All buffers of the exchange."""
        return self.inputs + self.outputs


@record
class TaskManagerCost:
    """What runs on one task manager, and the buffers it takes. In turns, the largest of them."""

    task_manager: int
    subtasks: int
    buffers: Buffers


@record
class Costs:
    """The figures of a whole deployment."""

    edges: tuple[EdgeCost, ...]
    task_managers: tuple[TaskManagerCost, ...]  # those in use; empty where nothing is placed
    buffer_size: int
    available: int | None  # buffers of one task manager; None: its network memory is not known
    certain: bool  # False: the figures by task manager are those of one possible placement

    @property
    def channels(self) -> int:
        """The channels of all edges."""
        return sum(edge.channels for edge in self.edges)

    @property
    def buffers(self) -> Buffers:
        """The buffers of all edges."""
        return sum((edge.buffers for edge in self.edges), Buffers())

    @property
    def dearest(self) -> EdgeCost | None:
        """The edge that takes most buffers, the first of equals; None where there is no edge."""
        return max(self.edges, key=lambda edge: edge.buffers.fewest, default=None)

    @property
    def fullest(self) -> TaskManagerCost | None:
        """The task manager that takes most buffers."""
        return max(self.task_managers, key=lambda cost: (cost.buffers.fewest, cost.buffers.wanted), default=None)

    @property
    def hungriest(self) -> int:
        """The most buffers that one task manager wants."""
        return max((cost.buffers.wanted for cost in self.task_managers), default=0)

    @property
    def overloaded(self) -> tuple[TaskManagerCost, ...]:
        """The task managers that have too few buffers to start."""
        if self.available is None:
            return ()
        return tuple(cost for cost in self.task_managers if cost.buffers.fewest > self.available)

    def to_dict(self) -> dict[str, Any]:
        """The costs as JSON-ready data."""
        dearest = self.dearest
        return {
            "channels": self.channels,
            "buffers": _both(self.buffers),
            "memory": self.buffers.fewest * self.buffer_size,
            "buffer_size": self.buffer_size,
            "buffers_available": self.available,
            "network_memory_options": list(NETWORK_MEMORY_OPTIONS),
            "certain": self.certain,
            "most_costly_edge": dearest.edge if dearest else None,
            "edges": [_edge(edge, self.buffer_size) for edge in self.edges],
            "task_managers": [
                {
                    "task_manager": cost.task_manager,
                    "subtasks": cost.subtasks,
                    "buffers": _both(cost.buffers),
                    "memory": cost.buffers.fewest * self.buffer_size,
                    "fits": None if self.available is None else cost.buffers.fewest <= self.available,
                }
                for cost in self.task_managers
            ],
        }


def _both(buffers: Buffers) -> dict[str, int]:
    return {"fewest": buffers.fewest, "wanted": buffers.wanted}


def _edge(cost: EdgeCost, buffer_size: int) -> dict[str, Any]:
    return {
        "edge": cost.edge,
        "source": cost.source,
        "target": cost.target,
        "ship_strategy": cost.ship_strategy,
        "channels": cost.channels,
        "remote_channels": list(cost.remote_channels) if cost.remote_channels else None,
        "gates": cost.gates,
        "input_buffers": _both(cost.inputs),
        "output_buffers": _both(cost.outputs),
        "memory": cost.buffers.fewest * buffer_size,
    }


def count_costs(layout: Layout, settings: Cluster, placement: Placement | None = None) -> Costs:
    """Count what every edge takes, and with a placement, every task manager."""
    rules = NetworkBuffers(per_channel=settings.buffers_per_channel, floating=settings.floating_buffers_per_gate)
    of_subtask = [Buffers()] * layout.first[-1]
    written: set[int] = set()
    edges = []
    for edge in layout.execution_graph.edges:
        data_set = layout.job_graph.edges[edge.job_edge].data_set
        taken_in = _add_gates(layout, edge, rules, placement, of_subtask)
        taken_out = Buffers() if data_set in written else _add_partitions(layout, edge, rules, of_subtask)
        written.add(data_set)
        edges.append(_edge_cost(layout, edge, placement, taken_in, taken_out))
    return Costs(
        edges=tuple(edges),
        task_managers=_by_task_manager(layout, placement, of_subtask) if placement else (),
        buffer_size=settings.buffer_size,
        available=settings.network_buffers,
        certain=placement is None or placement.certain,
    )


def _add_gates(
    layout: Layout, edge: ExecutionEdge, rules: NetworkBuffers, placement: Placement | None, of_subtask: list[Buffers]
) -> Buffers:
    total, first = Buffers(), layout.first[edge.target]
    local = _local_by_consumer(layout, edge, placement) if placement else None
    for subtask, low, high in edge.consumed:
        channels = high - low + 1
        buffers = rules.gate(channels, channels - local(subtask, low, high) if local else 0)
        of_subtask[first + subtask] += buffers
        total += buffers
    return total


def _local_by_consumer(layout: Layout, edge: ExecutionEdge, placement: Placement) -> Callable[[int, int, int], int]:
    """How many of the producers in a range share the task manager of a consumer, from sums made once."""
    managers = placement.task_managers
    consumers = [managers[layout.slot_of[number]] for number in layout.numbers(edge.target)]
    producers = [managers[layout.slot_of[number]] for number in layout.numbers(edge.source)]
    if edge.distribution == "ALL_TO_ALL":
        on: dict[int, int] = {}
        for manager in producers:
            on[manager] = on.get(manager, 0) + 1
        return lambda subtask, low, high: on.get(consumers[subtask], 0)
    return lambda subtask, low, high: producers[low : high + 1].count(consumers[subtask])


def _add_partitions(layout: Layout, edge: ExecutionEdge, rules: NetworkBuffers, of_subtask: list[Buffers]) -> Buffers:
    total, numbers = Buffers(), layout.numbers(edge.source)
    blocking = layout.is_blocking(edge)
    for number, count in zip(numbers, subpartitions(edge, len(numbers)), strict=True):
        buffers = rules.partition(count, blocking=blocking)
        of_subtask[number] += buffers
        total += buffers
    return total


def _edge_cost(
    layout: Layout, edge: ExecutionEdge, placement: Placement | None, taken_in: Buffers, taken_out: Buffers
) -> EdgeCost:
    return EdgeCost(
        edge=edge.job_edge,
        source=edge.source,
        target=edge.target,
        ship_strategy=layout.job_graph.edges[edge.job_edge].ship_strategy,
        channels=edge.channels,
        remote_channels=remote_bounds(layout, edge, placement) if placement else None,
        gates=len(edge.consumed),
        inputs=taken_in,
        outputs=taken_out,
    )


def _by_task_manager(layout: Layout, placement: Placement, of_subtask: list[Buffers]) -> tuple[TaskManagerCost, ...]:
    found: dict[tuple[int, int], tuple[int, Buffers]] = {}
    for slot, subtasks in enumerate(layout.physical.slots):
        place = (placement.task_managers[slot], placement.turns[slot])
        count, buffers = found.get(place, (0, Buffers()))
        for subtask in subtasks:
            buffers += of_subtask[layout.number(subtask)]
        found[place] = (count + len(subtasks), buffers)
    most: dict[int, tuple[int, Buffers]] = {}
    for (manager, _), (count, buffers) in sorted(found.items(), key=lambda item: item[0]):
        before = most.get(manager, (0, Buffers()))
        largest = Buffers(max(before[1].fewest, buffers.fewest), max(before[1].wanted, buffers.wanted))
        most[manager] = (max(before[0], count), largest)
    return tuple(
        TaskManagerCost(task_manager=manager, subtasks=count, buffers=buffers)
        for manager, (count, buffers) in most.items()
    )
