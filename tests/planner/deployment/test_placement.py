"""What a right placement is, on random jobs and clusters; and the rules for where a slot goes."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.jobs import wide
from planner.deployment.cluster import Cluster, resolve_cluster
from planner.deployment.layout import Layout
from planner.deployment.placement import MAX_DISTINCT_LOCATIONS, Placement, Spread, place_slots
from planner.deployment.turns import least_slots
from planner.pipeline import Plan
from planner.settings.pyproject import Cluster as ClusterSettings
from tests.support.deployments import TWO_STAGES, cluster, compiled, decided_plans, laid_out

SPREADS: tuple[Spread, ...] = ("evenly", "packed")
spreads = st.sampled_from(SPREADS)
clusters = st.builds(cluster, st.integers(1, 12), st.integers(1, 5))


def shares_slots_rightly(layout: Layout, placement: Placement) -> None:
    """Every subtask in one slot; none with another of its vertex or of another group; co-located ones together."""
    vertices, slots = layout.job_graph.vertices, layout.physical.slots
    everyone = [(v, s) for v, n in enumerate(layout.execution_graph.parallelisms) for s in range(n)]
    assert sorted(subtask for slot in slots for subtask in slot) == everyone
    for slot in slots:
        assert len({vertex for vertex, _ in slot}) == len(slot), "two subtasks of one vertex in a slot"
        assert len({vertices[vertex].sharing for vertex, _ in slot}) == 1, "sharing groups mixed"
    together: dict[tuple[str, int], set[int]] = defaultdict(set)
    for position, slot in enumerate(slots):
        for vertex, subtask in slot:
            group = vertices[vertex].co_location_group
            if group is not None:
                together[group, subtask].add(position)
    assert all(len(found) == 1 for found in together.values()), "co-located subtasks apart"


def gives_every_slot_away_once(layout: Layout, placement: Placement) -> None:
    """No slot twice at one time, and none that the cluster does not have."""
    places = list(zip(placement.turns, placement.task_managers, placement.numbers, strict=True))
    offered = placement.cluster
    assert len(places) == len(set(places)) == len(layout.physical.slots)
    assert all(0 <= manager < offered.task_managers and 0 <= number < offered.slots for _, manager, number in places)


def takes_turns_only_where_it_must_and_may(layout: Layout, placement: Placement) -> None:
    """All at once where that fits; else producers first, and pipelined channels within one turn."""
    assert (placement.last_turn > 0) == (len(layout.physical.slots) > placement.cluster.total_slots)
    turn_of = [placement.turns[slot] for slot in layout.slot_of]
    for edge in layout.execution_graph.edges:
        for subtask, low, high in edge.consumed:
            reads = turn_of[layout.first[edge.target] + subtask]
            for producer in layout.numbers(edge.source)[low : high + 1]:
                assert turn_of[producer] <= reads, "a consumer before its producer"
                assert layout.is_blocking(edge) or turn_of[producer] == reads, "a pipelined channel across turns"


def is_beside_the_input_with_the_fewest_places(layout: Layout, placement: Placement) -> None:
    """As far as there is room; and of the places to choose from, the least used or (packed) the most used."""
    used: Counter[tuple[int, int]] = Counter()
    offered = placement.cluster
    for slot, subtasks in enumerate(layout.physical.slots):
        turn, manager = placement.turns[slot], placement.task_managers[slot]
        free = {m: used[turn, m] for m in range(offered.task_managers) if used[turn, m] < offered.slots}
        wanted = preferred(layout, placement, subtasks)
        choice = wanted & set(free) or set(free)
        assert manager in choice
        assert free[manager] == (min if placement.spread == "evenly" else max)(free[m] for m in choice)
        expected = "none" if not wanted else "met" if manager in wanted else "full"
        assert placement.preferences[slot] == expected
        used[turn, manager] += 1


def preferred(layout: Layout, placement: Placement, subtasks: tuple[tuple[int, int], ...]) -> set[int]:
    """By the rule's own words: of the first subtask with a preference, the places of the input with the fewest."""
    asking = subtasks[0][0]
    for vertex, subtask in subtasks:
        inputs = []
        for edge in layout.inputs[vertex]:
            _, low, high = edge.consumed[subtask]
            numbers = layout.numbers(edge.source)[low : high + 1]
            places = {placement.task_managers[layout.slot_of[number]] for number in numbers}
            if edge.source < asking and len(places) <= MAX_DISTINCT_LOCATIONS:
                inputs.append(places)
        if inputs:
            return min(inputs, key=len)
    return set()


# What a right placement is.
RULES = (
    shares_slots_rightly,
    gives_every_slot_away_once,
    takes_turns_only_where_it_must_and_may,
    is_beside_the_input_with_the_fewest_places,
)


@given(decided_plans(), clusters, spreads)
def test_a_placement_is_right_or_there_are_too_few_slots(made: Plan, offered: Cluster, spread: Spread) -> None:
    layout = laid_out(made)
    placement = place_slots(layout, offered, spread)
    fits = len(layout.physical.slots) <= offered.total_slots
    assert (placement is not None) == (least_slots(layout) <= offered.total_slots)
    assert layout.job_graph.dynamic or (placement is not None) == fits, "a streaming job holds all slots at once"
    for rule in RULES if placement else ():
        rule(layout, placement)


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 6))
def test_without_preferences_slots_spread_evenly_or_fill_up(parallelism: int, managers: int, slots: int) -> None:
    job = {
        "parallelism": parallelism,
        "operators": [{"id": "s", "type": "source"}, {"id": "o", "type": "sink", "input": "s"}],
    }
    layout, offered = laid_out(compiled(job)), cluster(managers, slots)
    if parallelism > offered.total_slots:
        return
    evenly, packed = (place_slots(layout, offered, spread) for spread in SPREADS)
    assert evenly is not None
    assert packed is not None
    counts = Counter(evenly.task_managers)
    assert max(counts.values()) - min(counts[manager] for manager in range(managers)) <= 1
    full, rest = divmod(parallelism, slots)
    assert sorted(Counter(packed.task_managers).values(), reverse=True) == [slots] * full + [rest] * (rest > 0)


def fan_out(sources: int, readers: int, **extra: object) -> Layout:
    """Readers in a sharing group of their own, so that each asks for a slot with its inputs placed."""
    reader = {"id": "read", "type": "map", "input": {"from": "s", "partition": "rebalance"}, "parallelism": readers}
    return laid_out(
        compiled(
            {
                "operators": [
                    {"id": "s", "type": "source", "parallelism": sources},
                    {**reader, "slot_sharing_group": "readers", **extra},
                    {"id": "o", "type": "sink", "input": "read", "parallelism": readers},
                ]
            }
        )
    )


@pytest.mark.parametrize(("sources", "preference"), [(1, "met"), (8, "met"), (9, "none")])
def test_an_input_in_more_than_eight_places_has_no_say(sources: int, preference: str) -> None:
    layout = fan_out(sources, 1)
    placement = place_slots(layout, cluster(12, 2))
    assert placement is not None
    assert placement.preferences[layout.slot_of[layout.first[1]]] == preference


def test_a_full_preferred_task_manager_is_passed_over() -> None:
    layout = fan_out(1, 4)
    placement = place_slots(layout, cluster(3, 2))
    assert placement is not None
    assert placement.task_managers == (0, 0, 1, 2, 1)
    assert placement.preferences == ("none", "met", "full", "full", "full")


def test_turns_follow_blocking_results() -> None:
    layout = laid_out(compiled(TWO_STAGES))
    placement = place_slots(layout, cluster(1, 2))
    assert placement is not None
    turns = [placement.turns[slot] for slot in layout.slot_of]
    assert turns == [0] * 4 + [1] * 4
    assert place_slots(layout, cluster(1, 2), at_once=True) is None
    assert place_slots(layout, cluster(1, 1)) is None, "count and write run together, two in each slot"


def test_slots_alone_start_as_many_task_managers_as_are_needed() -> None:
    found = resolve_cluster(ClusterSettings(), slots=3, required=7)
    assert found is not None
    assert (found.task_managers, found.slots, found.as_needed) == (3, 3, True)
    assert resolve_cluster(ClusterSettings(network_memory=1 << 20)) is None
    configured = resolve_cluster(ClusterSettings(task_managers=4, slots=2), slots=5)
    assert configured is not None
    assert (configured.task_managers, configured.slots, configured.as_needed) == (4, 5, False)


@pytest.mark.parametrize("spread", SPREADS)
def test_a_hundred_thousand_subtasks_on_five_thousand_task_managers(spread: Spread) -> None:
    layout, offered = laid_out(compiled(wide(10_000))), cluster(5_000, 2)
    placement = place_slots(layout, offered, spread)
    assert placement is not None
    assert layout.first[-1] == 100_000
    shares_slots_rightly(layout, placement)  # the other rules walk all 900,000,000 channels
    gives_every_slot_away_once(layout, placement)
    assert placement.last_turn == 0
    used = Counter(placement.task_managers)
    assert set(used.values()) == {2}
    if spread == "packed":
        assert all(before <= after for before, after in pairwise(placement.task_managers))
