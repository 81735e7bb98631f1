"""Printed records come as Spark computes them, and still subtask by subtask."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from planner import Types
from planner.pipeline import plan
from spark_runner.batch.execute import execute
from spark_runner.batch.held_records import HeldRecords
from spark_runner.batch.printing import in_turn
from spark_runner.figures.results import Event, PrintedRecord
from spark_runner.lowering.lower import lower
from tests.support.spark_jobs import environment


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


def test_records_are_told_while_other_subtasks_still_work(spark: Any, tmp_path: Path) -> None:
    told = tmp_path / "told"

    def waits(text: str) -> str:
        until = time.monotonic() + 60
        while text == "last" and not told.exists():
            if time.monotonic() > until:
                raise TimeoutError("the first subtask's records were not told")
            time.sleep(0.05)
        return text

    env = environment(2)
    many = "x" * 300_000  # more than Spark keeps back for company
    env.from_collection([many, many, "last"], type_info=Types.STRING()).map(waits, Types.STRING()).print()
    texts: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, PrintedRecord):
            texts.append(str(event))
            told.touch()

    execute(lower(plan(env.build("print"))), spark, events=listen)
    assert texts == [f"1> {many}", f"2> {many}", "2> last"]


def test_held_records_come_back_as_they_were() -> None:
    held, records = (
        HeldRecords(),
        [PrintedRecord(operator="p", subtask=n % 3 or None, text=f"ü\n{n}") for n in range(9)],
    )
    for record in records:
        held.hold(record)
    assert list(held.released()) == records
