"""Places where two features meet: event time behind keyed functions, keys without a keyed operator, nested rows."""

from __future__ import annotations

import datetime
import decimal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner import (
    FileSource,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    Row,
    StreamFormat,
    TimestampAssigner,
    Types,
    WatermarkStrategy,
)
from planner.errors import ExecutionError
from planner.frontends.loading import load_job
from tests.support.spark_jobs import PAIR, as_it_is, environment


class Later(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        ctx.timer_service().register_event_time_timer(value[1] + 100)
        yield value

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        yield ctx.get_current_key(), timestamp


class Stamped(ProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        yield f"{value[0]}{value[1]}@{ctx.timestamp()}"


class Second(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value[1])


def test_event_times_reach_an_operator_chained_behind_a_keyed_one(run: Any) -> None:
    env = environment(2)
    times = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    pairs = env.from_collection([("a", 5), ("a", 3), ("b", 7)], PAIR).assign_timestamps_and_watermarks(times)
    pairs.key_by(lambda v: v[0]).process(Later(), PAIR).process(Stamped(), Types.STRING()).print()
    printed = run(env.build("stamps")).order["print-1"]
    assert [line for line in printed if line[0] == "a"] == ["a3@3", "a5@5", "a103@103", "a105@105"]
    assert [line for line in printed if line[0] == "b"] == ["b7@7", "b107@107"]


def test_a_file_source_reads_the_folders_inside(run: Any, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "one.txt").write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "inside" / "two.txt").write_text("c\n", encoding="utf-8")
    (tmp_path / "inside" / ".hidden.txt").write_text("d\n", encoding="utf-8")
    env = environment(2)
    files = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path)).build()
    env.from_source(files, WatermarkStrategy.no_watermarks(), "files").map(as_it_is, Types.STRING()).print()
    assert sorted(run(env.build("files")).order["print-1"]) == ["a", "b", "c"]


def test_a_key_is_no_column_of_what_stands_behind_it(run: Any) -> None:
    env = environment(2)
    numbers = env.from_collection([1, 2, 3], Types.LONG())
    numbers.key_by(lambda n: n % 2).print()
    numbers.key_by(lambda n: n % 2).filter("value > 1").print()
    env.from_collection([1, 2, 3]).key_by(lambda n: n % 2).print()  # pickled
    done = run(env.build("keyed print"))
    assert done.printed == {
        "print-1": Counter(["1", "2", "3"]),
        "print-2": Counter(["2", "3"]),
        "print-3": Counter(["1", "2", "3"]),
    }


INNER = Types.ROW_NAMED(["x", "y"], [Types.INT(), Types.STRING()])
NESTED = Types.ROW_NAMED(
    ["row", "tuple", "rows", "map", "at", "exact", "bytes"],
    [
        INNER,
        Types.TUPLE([Types.INT(), Types.LIST(Types.TUPLE([Types.STRING()]))]),
        Types.LIST(INNER),
        Types.MAP(Types.STRING(), INNER),
        Types.INSTANT(),
        Types.BIG_DEC(),
        Types.PRIMITIVE_ARRAY(Types.BYTE()),
    ],
)
FULL = Row(
    row=Row(x=1, y=None),
    tuple=(1, [("z",)]),
    rows=[Row(x=2, y="ü"), None],
    map={"k": Row(y="v", x=3), "none": None},
    at=datetime.datetime(2024, 2, 29, 1, 2, 3),
    exact=decimal.Decimal("1.000000000000000001"),
    bytes=b"\x00\xff",
)


def _told(row: Any) -> str:
    if row.row is None:
        return "nothing"
    return f"{row.row.x} {row.tuple} {row.rows[0]['y']} {row.map['k'][0]} {row.at} {row.exact} {row.bytes!r}"


def test_rows_inside_records_go_through_exchanges_and_functions(run: Any) -> None:
    env = environment(2)
    rows = env.from_collection([FULL, Row(*[None] * 7)], NESTED)
    again = rows.map(lambda r: r, NESTED).rebalance().map(lambda r: r, NESTED)
    again.map(_told, Types.STRING()).print()
    again.map({"x": "row.x", "n": "size(rows)", "v": "map['k'].y"}).print()
    done = run(env.build("nested"))
    full = "1 (1, [('z',)]) ü 3 2024-02-29 01:02:03 1.000000000000000001 b'\\x00\\xff'"
    assert done.printed["print-1"] == Counter([full, "nothing"])
    assert done.printed["print-2"] == Counter(["+I[1, 2, v]", "+I[null, null, null]"])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Row(x=1.5, y=""), "a float is not a int32"),
        (Row(1), "1 fields where 2 are declared"),
        (Row(x=1), "its fields are .* where .* are declared"),
        ({"x": 1, "z": ""}, "its keys are"),
        ("text", "a str is not a row"),
    ],
)
def test_a_nested_value_that_does_not_fit_is_shown(run: Any, value: Any, said: str) -> None:
    env = environment(1)
    one = Types.ROW_NAMED(["inner"], [INNER])
    env.from_collection([1], Types.LONG()).map(lambda n: Row(inner=value), one).uid("culprit").print()
    with pytest.raises(ExecutionError, match=said) as caught:
        run(env.build("unfit"))
    assert caught.value.operator == "culprit"


WINDOW_FUNCTIONS = """
from planner import AggregateFunction, ProcessWindowFunction
class Mean(AggregateFunction):
    def create_accumulator(self):
        return (0, 0)
    def add(self, value, held):
        return (held[0] + value.v, held[1] + 1)
    def get_result(self, held):
        return held[0] / held[1]
class Sizes(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, len(list(elements))
def plus(a, b):
    return (a.k, a.at, a.v + b.v)
"""


def test_a_window_of_yaml_takes_every_kind_of_function(run: Any, tmp_path: Path) -> None:
    (tmp_path / "window_functions.py").write_text(WINDOW_FUNCTIONS)
    windowed = "type: window_reduce, input: in, key_by: k, window: {tumbling: 5s}, time: at, function"
    (tmp_path / "job.yaml").write_text(
        f"""
operators:
  - {{id: in, type: source, collection: [[a, 1000, 1], [a, 2000, 2], [a, 6000, 4]],
     schema: "k string, at bigint, v int"}}
  - {{id: sums, {windowed}: "./window_functions.py:plus"}}
  - {{id: means, {windowed}: "./window_functions.py:Mean", output: "value double"}}
  - {{id: sizes, {windowed}: "./window_functions.py:Sizes", output: "f0 string, f1 bigint, f2 bigint"}}
  - {{id: p1, type: print, input: sums}}
  - {{id: p2, type: print, input: means}}
  - {{id: p3, type: print, input: sizes}}
"""
    )
    assert run(load_job(tmp_path / "job.yaml")).order == {
        "p1": ["+I[a, 1000, 3]", "+I[a, 6000, 4]"],
        "p2": ["1.5", "4.0"],
        "p3": ["(a,0,2)", "(a,5000,1)"],
    }


class WhereAmI(MapFunction):
    def open(self, runtime_context: Any) -> None:
        index = runtime_context.get_index_of_this_subtask()
        self.place = f"{index} of {runtime_context.get_number_of_parallel_subtasks()}"

    def map(self, value: Any) -> str:
        return f"{value} in {self.place}"


def test_subtasks_are_numbered_by_operator_also_where_streams_unite(run: Any) -> None:
    env = environment(2)
    three = env.from_sequence(1, 3).set_parallelism(3)
    three = three.map(WhereAmI(), Types.STRING()).set_parallelism(3)
    two = env.from_sequence(4, 5).map(WhereAmI(), Types.STRING())
    one = env.from_sequence(6, 6).set_parallelism(1).map(WhereAmI(), Types.STRING()).set_parallelism(1)
    united = three.rescale().union(two.forward(), one.rebalance())
    united.map(as_it_is, Types.STRING()).print()
    done = run(env.build("numbers"))
    assert done.printed["print-1"] == Counter(
        ["1 in 0 of 3", "2 in 1 of 3", "3 in 2 of 3", "4 in 0 of 2", "5 in 1 of 2", "6 in 0 of 1"]
    )
    for vertex in done.result.vertices:
        assert sorted(one.subtask for one in vertex.subtasks) == list(range(vertex.parallelism))
