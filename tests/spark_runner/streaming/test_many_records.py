"""Many records at a time: columns in one piece, sums without a call per record, buckets that part. Same results."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from planner import StreamExecutionEnvironment, Types
from spark_runner.executor import buckets, exits
from spark_runner.executor.failures import OperatorFailed
from spark_runner.executor.store import KeyedStore, key_group
from tests.support.stream_engine import DictBackend, StreamEngine
from tests.support.stream_jobs import KEYED, random_job
from tests.support.stream_reference import Reference

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
SIZE = 6_000


def engine(records: list[Any], change: Callable[[Any], Any] = lambda one: one) -> StreamEngine:
    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    stream = env.from_collection(records, type_info=PAIR).set_parallelism(1).map(change, output_type=PAIR)
    stream.set_parallelism(1).key_by(lambda one: one[0], key_type=Types.STRING()).sum(1).print()
    return StreamEngine(env.build("sums"))


def in_slices(made: StreamEngine, *sizes: int) -> list[Any]:
    """What the one sink gets when the input comes in slices of these sizes, one batch each."""
    for number, size in enumerate(sizes):
        made.batch([f'{{"slice": {number}, "size": {size}}}'])
    made.batch(['{"end": true}'])
    (found,) = made.sinks.values()
    return [value for _, value in found]


def running_sums(records: list[tuple[str, int | None]]) -> Counter[Any]:
    totals: dict[str, int | None] = {}
    found: Counter[Any] = Counter()
    for key, number in records:
        before = totals.get(key)
        totals[key] = number if before is None else before if number is None else before + number
        found[key, totals[key]] += 1
    return found


def test_sums_of_many_pairs_are_those_of_one_after_the_other() -> None:
    random = Random(5)
    records = [(f"k{random.randrange(900)}", random.choice([None, 1, 2, 2**40])) for _ in range(SIZE)]
    assert Counter(in_slices(engine(records), SIZE // 2, SIZE // 2)) == running_sums(records)


def test_a_record_that_does_not_fit_is_named_among_many() -> None:
    records: list[Any] = [(f"k{n % 9}", n) for n in range(SIZE)]
    made = engine(records, lambda one: (one[0], "many") if one[1] == 4_321 else one)
    with pytest.raises(OperatorFailed) as caught:
        in_slices(made, SIZE)
    assert "('k1', 'many')" in str(caught.value)
    assert "does not fit its declared type" in str(caught.value)


@pytest.mark.parametrize("kind", KEYED)
@pytest.mark.parametrize("seed", range(20, 22))
def test_random_jobs_with_every_limit_reached(seed: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exits, "_MANY", 1)
    monkeypatch.setattr(buckets, "MOST", 2)
    made = StreamEngine(random_job(seed, kind))
    random = Random(seed)
    found = made.run(sorted(random.sample(range(made.size), min(made.size, 4))))
    given = {sink.node: found[sink.number] for sink in made.job.sinks if found[sink.number]}
    assert given == Reference(random_job(seed, kind)).run()


def stored(backend: DictBackend, keys: range | list[int]) -> KeyedStore:
    """A batch that counts these keys."""
    store = KeyedStore(backend, "op")
    for key in keys:
        values = store.turn(key).values
        values["count"] = values.get("count", 0) + 1
    store.save()
    return store


def test_a_bucket_with_many_keys_parts_and_every_key_is_found_again() -> None:
    backend = DictBackend()
    stored(backend, range(500))
    few = len(backend.kept)
    stored(backend, range(20_000))
    assert len(backend.kept) > few
    assert all(len(pickle.loads(v)) <= buckets.MOST for k, v in backend.kept.items() if k != "op|index")
    store = KeyedStore(backend, "op")
    assert [store.turn(key).values["count"] for key in range(20_000)] == [2] * 500 + [1] * 19_500


def test_a_batch_of_few_keys_touches_few_entries() -> None:
    backend = DictBackend()
    stored(backend, range(20_000))
    before = dict(backend.kept)
    stored(backend, [7, 8])
    changed = [key for key in backend.kept if backend.kept[key] != before.get(key)]
    assert len(changed) <= 2 + 1  # two buckets and the index


@pytest.mark.parametrize(
    "keys", [range(8), "abcdefgh", [f"user{n}" for n in range(8)]], ids=["numbers", "letters", "names"]
)
def test_a_few_short_keys_do_not_all_go_to_one_subtask(keys: Iterable[Any]) -> None:
    assert {key_group(key, 128) * 2 // 128 for key in keys} == {0, 1}
