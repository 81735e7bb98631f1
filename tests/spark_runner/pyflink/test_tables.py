"""Tables that a script reads whole run: those of datagen and of from_elements."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from planner.errors import UnsupportedOnSpark
from spark_runner.executor.formats.generated import generator
from tests.support.pyflink_engine import EngineRun

HEAD = """\
import datetime
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment, TableDescriptor
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
t = StreamTableEnvironment.create(env)
def shown(v):
    return "; ".join(f"{n}={type(x).__name__} {x!r}" for n, x in zip(v._fields, v))
"""

ELEMENTS = """\
one = t.from_elements(
    [(1, 'Hello', 1.5, True, datetime.date(2024, 1, 2), [1, 2]), (2, None, 2.5, False, None, None)],
    ['id', 'data', 'x', 'b', 'd', 'a'])
t.to_data_stream(one).map(shown, Types.STRING()).print("@1")
two = t.from_elements([(1, 'Hello'), (2, 'World')], DataTypes.ROW(
    [DataTypes.FIELD("id", DataTypes.BIGINT()), DataTypes.FIELD("data", DataTypes.STRING())]))
t.to_append_stream(two, Types.ROW([Types.LONG(), Types.STRING()])).map(shown, Types.STRING()).print("@2")
t.to_retract_stream(two, Types.ROW([Types.LONG(), Types.STRING()])).map(str, Types.STRING()).print("@3")
t.to_changelog_stream(two).map(shown, Types.STRING()).print("@4")
t.to_data_stream(two).print("@5")
env.execute()
"""
# what PyFlink 2.3 printed for it
ELEMENTS_OF_FLINK = """\
@1> id=int 1; data=str 'Hello'; x=float 1.5; b=bool True; d=date datetime.date(2024, 1, 2); a=list [1, 2]
@1> id=int 2; data=NoneType None; x=float 2.5; b=bool False; d=NoneType None; a=NoneType None
@2> f0=int 1; f1=str 'Hello'
@2> f0=int 2; f1=str 'World'
@3> (True, Row(f0=1, f1='Hello'))
@3> (True, Row(f0=2, f1='World'))
@4> id=int 1; data=str 'Hello'
@4> id=int 2; data=str 'World'
@5> +I[1,Hello]
@5> +I[2,World]
"""


def _run(folder: Path, body: str, cuts: tuple[int, ...] | None = None) -> list[str]:
    script = folder / "script.py"
    script.write_text(HEAD + body)
    return EngineRun(cuts=cuts).run(script)


def _datagen(columns: str, options: str, use: str = "t.to_data_stream(t.from_path('g')).print()") -> str:
    return (
        f"t.execute_sql(\"CREATE TABLE g ({columns}) WITH ('connector'='datagen'{options})\")\n{use}\nenv.execute()\n"
    )


@pytest.mark.parametrize("cuts", [None, (1, 3)])
def test_elements_are_those_of_real_pyflink(cuts: tuple[int, ...] | None, tmp_path: Path) -> None:
    assert Counter(_run(tmp_path, ELEMENTS, cuts)) == Counter(ELEMENTS_OF_FLINK.splitlines())


@pytest.mark.parametrize("cuts", [None, (2,)])
def test_sequences_count_and_the_shortest_one_ends_the_table(cuts: tuple[int, ...] | None, tmp_path: Path) -> None:
    options = (
        ", 'number-of-rows'='9', 'fields.a.kind'='sequence', 'fields.a.start'='5', 'fields.a.end'='8',"
        " 'fields.s.kind'='sequence', 'fields.s.start'='1', 'fields.s.end'='100',"
        " 'fields.d.kind'='sequence', 'fields.d.start'='1', 'fields.d.end'='7'"
    )
    lines = _run(tmp_path, _datagen("a INT, s STRING, d DOUBLE", options), cuts)
    assert lines == ["+I[5,1,1.0]", "+I[6,2,2.0]", "+I[7,3,3.0]", "+I[8,4,4.0]"]


def test_random_values_keep_their_bounds(tmp_path: Path) -> None:
    columns = (
        "`i` INT, `s` STRING, `v` STRING, `c` CHAR(5), `n` INT, `d` DECIMAL(6, 2), `a` ARRAY<INT>,"
        " `m` MAP<STRING, BIGINT>, `r` ROW<x INT, y STRING>, `b` BOOLEAN, `t` TINYINT, `x` DOUBLE, `k` INT NOT NULL"
    )
    options = (
        ", 'number-of-rows'='200', 'fields.i.min'='3', 'fields.i.max'='5', 'fields.s.length'='6',"
        " 'fields.v.length'='8', 'fields.v.var-len'='true', 'fields.n.null-rate'='0.5',"
        " 'fields.r.x.min'='1', 'fields.r.x.max'='1'"
    )
    use = (
        "t.to_data_stream(t.from_path('g')).map(lambda r: repr((r.i, r.s, r.v, r.c, r.n, str(r.d), r.a, r.m, r.r.x,"
        " r.b, r.t, r.x, r.k)), Types.STRING()).print()"
    )
    rows = [eval(line) for line in _run(tmp_path, _datagen(columns, options, use))]
    assert len(rows) == 200
    assert {row[0] for row in rows} == {3, 4, 5}
    assert all(len(row[1]) == 6 and set(row[1]) <= set("0123456789abcdef") for row in rows)
    assert {len(row[2]) for row in rows} == set(range(1, 9))
    assert all(len(row[3]) == 5 for row in rows)
    assert 50 < sum(row[4] is None for row in rows) < 150
    assert all(row[5].partition(".")[2].isdigit() and abs(float(row[5])) < 10_000 for row in rows)
    assert all(len(row[6]) == 3 and len(row[7]) == 3 and row[8] == 1 for row in rows)
    assert {row[9] for row in rows} == {True, False}
    assert all(-128 <= row[10] < 128 and row[11] > 0 for row in rows)


def test_a_row_depends_on_its_number_only() -> None:
    """So that a batch that runs again gives the same rows."""
    field = generator(("random", 0.2, ("text", 20, True)))
    assert [field(number, Random(number)) for number in range(50)] == [
        field(number, Random(number)) for number in range(50)
    ]


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ("a INT", ", 'number-of-rows'='1', 'fields.a.kind'='sequence', 'fields.a.start'='1'", "no option fields.a.end"),
        ("a INT", ", 'number-of-rows'='1', 'fields.a.kind'='count'", "fields.a.kind=count"),
        ("a INT", ", 'fields.a.min'='9', 'fields.a.max'='1', 'number-of-rows'='1'", "above fields.a.max=1"),
        ("a INT, p AS a + 1", ", 'number-of-rows'='1'", "a column p AS a + 1"),
        ("a INTERVAL DAY", ", 'number-of-rows'='1'", "a column of type INTERVAL DAY"),
        ("a TIMESTAMP(3), WATERMARK FOR a AS a", ", 'number-of-rows'='1'", "watermarks of a table"),
    ],
)
def test_what_does_not_run_is_refused(columns: str, options: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedOnSpark, match=said.replace("+", r"\+")):
        _run(tmp_path, _datagen(columns, options))
