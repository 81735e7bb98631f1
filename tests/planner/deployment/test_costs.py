"""Channels, buffers and memory: sums done by hand, and sums that must agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.deployment.costs import count_costs
from planner.deployment.placement import place_slots
from planner.flink.network_buffers import SORT_SHUFFLE_BUFFERS, Buffers
from planner.flink.profile import LoadBalanceMode
from planner.pipeline import Plan
from tests.support.deployments import TWO_STAGES, cluster, compiled, decided_plans, laid_out
from tests.support.strategies import Job

# source(2) => rebalance => map(3) => rescale => sink(1)
SMALL: Job = {
    "operators": [
        {"id": "s", "type": "source", "parallelism": 2},
        {"id": "m", "type": "map", "input": {"from": "s", "partition": "rebalance"}, "parallelism": 3},
        {"id": "o", "type": "sink", "input": {"from": "m", "partition": "rescale"}, "parallelism": 1},
    ]
}


def test_the_sums_of_a_small_job() -> None:
    costs = count_costs(laid_out(compiled(SMALL)), cluster(1, 3))
    rebalance, rescale = costs.edges
    # 3 gates of 2 local channels: 3 x 1, wanted 3 x (2 x 2 + 8); 2 partitions of 3: 2 x (3 + 1), wanted 2 x (2 x 3 + 8)
    assert (rebalance.channels, rebalance.gates) == (6, 3)
    assert (rebalance.inputs, rebalance.outputs) == (Buffers(3, 36), Buffers(8, 28))
    # 1 gate of 3 local channels: 1, wanted 3 x 2 + 8; 3 partitions of 1: 3 x (1 + 1), wanted 3 x (2 + 8)
    assert (rescale.channels, rescale.gates, rescale.inputs, rescale.outputs) == (3, 1, Buffers(1, 14), Buffers(6, 30))
    assert costs.dearest == rebalance
    assert (costs.channels, costs.buffers) == (9, Buffers(18, 108))


@pytest.mark.parametrize(("managers", "slots", "fewest"), [(1, 4, 24), (2, 2, 20), (4, 1, 12)])
def test_the_fewest_buffers_are_those_measured_in_flink(managers: int, slots: int, fewest: int) -> None:
    read = {"from": "s", "partition": "rebalance"}
    job = {"parallelism": 4, "operators": [{"id": "s", "type": "source"}, {"id": "m", "type": "map", "input": read}]}
    layout, offered = laid_out(compiled(job)), cluster(managers, slots)
    costs = count_costs(layout, offered, place_slots(layout, offered))
    assert {cost.buffers.fewest for cost in costs.task_managers} == {fewest}


def test_the_cluster_settings_count() -> None:
    costs = count_costs(laid_out(compiled(SMALL)), cluster(1, 3, buffers_per_channel=1, floating_buffers_per_gate=4))
    assert [edge.inputs.wanted for edge in costs.edges] == [3 * (2 + 4), 3 + 4]


def test_a_task_manager_against_its_network_memory() -> None:
    layout = laid_out(compiled(SMALL))
    for memory, fits in ((18 * 32 * 1024, True), (17 * 32 * 1024, False)):
        offered = cluster(1, 3, network_memory=memory)
        costs = count_costs(layout, offered, place_slots(layout, offered))
        assert [cost.buffers for cost in costs.task_managers] == [Buffers(18, 108)]
        assert costs.hungriest == 108
        assert (not costs.overloaded) == fits
        assert costs.to_dict()["task_managers"][0]["fits"] == fits


def test_blocking_results_are_sorted_in_buffers_of_their_own() -> None:
    costs = count_costs(laid_out(compiled(TWO_STAGES)), cluster(1, 4))
    assert [edge.outputs.fewest for edge in costs.edges] == [2 * 2, 2 * SORT_SHUFFLE_BUFFERS, 2 * 3]


def test_a_result_with_two_readers_is_written_once() -> None:
    job = {
        "runtime_mode": "batch",
        "operators": [
            {"id": "s", "type": "source", "parallelism": 2},
            {"id": "m", "type": "sink", "input": {"from": "s", "partition": "rebalance"}, "parallelism": 3},
            {"id": "o", "type": "sink", "input": {"from": "s", "partition": "rebalance"}, "parallelism": 3},
        ],
    }
    layout = laid_out(compiled(job))
    assert len({edge.data_set for edge in layout.job_graph.edges}) == 1
    outputs = [edge.outputs.fewest for edge in count_costs(layout, cluster(1, 4)).edges]
    assert outputs == [2 * SORT_SHUFFLE_BUFFERS, 0]


@given(decided_plans(), st.integers(1, 9), st.sampled_from(["slots", "none"]))
def test_the_sums_agree(made: Plan, managers: int, mode: LoadBalanceMode) -> None:
    layout, offered = laid_out(made), cluster(managers, 1_000)
    placement = place_slots(layout, offered, mode)
    assert placement is not None
    assert placement.last_turn == 0
    costs = count_costs(layout, offered, placement)
    assert costs.channels == layout.execution_graph.execution_edges
    assert sum((cost.buffers for cost in costs.task_managers), Buffers()) == costs.buffers
    assert sum(cost.subtasks for cost in costs.task_managers) == layout.first[-1]
    on = [placement.task_managers[slot] for slot in layout.slot_of]
    for edge, cost in zip(layout.execution_graph.edges, costs.edges, strict=True):
        remote = sum(
            on[producer] != on[layout.first[edge.target] + subtask]
            for subtask, low, high in edge.consumed
            for producer in layout.numbers(edge.source)[low : high + 1]
        )
        assert cost.remote_channels is not None
        low, high = cost.remote_channels
        assert low <= remote <= high
        assert low == high or not placement.certain


@pytest.mark.parametrize("managers", [1, 2])
def test_one_task_manager_needs_no_network(managers: int) -> None:
    layout, offered = laid_out(compiled(SMALL)), cluster(managers, 3)
    costs = count_costs(layout, offered, place_slots(layout, offered, "slots"))
    most = [edge.remote_channels[1] for edge in costs.edges if edge.remote_channels]
    assert (sum(most) == 0) == (managers == 1)
