"""Functions with a life (open, close, state), Python sinks, batch mode, and operators nobody reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner import (
    FlatMapFunction,
    MapFunction,
    RuntimeExecutionMode,
    SinkFunction,
    Types,
    ValueStateDescriptor,
    WriterSink,
)
from tests.spark_runner.batch.test_operators import check
from tests.support.spark_jobs import PAIR, environment


class Numbered(MapFunction):
    """Numbers the records of each key: needs keyed state."""

    def open(self, runtime_context: Any) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.LONG()))

    def map(self, value: Any) -> str:
        self.seen.update((self.seen.value() or 0) + 1)
        return f"{value[0]}{self.seen.value()}"


class Once(FlatMapFunction):
    """Writes a line when it opens and when it closes."""

    def __init__(self, file: str) -> None:
        self.file = file

    def open(self, runtime_context: Any) -> None:
        self.subtask = runtime_context.get_index_of_this_subtask()
        self.note(f"open {self.subtask} of {runtime_context.get_number_of_parallel_subtasks()}")

    def flat_map(self, value: Any) -> Any:
        return [value]

    def close(self) -> None:
        self.note(f"close {self.subtask}")

    def note(self, text: str) -> None:
        with Path(self.file).open("a") as out:
            out.write(text + "\n")


class Appending(SinkFunction):
    def __init__(self, file: str) -> None:
        self.file = file

    def invoke(self, value: Any, context: Any = None) -> None:
        with Path(self.file).open("a") as out:
            out.write(f"{value}\n")


def test_a_keyed_map_with_state(run: Any) -> None:
    env = environment(2)
    words = env.from_collection([("a", 1), ("b", 1), ("a", 1), ("a", 1)], type_info=PAIR)
    words.key_by(lambda v: v[0]).map(Numbered(), Types.STRING()).print()
    done = run(env.build("numbered"))
    assert done.printed["print-1"] == Counter(["a1", "a2", "a3", "b1"])
    assert done.counts["map-1"] == (4, 4)


def test_open_and_close_are_called_once_a_subtask(run: Any, tmp_path: Path) -> None:
    env = environment(2)
    notes = tmp_path / "notes"
    stream = env.from_collection([1, 2, 3], type_info=Types.LONG()).flat_map(Once(str(notes)), Types.LONG())
    stream.print()  # three readers, and still one life per subtask
    stream.map(lambda n: n, Types.LONG()).print()
    stream.rebalance().map(lambda n: n, Types.LONG()).print()
    run(env.build("once"))
    assert Counter(notes.read_text().split("\n")) == Counter(["open 0 of 2", "open 1 of 2", "close 0", "close 1", ""])


@pytest.mark.parametrize("api", ["add_sink", "sink_to"])
def test_python_sinks_get_every_record_once(run: Any, tmp_path: Path, api: str) -> None:
    env = environment(1)
    target = tmp_path / "sink"
    stream = env.from_collection([1, 2, 3], type_info=Types.LONG()).map(lambda n: n * 2, Types.LONG())
    getattr(stream, api)(Appending(str(target)))
    stream.print()
    done = run(env.build("sink"))
    assert target.read_text() == "2\n4\n6\n"
    assert done.counts["sink-1"] == (3, 0)
    assert {one.operator: one.records for one in done.result.sinks} == {"sink-1": 3, "print-1": 3}


def test_a_committer_and_operators_nobody_reads(run: Any, tmp_path: Path, spark: Any) -> None:
    env = environment(2)
    notes = tmp_path / "unread"
    numbers = env.from_sequence(1, 10)
    numbers.filter("value > 5").sink_to(WriterSink("parquet", str(tmp_path / "out"), committer=True))
    numbers.rebalance().flat_map(Once(str(notes)), Types.LONG())
    done = run(env.build("committer"))
    assert spark.read.parquet(str(tmp_path / "out")).count() == 5
    assert done.counts["filter-1"] == (10, 5)
    assert [(o.name, o.records_in, o.records_out) for v in done.result.vertices for o in v.operators][2:4] == [
        ("Sink: Writer", 5, 0),
        ("Sink: Committer", 0, 0),
    ]
    assert (done.counts["sink-1"], done.counts["flat_map-1"]) == ((5, 0), (10, 10))
    assert [one.operator for one in done.result.sinks] == ["sink-1"], "an operator that nobody reads is no sink"
    assert notes.read_text().count("open") == 2


def test_batch_mode_leaves_parallelism_to_the_run(run: Any) -> None:
    env = environment(2)
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    words = env.from_collection([("a", 1), ("b", 2), ("a", 3)] * 5, type_info=PAIR)
    sums = words.key_by(lambda v: v[0]).sum(1)
    sums.key_by(lambda v: v[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).map(lambda v: v[1], Types.LONG()).print()
    check(run, env.build("batch"))


def test_an_endless_flat_map_is_taken_in_pieces(run: Any) -> None:
    env = environment(1)
    many = env.from_sequence(1, 2).flat_map(lambda n: range(150_000), Types.LONG())
    many.filter(lambda n: n % 50_000 == 0).print()
    done = run(env.build("many"))
    assert done.counts["flat_map-1"] == (2, 300_000)
    assert done.printed["print-1"] == Counter({"0": 2, "50000": 2, "100000": 2})
