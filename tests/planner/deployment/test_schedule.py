"""The order of executions: the examples of the background articles, and what holds for every schedule."""

from __future__ import annotations

import pytest
from hypothesis import given

from planner.deployment.layout import Layout
from planner.deployment.schedule import STATES, Execution, Schedule, Strategy, schedule_executions
from planner.pipeline import Plan
from tests.support.deployments import TWO_STAGES, compiled, decided_plans, laid_out, sample

STRATEGIES: tuple[Strategy, ...] = ("eager", "lazy", "regions")


def scheduled(made: Plan, strategy: Strategy) -> Schedule:
    assert made.job_graph is not None
    return schedule_executions(made.job_graph, laid_out(made), strategy)


def names_by_step(made: Plan, strategy: Strategy) -> dict[int, list[str]]:
    assert made.job_graph is not None
    found: dict[int, list[str]] = {}
    for execution in scheduled(made, strategy).executions:
        name = made.job_graph.vertices[execution.vertex].name.removeprefix("Source: ").split(" -> ")[0]
        found.setdefault(execution.scheduled, []).append(name)
    return found


@pytest.mark.parametrize(
    ("job", "strategy", "expected"),
    [
        ("order_12345", "eager", {1: ["1", "2", "3", "4", "5"]}),
        ("order_12345", "lazy", {1: ["1", "2"], 3: ["3", "4"], 5: ["5"]}),
        ("order_12345", "regions", {1: ["1", "2", "3", "4", "5"]}),
        ("order_123546", "eager", {1: ["1", "2", "3", "5", "4", "6"]}),
        ("order_123546", "lazy", {1: ["1", "2"], 3: ["3", "4"], 5: ["5"], 7: ["6"]}),
        ("order_123546", "regions", {1: ["1", "2", "3", "5", "4", "6"]}),
    ],
)
def test_the_orders_of_the_articles(job: str, strategy: Strategy, expected: dict[int, list[str]]) -> None:
    assert names_by_step(sample(job), strategy) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("eager", [(1, 4), (1, 4), (1, 5), (1, 5)]),
        # clean runs at 5, so its region ends at 6; count runs at 8, write at 10.
        ("lazy", [(1, 6), (3, 6), (6, 11), (8, 11)]),
        ("regions", [(1, 4), (1, 4), (4, 7), (4, 7)]),
    ],
)
def test_blocking_results_are_waited_for(strategy: Strategy, expected: list[tuple[int, int]]) -> None:
    executions = scheduled(compiled(TWO_STAGES), strategy).executions
    assert [(execution.scheduled, execution.finished) for execution in executions] == expected


def test_a_region_says_whose_results_it_waits_for() -> None:
    read, clean, count, write = scheduled(compiled(TWO_STAGES), "regions").executions
    assert read.waits_for == clean.waits_for == ()
    assert [(wait.vertex, wait.state, wait.through) for wait in count.waits_for] == [(1, "FINISHED", 2)]
    assert write.waits_for == count.waits_for, "write starts with its region"


def test_the_states_of_an_execution_in_their_order() -> None:
    read = scheduled(compiled(TWO_STAGES), "regions").executions[0]
    assert [read.state(step) for step in range(6)] == [*STATES, "FINISHED"]
    streaming = scheduled(sample("order_12345"), "eager").executions[0]
    assert [streaming.state(step) for step in range(6)] == [*STATES[:4], "RUNNING", "RUNNING"]


def test_pointwise_blocking_results_are_waited_for_one_by_one() -> None:
    job = {
        "runtime_mode": "batch",
        "operators": [
            {"id": "slow", "type": "source", "parallelism": 1},
            {"id": "a", "type": "map", "input": {"from": "slow", "partition": "rebalance"}, "parallelism": 2},
            {"id": "b", "type": "sink", "input": {"from": "a", "partition": "rescale"}, "parallelism": 4},
        ],
    }
    last = scheduled(compiled(job), "regions").executions[-1]
    assert (last.scheduled, last.subtasks, [wait.every for wait in last.waits_for]) == (7, ((0, 3),), [False])


def test_what_waits_for_itself_through_a_blocking_result_starts_together() -> None:
    job = {
        "runtime_mode": "batch",
        "operators": [
            {"id": "a", "type": "source", "parallelism": 2},
            {"id": "b", "type": "map", "input": {"from": "a", "partition": "rebalance"}, "parallelism": 2},
            {
                "id": "c",
                "type": "co_map",
                "inputs": [
                    {"from": "a", "partition": "rebalance", "exchange": "pipelined"},
                    {"from": "b", "partition": "rebalance", "exchange": "pipelined"},
                ],
                "parallelism": 2,
            },
            {"id": "o", "type": "sink", "input": "c", "parallelism": 2},
        ],
    }
    made = compiled(job)
    assert len(laid_out(made).physical.failover_regions) == 1
    assert {row.scheduled for row in scheduled(made, "regions").executions} == {1}
    assert [row.scheduled for row in scheduled(made, "lazy").executions] == [1, 3, 5]
    assert {wait.state for row in scheduled(made, "lazy").executions for wait in row.waits_for} == {"RUNNING"}


def rows_by_subtask(layout: Layout, schedule: Schedule) -> list[Execution]:
    rows: list[Execution | None] = [None] * layout.first[-1]
    for execution in schedule.executions:
        for low, high in execution.subtasks or ():
            for subtask in range(low, high + 1):
                assert rows[layout.first[execution.vertex] + subtask] is None, "scheduled twice"
                rows[layout.first[execution.vertex] + subtask] = execution
    assert all(row is not None for row in rows)
    return [row for row in rows if row is not None]


@given(decided_plans())
def test_every_subtask_is_scheduled_once_and_never_too_early(made: Plan) -> None:
    layout = laid_out(made)
    for strategy in STRATEGIES:
        schedule = scheduled(made, strategy)
        rows = rows_by_subtask(layout, schedule)
        assert [(row.scheduled, row.vertex) for row in schedule.executions] == sorted(
            (row.scheduled, row.vertex) for row in schedule.executions
        )
        for edge in layout.execution_graph.edges:
            for subtask, low, high in edge.consumed:
                consumer = layout.first[edge.target] + subtask
                for producer in layout.numbers(edge.source)[low : high + 1]:
                    check(layout, strategy, rows, producer, consumer, blocking=layout.is_blocking(edge))


def check(
    layout: Layout, strategy: Strategy, rows: list[Execution], producer: int, consumer: int, *, blocking: bool
) -> None:
    before, after = rows[producer], rows[consumer]
    together = layout.region_of[producer] == layout.region_of[consumer]
    if strategy == "eager":
        assert before.scheduled == after.scheduled == 1
    elif strategy == "lazy" and not blocking:
        assert after.scheduled >= before.running
    elif together:
        assert strategy == "lazy" or before.scheduled == after.scheduled
    else:
        assert blocking
        assert before.finished is not None
        assert after.scheduled >= before.finished


@given(decided_plans())
def test_nothing_waits_longer_than_it_must(made: Plan) -> None:
    """Every execution starts at the first step, or just when the last of what it waits for is there."""
    for strategy in ("lazy", "regions"):
        schedule = scheduled(made, strategy)
        reached: dict[tuple[int, str], int] = {}
        for row in schedule.executions:
            for state, step in (("RUNNING", row.running), ("FINISHED", row.finished or 0)):
                reached[row.vertex, state] = max(step, reached.get((row.vertex, state), 0))
        for row in schedule.executions:
            if row.scheduled == 1:
                assert not row.waits_for
            else:
                assert row.scheduled <= max(reached[wait.vertex, wait.state] for wait in row.waits_for)


def test_twenty_thousand_vertices_in_a_row() -> None:
    from benchmarks.jobs import unchained_row

    made = compiled(unchained_row(20_000))
    for strategy in STRATEGIES:
        assert len(scheduled(made, strategy).executions) == 20_000
    assert scheduled(made, "lazy").last_step == 3 + 2 * 19_999
