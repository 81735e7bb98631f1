"""Which slot is on which task manager: what Flink fixes, and one possible placement.

Flink fixes how many slots of each task manager a job gets. `none` and `min-resources` fill one task manager after the
other, and so does `tasks`; `slots` spreads them evenly. Which slot goes where it leaves to chance: slots are asked for
region by region, those of one region in any order, and every task manager that answers serves the next ones in line.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from planner.deployment.cluster import Cluster
from planner.deployment.layout import Layout, blocking_links
from planner.flink.profile import LoadBalanceMode
from planner.graphs.components import Components, strongly_connected
from planner.records import record


def least_slots(layout: Layout, *, at_once: bool = False) -> int:
    """The fewest slots with which the job can run: all, or those of the largest part that must run at one time."""
    if at_once or not layout.job_graph.dynamic:  # a streaming job gives no slot back
        return len(layout.physical.slots)
    return max((len(slots) for slots in _parts(layout)), default=0)


def take_turns(layout: Layout, offered: int, *, at_once: bool = False) -> tuple[int, ...] | None:
    """The turn of every slot, all 0 where everything fits at once; None where not even the largest part fits.

    Parts are taken in the order in which their results are needed. A turn is full when the next part no longer fits.
    """
    if len(layout.physical.slots) <= offered:
        return (0,) * len(layout.physical.slots)
    if at_once or not layout.job_graph.dynamic:
        return None
    parts = _parts(layout)
    if any(len(slots) > offered for slots in parts):
        return None
    turns = [0] * len(layout.physical.slots)
    turn = used = 0
    for slots in parts:
        if used + len(slots) > offered:
            turn, used = turn + 1, 0
        used += len(slots)
        for slot in slots:
            turns[slot] = turn
    return tuple(turns)


def _parts(layout: Layout) -> list[list[int]]:
    """The slots that are held together, producers of blocking results first.

    Slots belong together when a failover region runs in both, and when they wait for each other's results.
    """
    count = len(layout.physical.slots)
    joined = Components(count)
    for region in layout.physical.failover_regions:
        slots = [layout.slot_of[layout.number(subtask)] for subtask in region]
        for slot in slots[1:]:
            joined.join(slots[0], slot)
    part_of = [joined.find(slot) for slot in layout.slot_of]
    links = blocking_links(layout, part_of, count)
    members = joined.members()
    # Tarjan's algorithm finds what is downstream first; from the last part on, equals keep the plan's order.
    found = strongly_connected(sorted(members, reverse=True), links)
    parts = [sorted(slot for part in cycle if part < count for slot in members[part]) for cycle in reversed(found)]
    return [slots for slots in parts if slots]


@record
class Placement:
    """The task manager of every slot, in the order of `Physical.slots`."""

    cluster: Cluster
    mode: LoadBalanceMode
    task_managers: tuple[int, ...]
    numbers: tuple[int, ...]  # which slot of the task manager
    turns: tuple[int, ...]  # all 0 but where blocking results let slots be used one after the other
    certain: bool  # Flink groups the slots like this in every run; else this is one possible placement
    seed: int | None = None

    @property
    def last_turn(self) -> int:
        """0 where all slots are held at one time."""
        return max(self.turns, default=0)

    @property
    def slots_used(self) -> tuple[int, ...]:
        """How many slots of each task manager are used; in turns, the most of them."""
        used: dict[tuple[int, int], int] = {}
        for place in zip(self.task_managers, self.turns, strict=True):
            used[place] = used.get(place, 0) + 1
        most = [0] * self.cluster.task_managers
        for (manager, _), count in used.items():
            most[manager] = max(most[manager], count)
        return tuple(most)

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
            subtasks = [list(subtask) for subtask in layout.physical.slots[slot]]
            found.setdefault(manager, []).append({"slot": number, "turn": turn, "subtasks": subtasks})
        return {
            "load_balance": self.mode,
            "turns": self.last_turn + 1,
            "certain": self.certain,
            "seed": self.seed,
            "slots_per_task_manager": list(self.slots_used),
            "task_managers": [{"task_manager": manager, "slots": slots} for manager, slots in found.items()],
        }


def place_slots(
    layout: Layout,
    cluster: Cluster,
    mode: LoadBalanceMode = "none",
    *,
    at_once: bool = False,
    seed: int | None = None,
) -> Placement | None:
    """Place every slot; None where the cluster has too few. `at_once`: eager scheduling waits for all of them.

    Without a seed the slots are placed in their own order; a seed shows another of the possible placements.
    """
    turns = take_turns(layout, cluster.total_slots, at_once=at_once)
    if turns is None:
        return None
    chance = None if seed is None else random.Random(seed)
    managers, numbers = [-1] * len(turns), [-1] * len(turns)
    # Batch mode uses slots again as it goes; `tasks` waits for all slots and then picks among them.
    certain = (not layout.job_graph.dynamic and mode != "tasks") or cluster.task_managers == 1
    for turn in range(max(turns, default=0) + 1):
        groups = [[s for s in group if turns[s] == turn] for group in requests_by_region(layout)]
        counts = slots_by_task_manager(sum(map(len, groups)), cluster, mode)
        certain = certain and _fixed(groups, counts)
        for slot, manager, number in _deal(groups, counts, chance):
            managers[slot], numbers[slot] = manager, number
    return Placement(
        cluster=cluster,
        mode=mode,
        task_managers=tuple(managers),
        numbers=tuple(numbers),
        turns=turns,
        certain=certain,
        seed=seed,
    )


def slots_by_task_manager(slots: int, cluster: Cluster, mode: LoadBalanceMode) -> tuple[int, ...]:
    """How many slots of each task manager a job gets that needs so many at one time."""
    if mode == "slots":
        each, more = divmod(slots, cluster.task_managers)
        return tuple(each + (manager < more) for manager in range(cluster.task_managers))
    full, rest = divmod(slots, cluster.slots)
    counts = [cluster.slots] * full + ([rest] if rest else [])
    return tuple(counts + [0] * (cluster.task_managers - len(counts)))


def request_order(layout: Layout) -> Iterator[tuple[int, int]]:
    """Every slot in the order in which it is asked for, with the region that needs it first."""
    asked: set[int] = set()
    for region, subtasks in enumerate(layout.physical.failover_regions):
        for subtask in subtasks:
            slot = layout.slot_of[layout.number(subtask)]
            if slot not in asked:
                asked.add(slot)
                yield slot, region


def requests_by_region(layout: Layout) -> list[list[int]]:
    """The slots in the order in which they are asked for; those of one region together, as they come in any order."""
    groups: dict[int, list[int]] = {}
    for slot, region in request_order(layout):
        groups.setdefault(region, []).append(slot)
    return list(groups.values())


def _fixed(groups: Sequence[Sequence[int]], counts: Sequence[int]) -> bool:
    """Whether chance changes nothing: task managers of equal counts, and every region within one of them."""
    used = sorted({count for count in counts if count})
    if sum(count > 0 for count in counts) <= 1 or used == [1]:
        return True
    if len(used) > 1:
        return False
    start = 0
    for group in groups:
        if group and start // used[0] != (start + len(group) - 1) // used[0]:
            return False
        start += len(group)
    return True


def _deal(
    groups: Sequence[Sequence[int]], counts: Sequence[int], chance: random.Random | None
) -> Iterator[tuple[int, int, int]]:
    """Every slot with its task manager and its number there, as the task managers answer one after the other."""
    answering = [(manager, count) for manager, count in enumerate(counts) if count]
    if chance is not None:
        groups = [chance.sample(list(group), len(group)) for group in groups]
        chance.shuffle(answering)
    waiting = iter([slot for group in groups for slot in group])
    for manager, count in answering:
        for number, slot in enumerate(islice(waiting, count)):
            yield slot, manager, number
