"""Channels between task managers: exact where the placement is certain, else the bounds of every possible placement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.graphs.execution_graph import ExecutionEdge

__all__ = ["local_channels", "remote_bounds"]


def remote_bounds(layout: Layout, edge: ExecutionEdge, placement: Placement) -> tuple[int, int]:
    """The fewest and the most remote channels that an edge has, whatever chance does."""
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
