"""Slot sharing under the load balance mode `tasks`: every slot of a group gets about as many subtasks.

Flink's task-balanced strategy (2.2 and later). A group has as many slots as its largest parallelism. A vertex that
fills all of them goes by its subtask numbers; any other continues round robin where the one before it stopped. The
subtasks of a co-location group go where their first peer went: into the slot with the fewest subtasks.
"""

from __future__ import annotations

from planner.graphs.execution_graph import ExecutionGraph
from planner.graphs.job_graph import JobGraph

__all__ = ["balance_tasks"]

BalancedSlot = list[tuple[int, int]]


def balance_tasks(job_graph: JobGraph, execution_graph: ExecutionGraph) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The subtasks of every slot, sorted as those of `Physical.slots`."""
    sharing = _TaskBalance(execution_graph)
    for vertex, parallelism in enumerate(execution_graph.parallelisms):
        group, peers = job_graph.vertices[vertex].sharing, job_graph.vertices[vertex].co_location_group
        if peers is None:
            sharing.add(vertex, parallelism, group)
        else:
            sharing.add_co_located(vertex, parallelism, group, peers)
    slots = [slot for slots in sharing.slots.values() for slot in slots if slot]
    return tuple(sorted(tuple(sorted(slot)) for slot in slots))


class _TaskBalance:
    """The slots of every group while they are filled."""

    def __init__(self, execution_graph: ExecutionGraph) -> None:
        self.slots: dict[str, list[BalancedSlot]] = {
            group: [[] for _ in range(count)] for group, count in execution_graph.slots_by_group
        }
        self.following: dict[str, int] = {}  # where the next vertex of a group starts
        self.co_located: dict[tuple[str, int], BalancedSlot] = {}

    def add(self, vertex: int, parallelism: int, group: str) -> None:
        slots = self.slots[group]
        fills = parallelism == len(slots)
        place = 0 if fills else self.following.get(group, 0)
        for subtask in range(parallelism):
            slots[place].append((vertex, subtask))
            place = (place + 1) % len(slots)
        if not fills:
            self.following[group] = place

    def add_co_located(self, vertex: int, parallelism: int, group: str, peers: str) -> None:
        slots = self.slots[group]
        for subtask in range(parallelism):
            slot = self.co_located.get((peers, subtask))
            if slot is None:
                slot = slots[_emptiest(slots, vertex)]
                self.co_located[peers, subtask] = slot
            slot.append((vertex, subtask))
        if parallelism != len(slots):
            self.following[group] = _emptiest(slots, None)


def _emptiest(slots: list[BalancedSlot], vertex: int | None) -> int:
    """The first slot with the fewest subtasks, and none of the vertex."""
    free = [place for place, slot in enumerate(slots) if vertex is None or all(other != vertex for other, _ in slot)]
    return min(free, key=lambda place: len(slots[place]), default=0)
