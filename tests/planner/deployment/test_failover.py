"""What restarts with a failed subtask: a table for a job of two stages, and Flink's rules written out naively."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.deployment.deployment import choose_subtask
from planner.deployment.failover import Failover, plan_failover
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement, place_slots
from planner.deployment.steps import region_starts
from planner.errors import OptionError
from planner.graphs.physical import Subtask
from planner.pipeline import Plan
from tests.support.deployments import TWO_STAGES, cluster, compiled, decided_plans, laid_out, sample

READ, CLEAN, COUNT, WRITE = range(4)
# Regions of TWO_STAGES: 0 is read[0] and clean[0], 1 is read[1] and clean[1], 2 is all of count and write.
# failed, with its task manager -> why each region restarts, subtasks that have not begun, results computed again, kept
TABLE = [
    ("read[0]", False, {0: "failed"}, 4, [], []),
    ("clean[1]", False, {1: "failed"}, 4, [], []),
    ("count[0]", False, {2: "failed"}, 0, [], [((0, 1),)]),
    ("write[1]", False, {2: "failed"}, 0, [], [((0, 1),)]),
    # Each of two task managers holds one subtask of every vertex, and so one half of clean's result.
    ("read[0]", True, {0: "failed"}, 4, [], []),
    ("count[0]", True, {0: "result-lost", 2: "failed"}, 0, [((0, 0),)], [((1, 1),)]),
    ("write[1]", True, {1: "result-lost", 2: "failed"}, 0, [((1, 1),)], [((0, 0),)]),
]


def failure(made: Plan, written: str, *, lose: bool) -> Failover:
    layout = laid_out(made)
    placement = place_slots(layout, cluster(2, 4))
    assert placement is not None
    placement = replace(placement, task_managers=(0, 1, 0, 1), numbers=(0, 0, 1, 1))
    return plan_failover(layout, choose_subtask(made, written), placement, lose_task_manager=lose)


@pytest.mark.parametrize(("failed", "lose", "reasons", "not_begun", "again", "kept"), TABLE)
def test_failures_of_a_job_with_two_stages(
    failed: str, lose: bool, reasons: dict[int, str], not_begun: int, again: list[object], kept: list[object]
) -> None:
    found = failure(compiled(TWO_STAGES), failed, lose=lose)
    assert {restart.region: restart.reason for restart in found.restarts} == reasons
    assert found.waiting == not_begun
    assert [part.partitions for part in found.recomputed] == again
    assert [part.partitions for part in found.kept] == kept
    assert {(part.producer, part.consumer) for part in (*found.recomputed, *found.kept)} <= {(CLEAN, COUNT)}


def test_independent_pipelines_fail_alone() -> None:
    job = {
        "name": "two regions",
        "parallelism": 1,
        "operators": [
            {"id": "a", "type": "source", "name": "a"},
            {"id": "b", "type": "source", "name": "b"},
            {"id": "sum", "type": "sum", "input": "a", "key_by": "k", "field": "n", "name": "sum", "parallelism": 3},
            {"id": "out", "type": "sink", "input": "b", "name": "out", "parallelism": 2},
        ],
    }
    made = compiled(job)
    layout = laid_out(made)
    for written, names in {"sum[2]": ["Source: a", "sum"], "b": ["Source: b", "Sink: out"]}.items():
        found = plan_failover(layout, choose_subtask(made, written))
        (restart,) = found.restarts
        region = layout.physical.failover_regions[restart.region]
        assert {layout.job_graph.vertices[vertex].name for vertex, _ in region} == set(names)
        assert found.subtasks + found.untouched == layout.first[-1]
        assert [layout.job_graph.vertices[vertex].name for vertex, _ in found.read_again] == names[:1]


def naive(layout: Layout, failed: Subtask, placement: Placement, *, lose: bool, release: bool) -> set[int]:
    """Flink's rules as they are told, over every single channel."""
    turns = {layout.region_of[n]: placement.turns[slot] for n, slot in enumerate(layout.slot_of)}
    starts = [(turns[region], step) for region, step in enumerate(region_starts(layout))]
    moment = starts[layout.region_of[layout.number(failed)]]
    manager = placement.task_managers[layout.slot_of[layout.number(failed)]]
    lost = {n for n, slot in enumerate(layout.slot_of) if lose and placement.task_managers[slot] == manager}
    channels = {
        (producer, layout.first[edge.target] + subtask, layout.job_graph.edges[edge.job_edge].data_set)
        for edge in layout.blocking_edges()
        for subtask, low, high in edge.consumed
        for producer in layout.numbers(edge.source)[low : high + 1]
    }
    needed = {(p, data_set) for p, c, data_set in channels if starts[layout.region_of[c]] >= moment or not release}
    restart = {layout.region_of[layout.number(failed)]}
    restart |= {layout.region_of[n] for n in lost if starts[layout.region_of[n]] == moment}
    while True:
        grown = set(restart)
        for producer, consumer, data_set in channels:
            before, after = layout.region_of[producer], layout.region_of[consumer]
            gone = producer in lost or (producer, data_set) not in needed
            if after in grown and gone and starts[before] < moment:
                grown.add(before)
            if before in grown:
                grown.add(after)
        if grown == restart:
            return {region for region in restart if starts[region] <= moment}
        restart = grown


@given(decided_plans(), st.integers(1, 4), st.booleans(), st.booleans(), st.data())
def test_what_restarts_is_what_the_rules_say(
    made: Plan, managers: int, lose: bool, release: bool, data: st.DataObject
) -> None:
    layout = laid_out(made)
    placement = place_slots(layout, cluster(managers, 12), "slots")
    if placement is None:
        return
    failed = data.draw(st.sampled_from([subtask for slot in layout.physical.slots for subtask in slot]))
    found = plan_failover(layout, failed, placement, lose_task_manager=lose, release=release)
    expected = naive(layout, failed, placement, lose=lose, release=release)
    assert {restart.region for restart in found.restarts} == expected
    members = sum(len(layout.physical.failover_regions[restart.region]) for restart in found.restarts)
    assert (found.subtasks, found.untouched) == (members, layout.first[-1] - members)
    assert sum(restart.reason == "failed" for restart in found.restarts) == 1


@pytest.mark.parametrize(
    ("written", "expected"),
    [("3[1]", (2, 1)), ("4[0]", (4, 0)), ("Source: 2[3]", (1, 3)), ("source: 2[3]", (1, 3)), ("out[2]", (5, 2))],
)
def test_a_subtask_by_name_key_or_position(written: str, expected: Subtask) -> None:
    made = sample("order_123546")
    assert choose_subtask(made, written) == expected


def test_a_name_wins_over_a_position() -> None:
    made = compiled(TWO_STAGES)
    assert choose_subtask(made, "3[1]") == (COUNT, 1)
    assert choose_subtask(made, "count[1]") == (COUNT, 1)
    assert choose_subtask(sample("order_123546"), "5[1]") == (3, 1)


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("clean", "which of the 2 subtasks", "clean[0]"),
        ("clean[2]", "has no subtask 2", "clean[0] to clean[1]"),
        ("claen[0]", "there is no vertex 'claen'", "did you mean `clean`?"),
        ("9[0]", "there is no vertex '9'", "Source: read"),
        ("[0]", "there is no vertex '[0]'", "Source: read"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_next_step(written: str, message: str, hint: str) -> None:
    made = compiled(TWO_STAGES)
    with pytest.raises(OptionError) as refused:
        choose_subtask(made, written)
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")


def test_a_name_of_several_vertices_is_asked_back() -> None:
    job = {
        "operators": [
            {"id": "a", "type": "source"},
            {"id": "b", "type": "source"},
            {"id": "both", "type": "co_map", "inputs": ["a", "b"]},
            {"id": "o", "type": "sink", "input": "both"},
        ]
    }
    made = compiled(job)
    with pytest.raises(OptionError, match="matches 2 vertices"):
        choose_subtask(made, "Source: Custom Source")
    assert choose_subtask(made, "b") == (1, 0)
