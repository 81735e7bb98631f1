"""Corners of the stages that deserve a name, beside what the conformance corpus shows."""

from __future__ import annotations

import pytest

from planner.errors import InternalError, PlanningError
from planner.flink.defaults import default_max_parallelism
from planner.flink.vertex_order import source_first_order
from planner.graphs.components import Components, strongly_connected
from planner.graphs.execution_graph import consumed_ranges
from planner.graphs.regions import pipelined_regions
from planner.pipeline import plan
from tests.support.small_jobs import SINK, SOURCE, job, mapped, planned


def order(size: int, edges: list[tuple[int, int]]) -> list[int]:
    outputs: dict[int, list[int]] = {}
    for position, (source, _) in enumerate(edges):
        outputs.setdefault(source, []).append(position)
    return source_first_order(size, edges, outputs)


def test_order_of_the_seeds() -> None:
    assert order(5, [(0, 2), (1, 2), (2, 3), (3, 4)]) == [0, 1, 2, 3, 4]
    assert order(6, [(0, 2), (1, 3), (2, 3), (2, 4), (4, 5), (3, 5)]) == [0, 1, 2, 3, 4, 5]


def test_order_follows_depth_first_but_waits_for_every_input() -> None:
    # 0 -> 1 -> 3 and 0 -> 2 -> 3: 3 waits for 2, though 1 is followed first.
    assert order(4, [(0, 1), (0, 2), (1, 3), (2, 3)]) == [0, 1, 2, 3]
    # 1's own consumer comes before 1's sibling.
    assert order(4, [(0, 1), (0, 2), (1, 3)]) == [0, 1, 3, 2]


def test_order_of_a_cycle_is_our_bug() -> None:
    with pytest.raises(InternalError, match="cyclic"):
        order(3, [(0, 1), (1, 2), (2, 1)])


def test_pointwise_ranges_cover_every_partition_and_every_consumer() -> None:
    for producers in range(1, 12):
        for consumers in range(1, 12):
            ranges = list(consumed_ranges("POINTWISE", producers, consumers))
            assert [subtask for subtask, _, _ in ranges] == list(range(consumers))
            read = {p for _, first, last in ranges for p in range(first, last + 1)}
            assert read == set(range(producers))
            assert sum(last - first + 1 for _, first, last in ranges) == max(producers, consumers)


def test_default_max_parallelism_has_a_floor_and_a_ceiling() -> None:
    assert [default_max_parallelism(p) for p in (1, 85, 86, 200, 32768)] == [128, 128, 256, 512, 32768]


def test_regions_that_wait_for_each_other_are_one() -> None:
    # 0 =pipelined=> 1 -blocking-> 2 =pipelined=> 3, and 3 -blocking-> 1 closes a cycle.
    edges = [(0, 1), (1, 2), (2, 3), (3, 1)]
    assert pipelined_regions(4, edges, [True, False, True, False]) == [0, 0, 0, 0]
    assert pipelined_regions(4, edges[:3], [True, False, True]) == [0, 0, 2, 2]


def test_strongly_connected_components_of_a_long_cycle() -> None:
    size = 50_000
    successors = {node: [(node + 1) % size] for node in range(size)}
    assert [len(component) for component in strongly_connected(range(size), successors)] == [size]


def test_components_are_named_by_their_smallest_member() -> None:
    joined = Components(4)
    joined.join(3, 1)
    joined.join(2, 3)
    assert joined.members() == {0: [0], 1: [1, 2, 3]}


def test_source_that_nobody_reads_is_not_in_the_graph() -> None:
    made = planned(SOURCE, {"id": "idle", "type": "source"}, mapped(), SINK)
    assert [node.operator.key for node in made.stream_graph.nodes] == ["source", "map", "sink"]


def test_automatic_mode_is_batch_only_over_bounded_sources() -> None:
    assert plan(job(SOURCE, mapped(), SINK, runtime_mode="automatic")).stream_graph.batch
    legacy = plan(job({**SOURCE, "legacy": True}, mapped(), SINK, runtime_mode="automatic"))
    assert not legacy.stream_graph.batch


def test_batch_leaves_parallelism_open_until_it_is_set() -> None:
    opened = plan(job(SOURCE, mapped(), SINK, runtime_mode="batch"))
    assert opened.job_graph is not None
    assert [vertex.parallelism for vertex in opened.job_graph.vertices] == [-1]
    assert opened.execution_graph is None
    decided = plan(job(SOURCE, mapped(parallelism=1), SINK, runtime_mode="batch"))
    assert decided.execution_graph is not None
    assert decided.execution_graph.parallelisms == (1,)


def test_plan_stops_where_it_is_told() -> None:
    made = plan(job(SOURCE, mapped(), SINK), until="job")
    assert made.job_graph is not None
    assert made.execution_graph is None
    assert made.to_dict()["physical"] is None


@pytest.mark.parametrize(
    ("operators", "settings", "message", "hint"),
    [
        ([SOURCE], {}, "no operators", "add at least one"),
        (
            [SOURCE, mapped({"from": "source", "partition": "forward"}, parallelism=4), SINK],
            {},
            r"parallelism 1\) to Map \(parallelism 4\)",
            "by rebalance or rescale",
        ),
        ([SOURCE, mapped(parallelism=8, max_parallelism=4), SINK], {}, "above its max parallelism 4", "raise the max"),
        ([{**SOURCE, "legacy": True}, mapped(), SINK], {"runtime_mode": "batch"}, "legacy SourceFunction", "automatic"),
        (
            [SOURCE, mapped(co_location_group="c", chaining="start_new"),
             {**SINK, "co_location_group": "c", "slot_sharing_group": "x"}],
            {},
            'co-location group "c"',
            "one slot sharing group",
        ),
        (
            [SOURCE, mapped(buffer_timeout=5), {**SINK, "input": {"from": "map", "partition": "rebalance"}}],
            {"runtime_mode": "batch"},
            "buffer timeout of 5 ms",
            "remove the operator's buffer timeout",
        ),
    ],
)  # fmt: skip
def test_what_flink_refuses_is_refused_with_the_next_step(
    operators: list[dict[str, object]], settings: dict[str, object], message: str, hint: str
) -> None:
    with pytest.raises(PlanningError, match=message) as caught:
        planned(*operators, **settings)
    assert hint in (caught.value.hint or "")
    assert caught.value.location is not None
