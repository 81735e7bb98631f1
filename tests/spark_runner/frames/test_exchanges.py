"""The eight ship strategies: every record where it belongs, and exactly the planned number of subtasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from planner import Types
from planner.graphs.execution_graph import consumed_ranges
from spark_runner.figures.results import PrintedRecord
from tests.support.spark_jobs import as_it_is, environment

RECORDS = list(range(60))


def placed(done: Any) -> dict[str, dict[int, list[int]]]:
    """By sink: the records of each subtask, counted from 0, in order."""
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for event in done.events:
        if isinstance(event, PrintedRecord):
            found[event.operator][(event.subtask or 1) - 1].append(int(event.text))
    return found


@pytest.mark.parametrize("sql", [False, True], ids=["python", "sql"])
@pytest.mark.parametrize(("producers", "consumers"), [(1, 1), (2, 7), (7, 2), (2, 3)])
def test_ship_strategies(run: Any, producers: int, consumers: int, sql: bool) -> None:
    env = environment(producers)
    source = env.from_collection(RECORDS, type_info=Types.LONG())
    kept = source.filter("value >= 0") if sql else source.filter(lambda n: as_it_is(n) >= 0)
    streams = {
        "rebalance": kept.rebalance(),
        "rescale": kept.rescale(),
        "shuffle": kept.shuffle(),
        "broadcast": kept.broadcast(),
        "global": kept.global_(),
        "hash": kept.key_by(lambda n: n % 5, Types.LONG()),
        "custom": kept.partition_custom(lambda key, count: key % count, lambda n: n // 10),
    }
    for name, stream in streams.items():
        behind = stream.map({"value": "value"}) if sql else stream.map(as_it_is, output_type=Types.LONG())
        behind.set_parallelism(consumers).name(name).print().set_parallelism(consumers).uid(name)
    done = run(env.build("exchanges"))
    at = placed(done)
    sizes = {name: [len(at[name][n]) for n in range(consumers)] for name in streams}
    for name in streams:
        times = consumers if name == "broadcast" else 1
        assert Counter(r for records in at[name].values() for r in records) == Counter(RECORDS * times), name
        assert done.counts[name] == (60 * times, 0)
    assert max(sizes["rebalance"]) - min(sizes["rebalance"]) <= producers
    assert all(records == RECORDS or sorted(records) == RECORDS for records in at["broadcast"].values())
    assert sizes["global"] == [60] + [0] * (consumers - 1)
    assert at["custom"] == {n: [r for r in RECORDS if r // 10 % consumers == n] for n in at["custom"]}
    subtask_of = {r: n for n, records in at["hash"].items() for r in records}
    assert all(len({subtask_of[r] for r in RECORDS if r % 5 == key}) == 1 for key in range(5))
    check_rescale(at["rescale"], producers, consumers)
    if consumers > 1:
        assert at["shuffle"] != at["rebalance"] and min(sizes["shuffle"]) < 60
    vertices = {v.operators[0].name: v for v in done.result.vertices if v.operators}
    if not sql:
        for name in streams:
            assert [s.subtask for s in vertices[name].subtasks] == list(range(consumers)), name


def check_rescale(at: dict[int, list[int]], producers: int, consumers: int) -> None:
    """Every consumer got records from the partitions it consumes, and the shares inside a group are even."""
    share = {p: set(RECORDS[60 * p // producers : 60 * (p + 1) // producers]) for p in range(producers)}
    for consumer, first, last in consumed_ranges("POINTWISE", producers, consumers):
        allowed = set().union(*(share[p] for p in range(first, last + 1)))
        assert set(at[consumer]) <= allowed
    if producers >= consumers:
        for consumer, first, last in consumed_ranges("POINTWISE", producers, consumers):
            assert set(at[consumer]) == set().union(*(share[p] for p in range(first, last + 1)))


def test_shuffle_behind_a_shuffle_is_the_same_again(run: Any) -> None:
    env = environment(3)
    twice = env.from_collection([n % 10 for n in range(60)], type_info=Types.LONG()).rebalance()
    again = twice.map(lambda n: n, output_type=Types.LONG()).shuffle().map(lambda n: n, output_type=Types.LONG())
    again.print()
    job = env.build("twice")
    first, second = ({n: Counter(records) for n, records in placed(run(job))["print-1"].items()} for _ in range(2))
    assert first == second
    assert sum(map(len, first.values())) > 10  # equal records are spread, too


def test_a_union_keeps_each_edges_own_partitions(run: Any) -> None:
    env = environment(2)
    left = env.from_collection(list(range(10)), type_info=Types.LONG())
    right = env.from_collection(list(range(100, 110)), type_info=Types.LONG())
    left.union(right.global_()).map(lambda n: n, output_type=Types.LONG()).print()
    at = placed(run(env.build("union")))["print-1"]
    assert sorted(at[0]) == [*range(5), *range(100, 110)]
    assert sorted(at[1]) == [*range(5, 10)]


def test_order_survives_where_there_is_one_subtask(run: Any) -> None:
    env = environment(1)
    stream = env.from_collection(RECORDS, type_info=Types.LONG())
    stream.rebalance().map(lambda n: n, output_type=Types.LONG()).print()
    stream.filter("value % 2 = 0").print()
    done = run(env.build("order"))
    assert done.order["print-1"] == [str(n) for n in RECORDS]
    assert done.order["print-2"] == [str(n) for n in RECORDS if n % 2 == 0]
