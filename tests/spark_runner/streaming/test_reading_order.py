"""Spark packs several files into one task, in an order of its own. The result is that of reading them one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy
from tests.support import killed_job
from tests.support.stream_engine import StreamEngine
from tests.support.stream_jobs import records
from tests.support.stream_reference import Reference

PER_FILE = 25
FILES = 12
Record = tuple[str, int, int]


def as_read(number: int, found: list[Record]) -> pa.RecordBatch:
    """A file's lines as Spark gives them to us: the file's time, its path, its block and split, the batch's time."""
    rows = len(found)
    columns: dict[str, list[Any]] = {
        "value": [f"{key},{value},{time}" for key, value, time in found],
        "__b0": [1_700_000_000_000 + number] * rows,
        "__b1": [hash((number, "path"))] * rows,
        "__b2": [0] * rows,
        "__split": [number] * rows,
        "__now": [5] * rows,
    }
    return pa.RecordBatch.from_pydict(columns)


def packed(random: Random, files: list[list[Record]]) -> Iterator[list[list[pa.RecordBatch]]]:
    """Batches of one to five files, each of one or two tasks, whose files come in any order."""
    number = 0
    while number < len(files):
        batch = list(enumerate(files))[number : number + random.randint(1, 5)]
        number += len(batch)
        random.shuffle(batch)
        cut = random.randint(0, len(batch))
        yield [[as_read(at, found) for at, found in task] for task in (batch[:cut], batch[cut:]) if task]


def printed(source: Any) -> dict[str, int]:
    """Prints every branch; the numbers of the sinks."""
    made = killed_job.branches("windows", source)
    for stream in made.values():
        stream.print()
    return {name: number for number, name in enumerate(made)}


@pytest.mark.parametrize("seed", range(8))
def test_the_order_in_which_a_task_reads_files_changes_nothing(seed: int) -> None:
    random = Random(seed)
    found = records(random, FILES * PER_FILE)
    files = [found[at : at + PER_FILE] for at in range(0, len(found), PER_FILE)]

    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    reader = ReaderSource("text", "somewhere", bounded=True)
    lines = env.from_source(reader, WatermarkStrategy.no_watermarks(), "lines", killed_job.LINE).set_parallelism(1)
    sinks = printed(lines.map(killed_job.taken_apart, output_type=killed_job.RECORD).set_parallelism(1))
    engine = StreamEngine(env.build("files"), {0: pa.schema([("value", pa.string())])})
    for tasks in packed(random, files):
        engine.read(0, tasks)
    engine.batch(['{"end": true}'])

    env = StreamExecutionEnvironment()
    env.set_parallelism(2)
    given = env.from_collection(found, type_info=Types.PICKLED_BYTE_ARRAY()).set_parallelism(1)
    printed(given.map(lambda record: record).set_parallelism(1))
    reference = Reference(env.build("reference"))
    by_key = {reference.graph.by_id[node].operator.key: rows for node, rows in reference.run().items()}
    for name, number in sinks.items():
        expected = Counter(row for _, row in by_key[f"print-{number + 1}"])
        assert Counter(value for _, value in engine.sinks[number]) == expected, name
