"""Printed records come as Spark computes them, and still subtask by subtask."""

from __future__ import annotations

import itertools
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from spark_runner.batch.printed_aside import batches_through_files
from spark_runner.batch.printing import in_turn


@given(st.permutations(range(6)), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_batches_in_the_order_of_subtasks(order: list[int], sizes: list[int]) -> None:
    batches = [
        (subtask, pa.record_batch([pa.array([subtask * 10 + n])], names=["value"]))
        for subtask in order
        for n in range(sizes[subtask])
    ]
    told = [(subtask, batch.column(0)[0].as_py()) for subtask, batch in in_turn(iter(batches))]
    assert told == [(subtask, subtask * 10 + n) for subtask in range(6) for n in range(sizes[subtask])]


def test_a_subtask_whose_turn_it_is_does_not_wait() -> None:
    batch = pa.record_batch([pa.array([1])], names=["value"])
    arriving = iter([(1, batch), (0, batch), (0, batch), (2, batch)])
    told = [subtask for subtask, _ in itertools.islice(in_turn(arriving), 2)]
    assert told == [0, 0]
    assert next(arriving)[0] == 2  # not read yet


def test_many_records_come_through_files_in_the_order_of_subtasks(spark: Any) -> None:
    frame = (
        spark.range(0, 9_000, 1, 3).selectExpr("id", "cast(null as string) as nothing").where("id < 3000 or id > 6000")
    )
    found = list(batches_through_files(frame))
    assert [row["id"] for _, batch in found for row in batch.to_pylist()] == [*range(3000), *range(6001, 9000)]
    assert {partition for partition, _ in found} == {0, 2}
