"""Which slot is on which task manager.

Slots are asked for in the order of the vertices, each by the first subtask that needs it. A slot goes to a task manager
that its inputs are on, if one of those has a free slot; else evenly spread or packed, as asked.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from planner.deployment.cluster import Cluster
from planner.deployment.layout import Layout
from planner.deployment.turns import take_turns
from planner.graphs.execution_graph import ExecutionEdge

__all__ = ["MAX_DISTINCT_LOCATIONS", "Placement", "Preference", "Spread", "place_slots", "request_order"]

Spread = Literal["evenly", "packed"]
# "none": no input has a say; "met": beside its inputs; "full": their task managers had no free slot left.
Preference = Literal["none", "met", "full"]

MAX_DISTINCT_LOCATIONS = 8  # an input in more places than this has no say in where its consumer runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The task manager of every slot, in the order of `Physical.slots`."""

    cluster: Cluster
    spread: Spread
    task_managers: tuple[int, ...]
    numbers: tuple[int, ...]  # which slot of the task manager
    turns: tuple[int, ...]  # all 0 but where blocking results let slots be used one after the other
    preferences: tuple[Preference, ...]

    @property
    def last_turn(self) -> int:
        """0 where all slots are held at one time."""
        return max(self.turns, default=0)

    def to_dict(self, layout: Layout) -> dict[str, Any]:
        """The placement as JSON-ready data: the task managers in use, each with its slots."""
        found: dict[int, list[dict[str, Any]]] = {}
        places = sorted(
            (manager, turn, number, slot)
            for slot, (manager, turn, number) in enumerate(
                zip(self.task_managers, self.turns, self.numbers, strict=True)
            )
        )
        for manager, turn, number, slot in places:
            entry = {
                "slot": number,
                "turn": turn,
                "subtasks": [list(subtask) for subtask in layout.physical.slots[slot]],
                "preference": self.preferences[slot],
            }
            found.setdefault(manager, []).append(entry)
        return {
            "spread": self.spread,
            "turns": self.last_turn + 1,
            "task_managers": [{"task_manager": manager, "slots": slots} for manager, slots in found.items()],
        }


def place_slots(
    layout: Layout, cluster: Cluster, spread: Spread = "evenly", *, at_once: bool = False
) -> Placement | None:
    """Place every slot; None where the cluster has too few. `at_once`: eager scheduling waits for all of them."""
    turns = take_turns(layout, cluster.total_slots, at_once=at_once)
    if turns is None:
        return None
    free = [_FreeSlots(cluster, spread) for _ in range(max(turns, default=0) + 1)]
    places = _Places(layout)
    numbers = [-1] * len(turns)
    preferences: list[Preference] = ["none"] * len(turns)
    for slot, vertex in request_order(layout):
        preferred = places.preferred(slot, vertex)
        manager, numbers[slot] = free[turns[slot]].take(preferred)
        places.task_managers[slot] = manager
        if preferred:
            preferences[slot] = "met" if manager in preferred else "full"
    return Placement(
        cluster=cluster,
        spread=spread,
        task_managers=tuple(places.task_managers),
        numbers=tuple(numbers),
        turns=turns,
        preferences=tuple(preferences),
    )


def request_order(layout: Layout) -> Iterator[tuple[int, int]]:
    """Every slot, with the vertex whose subtask asks for it first: slots are sorted by their first subtask."""
    return ((slot, subtasks[0][0]) for slot, subtasks in enumerate(layout.physical.slots))


class _Places:
    """Where the slots placed so far are, and what that means for the next one."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.task_managers = [-1] * len(layout.physical.slots)
        self.known: dict[tuple[int, int, int], tuple[int, ...]] = {}

    def preferred(self, slot: int, asking: int) -> tuple[int, ...]:
        """The task managers of the inputs of the slot's first subtask that has a preference."""
        for vertex, subtask in self.layout.physical.slots[slot]:
            fewest: tuple[int, ...] = ()
            for edge in self.layout.inputs[vertex]:
                # Vertices before the asking one are placed altogether; others may still be on their way.
                found = self.of_input(edge, subtask) if edge.source < asking else ()
                if found and (not fewest or len(found) < len(fewest)):
                    fewest = found
            if fewest:
                return fewest
        return ()

    def of_input(self, edge: ExecutionEdge, subtask: int) -> tuple[int, ...]:
        """The distinct task managers of what one subtask reads; none where there are too many."""
        _, low, high = edge.consumed[subtask]
        key = (edge.source, low, high)
        if key not in self.known:  # consumers of a full exchange all read the same
            self.known[key] = self.distinct(edge.source, low, high)
        return self.known[key]

    def distinct(self, vertex: int, low: int, high: int) -> tuple[int, ...]:
        found: dict[int, None] = {}
        first = self.layout.first[vertex]
        for number in range(first + low, first + high + 1):
            found[self.task_managers[self.layout.slot_of[number]]] = None
            if len(found) > MAX_DISTINCT_LOCATIONS:
                return ()
        return tuple(found)


class _FreeSlots:
    """The free slots of one turn."""

    def __init__(self, cluster: Cluster, spread: Spread) -> None:
        self.slots = cluster.slots
        self.spread = spread
        self.used = [0] * cluster.task_managers
        # Least used first, or (packed) most used first. Entries of an older count are passed over when they come up.
        self.waiting = [(0, manager) for manager in range(cluster.task_managers)]

    def take(self, preferred: tuple[int, ...]) -> tuple[int, int]:
        """A slot on a preferred task manager, else on the best of all: the task manager and the slot's number."""
        free = [manager for manager in preferred if self.used[manager] < self.slots]
        manager = min(free, key=self.rank) if free else self.best()
        self.used[manager] += 1
        if self.used[manager] < self.slots:
            heapq.heappush(self.waiting, self.rank(manager))
        return manager, self.used[manager] - 1

    def rank(self, manager: int) -> tuple[int, int]:
        """What comes first: by how much of it is used, then by number."""
        return (self.used[manager] if self.spread == "evenly" else -self.used[manager], manager)

    def best(self) -> int:
        while True:
            rank = heapq.heappop(self.waiting)
            manager = rank[1]
            if self.used[manager] < self.slots and rank == self.rank(manager):
                return manager
