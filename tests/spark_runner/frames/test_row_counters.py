"""Rows counted on their way: exact wherever the optimizer would like to move things, and inside generated code."""

from __future__ import annotations

from typing import Any

import pytest

from spark_runner.frames.row_counters import RowCounters


@pytest.mark.parametrize("repeats", [False, True])
def test_counts_are_those_of_each_place(spark: Any, repeats: bool) -> None:
    counters = RowCounters(spark)
    counters._repeats = repeats  # as on a cluster
    frame = spark.range(0, 100, 1, 2).selectExpr("id", "nullif(id % 4, 0) as n")
    found = []
    for step in ("n is not null", "id > 9", "true"):
        counted = counters.count(frame.where(step))
        assert counted is not None
        frame = counted[0]
        found.append(counted[1])
    exploded = counters.count(frame.selectExpr("explode(sequence(1, n)) as m", "id"))
    assert exploded is not None
    last = counters.count(exploded[0].where("id < 20 and m = 1").groupBy("id").count())
    assert last is not None
    rows = last[0].count()
    numbers = [n for n in range(100) if n % 4]
    assert [one.value for one in found] == [75, *[sum(n > 9 for n in numbers)] * 2]
    assert exploded[1].value == sum(n % 4 for n in numbers if n > 9)
    assert (rows, last[1].value) == (8, 8)


def test_counting_does_not_end_the_generated_code(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    counted = RowCounters(spark).count(spark.range(9).where("id > 3"))
    assert counted is not None
    counted[0].explain()
    operators = [line for line in capsys.readouterr().out.splitlines() if "Filter" in line or "Range" in line]
    assert len(operators) >= 2
    assert all("*(1)" in line for line in operators)


def test_a_spark_without_the_classes_is_observed(spark: Any) -> None:
    class Nothing:
        def __getattr__(self, name: str) -> Any:
            raise TypeError("'JavaPackage' object is not callable")

    class Session:
        _jvm = Nothing()
        sparkContext = spark.sparkContext

    counters = RowCounters(Session())  # type: ignore[arg-type]
    assert counters.count(spark.range(3)) is None
    assert counters.count(spark.range(3)) is None
