"""Every operator with Python functions against the plain-Python reference, on real local Spark."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from spark_runner.executor.rows import printed
from tests.support.reference import evaluate
from tests.support.spark_jobs import DATA, JOBS


def check(run: Any, job: Any) -> None:
    """The same records at every sink, the same counts at every operator."""
    expected = evaluate(job)
    done = run(job)
    for sink, records in expected.printed.items():
        texts = Counter({printed(record): 0 for record in records})
        for record, times in records.items():
            texts[printed(record)] += times
        assert done.printed.get(sink, Counter()) == texts, sink
    assert done.counts == expected.counts


@pytest.mark.parametrize("chaining", [True, False], ids=["chained", "unchained"])
@pytest.mark.parametrize("parallelism", [1, 2, 7])
@pytest.mark.parametrize("name", list(JOBS))
def test_operators_equal_the_reference(run: Any, name: str, parallelism: int, chaining: bool) -> None:
    check(run, JOBS[name](DATA["mixed"], parallelism, chaining))


@pytest.mark.parametrize("data", ["empty", "one", "skewed"])
@pytest.mark.parametrize("name", list(JOBS))
def test_unusual_data_equals_the_reference(run: Any, name: str, data: str) -> None:
    check(run, JOBS[name](DATA[data], 2, True))


def test_the_first_record_keeps_its_other_fields(run: Any) -> None:
    from planner import Types
    from tests.support.spark_jobs import environment

    env = environment(1)
    records = [("a", "first", 5), ("a", "second", 3), ("b", None, 1), ("b", "later", 9)]
    triple = Types.TUPLE([Types.STRING(), Types.STRING(), Types.INT()])
    keyed = env.from_collection(records, type_info=triple).key_by(lambda v: v[0])
    keyed.sum(2).print()
    keyed.min(2).print()
    keyed.max("f2").print()
    done = run(env.build("first"))
    assert done.printed == {
        "print-1": Counter({"(a,first,8)": 1, "(b,null,10)": 1}),
        "print-2": Counter({"(a,first,3)": 1, "(b,null,1)": 1}),
        "print-3": Counter({"(a,first,5)": 1, "(b,null,9)": 1}),
    }


def test_wide_rows_keep_every_type(run: Any) -> None:
    import datetime
    import decimal

    from planner import Row, Types
    from tests.support.spark_jobs import environment

    kinds = [
        Types.STRING(), Types.INT(), Types.LONG(), Types.DOUBLE(), Types.BOOLEAN(), Types.BIG_DEC(), Types.SQL_DATE(),
        Types.SQL_TIMESTAMP(), Types.INSTANT(), Types.LIST(Types.LONG()), Types.MAP(Types.STRING(), Types.LONG()),
        Types.TUPLE([Types.STRING(), Types.LONG()]), Types.PRIMITIVE_ARRAY(Types.BYTE()),
    ]  # fmt: skip
    names = [f"c{n}" for n in range(len(kinds))]
    noon = datetime.datetime(2026, 3, 29, 12, 0, 0, 123456)
    values: list[Any] = [
        "ü", -1, 2**40, 0.5, True, decimal.Decimal("1.5"), noon.date(), noon, noon, [1, None], {"k": 2}, ("x", 3),
        b"\x00\xff",
    ]  # fmt: skip
    wide = Types.ROW_NAMED([*names, *(f"w{n}" for n in range(150))], [*kinds, *(Types.LONG() for _ in range(150))])
    env = environment(2)
    stream = env.from_collection([Row(*values, *range(150)), Row(*[None] * len(kinds), *range(150))], type_info=wide)
    same = stream.map(lambda row: row, output_type=wide).disable_chaining()

    def look(row: Any) -> str:
        return repr((row[0], row.c1, row["c2"], tuple(row[3:13]), sum(row[13:])))

    same.map(look, output_type=Types.STRING()).print()
    done = run(env.build("wide"))
    values[5] = decimal.Decimal("1.500000000000000000")
    assert set(done.printed["print-1"]) == {
        repr((*values[:3], tuple(values[3:]), sum(range(150)))),
        repr((None, None, None, tuple([None] * 10), sum(range(150)))),
    }


def test_a_stream_without_a_type_carries_any_object(run: Any) -> None:
    from planner import Types
    from tests.support.spark_jobs import environment

    env = environment(2)
    made = env.from_collection([1, "two", None, {"three": 3}, (4, [5])]).map(lambda x: [x]).rebalance()
    made.map(lambda x: repr(x[0]), output_type=Types.STRING()).print()
    assert run(env.build("any")).printed["print-1"] == Counter(
        {"1": 1, "'two'": 1, "None": 1, "{'three': 3}": 1, "(4, [5])": 1}
    )
