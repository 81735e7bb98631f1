"""In which turn a slot is held, where blocking results let a job run with fewer slots than it has."""

from __future__ import annotations

from planner.deployment.layout import Layout, blocking_links
from planner.graphs.components import Components, strongly_connected

__all__ = ["least_slots", "take_turns"]


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
    # Tarjan's algorithm finds what is behind first; starting from the last part keeps equals in the plan's own order.
    found = strongly_connected(sorted(members, reverse=True), links)
    parts = [sorted(slot for part in cycle if part < count for slot in members[part]) for cycle in reversed(found)]
    return [slots for slots in parts if slots]
