"""What a right placement is, on random jobs and clusters; what Flink fixes of it, and what it leaves to chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.jobs import wide
from planner.deployment.cluster import Cluster, resolve_cluster
from planner.deployment.costs import local_channels, remote_bounds
from planner.deployment.layout import Layout, lay_out
from planner.deployment.placement import Placement, least_slots, place_slots
from planner.flink.profile import LoadBalanceMode
from planner.pipeline import Plan
from planner.settings.pyproject import ClusterSettings
from tests.support.deployments import TWO_STAGES, cluster, compiled, decided_plans, laid_out
from tests.support.strategies import Job

MODES: tuple[LoadBalanceMode, ...] = ("none", "slots", "tasks", "min-resources")
modes = st.sampled_from(MODES)
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


def gives_each_task_manager_its_share(layout: Layout, placement: Placement) -> None:
    """Full task managers and one rest, or (slots) counts that differ by one at most, in every turn."""
    offered = placement.cluster
    for turn in range(placement.last_turn + 1):
        places = zip(placement.task_managers, placement.turns, strict=True)
        used = Counter(manager for manager, at in places if at == turn)
        counts = sorted((used[manager] for manager in range(offered.task_managers)), reverse=True)
        if placement.mode == "slots":
            assert counts[0] - counts[-1] <= 1
        else:
            full, rest = divmod(sum(counts), offered.slots)
            assert [count for count in counts if count] == [offered.slots] * full + [rest] * (rest > 0)


# What a right placement is.
RULES = (
    shares_slots_rightly,
    gives_every_slot_away_once,
    takes_turns_only_where_it_must_and_may,
    gives_each_task_manager_its_share,
)


@given(decided_plans(), clusters, modes, st.none() | st.integers(0, 99))
def test_a_placement_is_right_or_there_are_too_few_slots(
    made: Plan, offered: Cluster, mode: LoadBalanceMode, seed: int | None
) -> None:
    layout = lay_out(made, mode)
    assert layout is not None
    placement = place_slots(layout, offered, mode, seed=seed)
    fits = len(layout.physical.slots) <= offered.total_slots
    assert (placement is not None) == (least_slots(layout) <= offered.total_slots)
    assert layout.job_graph.dynamic or (placement is not None) == fits, "a streaming job holds all slots at once"
    for rule in RULES if placement else ():
        rule(layout, placement)


@given(decided_plans(), clusters, modes, st.integers(0, 99))
def test_what_is_called_certain_is_the_same_for_every_seed(
    made: Plan, offered: Cluster, mode: LoadBalanceMode, seed: int
) -> None:
    layout = lay_out(made, mode)
    assert layout is not None
    first, other = (place_slots(layout, offered, mode, seed=chosen) for chosen in (None, seed))
    if first is None or other is None or not first.certain:
        return
    assert neighbours(first) == neighbours(other)


@given(decided_plans(), clusters, modes, st.integers(0, 99))
def test_remote_channels_stay_within_their_bounds(
    made: Plan, offered: Cluster, mode: LoadBalanceMode, seed: int
) -> None:
    layout = lay_out(made, mode)
    assert layout is not None
    first, other = (place_slots(layout, offered, mode, seed=chosen) for chosen in (None, seed))
    for edge in layout.execution_graph.edges if first and other else ():
        assert first is not None
        assert other is not None
        low, high = remote_bounds(layout, edge, first)
        for placement in (first, other):
            assert low <= edge.channels - local_channels(layout, edge, placement) <= high


def neighbours(placement: Placement) -> set[frozenset[tuple[int, int]]]:
    """The slots that are on one task manager, whatever its number, by turn."""
    found: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for slot, manager in enumerate(placement.task_managers):
        found[manager].add((placement.turns[slot], slot))
    return {frozenset(slots) for slots in found.values()}


@pytest.mark.parametrize(
    ("partition", "parallelism", "managers", "slots", "certain"),
    [
        ("forward", 4, 2, 2, True),  # regions of one slot, in order: {0, 1} {2, 3}
        ("forward", 3, 2, 2, False),  # two and one: which task manager answers first is open
        ("forward", 3, 3, 2, False),
        ("forward", 3, 3, 1, True),
        ("rebalance", 4, 2, 2, False),  # one region: its slots come in any order
        ("rebalance", 4, 1, 4, True),
        ("rebalance", 4, 4, 1, True),
    ],
)
def test_what_flink_fixes(partition: str, parallelism: int, managers: int, slots: int, certain: bool) -> None:
    read = {"from": "s", "partition": partition}
    job = {
        "parallelism": parallelism,
        "operators": [
            {"id": "s", "type": "source"},
            {"id": "m", "type": "map", "input": read, "chaining": "start_new"},
        ],
    }
    placement = place_slots(laid_out(compiled(job)), cluster(managers, slots))
    assert placement is not None
    assert placement.certain == certain


def test_tasks_fill_the_emptier_slots() -> None:
    layout = lay_out(compiled(narrow(2, 4, 1)), "tasks")
    assert layout is not None
    assert layout.physical.slots == (((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 2), (2, 0)), ((1, 3),))
    assert laid_out(compiled(narrow(2, 4, 1))).physical.slots[0] == ((0, 0), (1, 0), (2, 0))


def test_spreading_beats_the_input_preference() -> None:
    placement = place_slots(laid_out(compiled(narrow(2, 4, 1))), cluster(4, 2), "slots")
    assert placement is not None
    assert placement.slots_used == (1, 1, 1, 1)


def narrow(*parallelisms: int) -> Job:
    """Operators in a line with a rebalance between any two."""
    operators: list[Job] = [{"id": "o0", "type": "source", "parallelism": parallelisms[0]}]
    for number, parallelism in enumerate(parallelisms[1:], start=1):
        read = {"from": f"o{number - 1}", "partition": "rebalance"}
        operators.append({"id": f"o{number}", "type": "map", "input": read, "parallelism": parallelism})
    return {"operators": operators}


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


@pytest.mark.parametrize("mode", ["none", "slots"])
def test_a_hundred_thousand_subtasks_on_five_thousand_task_managers(mode: LoadBalanceMode) -> None:
    layout, offered = laid_out(compiled(wide(10_000))), cluster(5_000, 2)
    placement = place_slots(layout, offered, mode)
    assert placement is not None
    assert layout.first[-1] == 100_000
    shares_slots_rightly(layout, placement)  # the other rules walk all 900,000,000 channels
    gives_every_slot_away_once(layout, placement)
    assert placement.last_turn == 0
    used = Counter(placement.task_managers)
    assert set(used.values()) == {2}
    assert all(before <= after for before, after in pairwise(placement.task_managers))
