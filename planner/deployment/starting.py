"""Too few slots: which regions start all the same, and which wait.

Slots are given to the regions in the order in which they ask. A region starts when it has all of its slots; another
one stays SCHEDULED and keeps what it got. In batch mode slots are given back, so that a region waits only if it is too
large by itself, and what reads its result stays CREATED.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal

from planner.deployment.layout import Layout, blocking_links
from planner.deployment.placement import requests_by_region
from planner.records import record

__all__ = ["FLINK_SAYS", "StartFate", "Starting", "find_starting", "given_slots"]

# The NoResourceAvailableException that ends the wait after slot.request.timeout.
FLINK_SAYS = "Could not acquire the minimum required resources."


StartFate = Literal["starts", "waits", "never"]


@record
class Starting:
    """What becomes of every failover region."""

    starts: frozenset[int]
    waits: frozenset[int]  # SCHEDULED, without the slots it needs
    never: frozenset[int]  # CREATED: it reads what is never finished

    def fate(self, region: int) -> StartFate:
        """What becomes of one region."""
        return "waits" if region in self.waits else "never" if region in self.never else "starts"


def find_starting(layout: Layout, offered: int, *, at_once: bool = False) -> Starting:
    """Which regions start with so many slots. `at_once`: eager scheduling starts all of them or none."""
    regions = frozenset(range(len(layout.physical.failover_regions)))
    if at_once:
        return Starting(starts=frozenset(), waits=regions, never=frozenset())
    if layout.job_graph.dynamic:
        return _one_after_the_other(layout, offered)
    given = set(given_slots(layout, offered))
    waits = frozenset(
        region for region, slots in enumerate(_slots_of_regions(layout)) if not all(slot in given for slot in slots)
    )
    return Starting(starts=regions - waits, waits=waits, never=frozenset())


def given_slots(layout: Layout, offered: int) -> Iterator[int]:
    """The slots that Flink gives out: to one region after the other, and within one to its sharing groups in turn."""
    for group in requests_by_region(layout):
        for slot in sorted(group, key=_rank_in_group(layout, group)):
            if not offered:
                return
            offered -= 1
            yield slot


def _rank_in_group(layout: Layout, slots: list[int]) -> Callable[[int], tuple[int, int]]:
    """A sort key: the place of a slot among those of its sharing group."""
    counts: Counter[str] = Counter()
    rank: dict[int, tuple[int, int]] = {}
    for slot in slots:
        sharing = layout.job_graph.vertices[layout.physical.slots[slot][0][0]].sharing
        rank[slot] = (counts[sharing], slot)
        counts[sharing] += 1
    return rank.__getitem__


def _slots_of_regions(layout: Layout) -> list[set[int]]:
    return [
        {layout.slot_of[layout.number(subtask)] for subtask in region} for region in layout.physical.failover_regions
    ]


def _one_after_the_other(layout: Layout, offered: int) -> Starting:
    slots = _slots_of_regions(layout)
    count = len(slots)
    downstream = blocking_links(layout, layout.region_of, count)
    waits = {region for region in range(count) if len(slots[region]) > offered}
    never: set[int] = set()
    walk = sorted(waits)
    seen = set(walk)
    for number in walk:  # grows while it is walked; full exchanges are numbers after the regions
        for other in downstream.get(number, ()):
            if other not in seen:
                seen.add(other)
                walk.append(other)
            if other < count:
                never.add(other)
    everything = frozenset(range(count))
    return Starting(starts=everything - waits - never, waits=frozenset(waits - never), never=frozenset(never))
