"""Messages as Flink's own schemas read and write them: the expected bytes and rows are those of Flink 2.3's classes."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from planner.frontends.python.values.rows import Row
from planner.frontends.python.values.types import Types
from spark_runner.executor.formats.avro_rows import avro_reader, avro_writer
from spark_runner.executor.formats.csv_rows import csv_reader, csv_writer
from spark_runner.executor.formats.json_rows import json_reader, json_writer
from spark_runner.lowering.scripts.forms import form_of

JSON = form_of(
    Types.ROW_NAMED(
        ["i", "s", "d", "f", "b", "l", "dec", "dt", "tm", "ts"],
        [
            Types.INT(), Types.STRING(), Types.DOUBLE(), Types.DOUBLE(), Types.BOOLEAN(), Types.LONG(),
            Types.BIG_DEC(), Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP(),
        ],
    )
)  # fmt: skip
CSV = form_of(
    Types.ROW_NAMED(
        ["i", "s", "d", "b", "a", "ts", "dt"],
        [
            Types.INT(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.BASIC_ARRAY(Types.STRING()),
            Types.SQL_TIMESTAMP(), Types.SQL_DATE(),
        ],
    )
)  # fmt: skip
DAY, CLOCK = datetime.date(2020, 2, 29), datetime.time(1, 2, 3)
MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, 123000)


def test_rows_are_written_as_json() -> None:
    write = json_writer(JSON, {})
    full = Row(1, 'a"ü\n\x01/', 1.0, 0.1, True, 2**40, Decimal("1.50"), DAY, CLOCK, MOMENT)
    assert write(full) == (
        b'{"i":1,"s":"a\\"\xc3\xbc\\n\\u0001/","d":1.0,"f":0.1,"b":true,"l":1099511627776,"dec":1.50,'
        b'"dt":"2020-02-29","tm":"01:02:03Z","ts":"2020-01-02T03:04:05.123Z"}'
    )
    sparse = Row(None, None, 1e10, 1e20, None, 2**41, Decimal("1E+3"), None, None, MOMENT.replace(microsecond=0))
    assert write(sparse) == (
        b'{"i":null,"s":null,"d":1.0E10,"f":1.0E20,"b":null,"l":2199023255552,"dec":1000,"dt":null,"tm":null,'
        b'"ts":"2020-01-02T03:04:05Z"}'
    )


N = None


@pytest.mark.parametrize(
    ("message", "plain", "lenient"),
    [
        (
            '{"i":"7","s":5,"d":"1.5","f":2,"b":"true","l":1.9,"dec":1.50,"dt":"2020-02-29","tm":"01:02:03Z",'
            '"ts":"2020-01-02T03:04:05.123Z"}',
            [7, "5", 1.5, 2.0, True, 1, Decimal("1.5"), DAY, CLOCK, MOMENT],
            [7, "5", 1.5, 2.0, True, 1, Decimal("1.5"), DAY, CLOCK, MOMENT],
        ),
        (
            '{"i":1.7,"s":{"a":[1, 2.50]},"d":null,"b":1,"l":"x"}',
            "fails",
            [1, '{"a":[1,2.5]}', N, N, False, N, N, N, N, N],
        ),
        ('{"i":1}', [1, N, N, N, N, N, N, N, N, N], [1, N, N, N, N, N, N, N, N, N]),
        ("[1]", "fails", None),
        ("x", "fails", None),
        ("", "fails", None),
        ('{"s":1.0,"i":99999999999}', "fails", [N, "1", N, N, N, N, N, N, N, N]),
        ('{"s":true,"i":true}', "fails", [N, "true", N, N, N, N, N, N, N, N]),
        ('{"s":1e3}', [N, "1E+3", N, N, N, N, N, N, N, N], [N, "1E+3", N, N, N, N, N, N, N, N]),
        ('{"ts":"2020-01-02 03:04:05"}', "fails", [N] * 10),
        ('{"tm":"01:02:03"}', "fails", [N] * 10),
        ('{"f":"1e2", "s":[]}', [N, "[]", N, 100.0, N, N, N, N, N, N], [N, "[]", N, 100.0, N, N, N, N, N, N]),
    ],
)
def test_rows_are_read_from_json(message: str, plain: Any, lenient: Any) -> None:
    assert read_by(json_reader(JSON, {}), message) == plain
    assert read_by(json_reader(JSON, {"lenient": True}), message) == lenient


def read_by(read: Any, message: str) -> Any:
    try:
        row = read(message.encode())
    except (ValueError, TypeError, ArithmeticError):
        return "fails"
    return None if row is None else list(row)


def test_a_missing_field_may_be_a_fault() -> None:
    assert read_by(json_reader(JSON, {"strict": True}), '{"i":1}') == "fails"


TAIL = b',1.5,true,"p;q r","2020-01-02 03:04:05.123",2020-02-29\n'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a", b"a"), ("a b", b'"a b"'), ('q"r', b'"q""r"'), ("x,y", b'"x,y"'), ("", b""), ("a-b", b"a-b"),
        ("abcdefghijklmnopqrstuvwxyz", b'"abcdefghijklmnopqrstuvwxyz"'), ("#x", b'"#x"'), ("a'b", b'"a\'b"'),
        ("line\nbreak", b'"line\nbreak"'), ("a;b", b"a;b"), ("é", b"\xc3\xa9"), ("a/b:c", b"a/b:c"),
    ],
)  # fmt: skip
def test_rows_are_written_as_csv(text: str, written: bytes) -> None:
    assert csv_writer(CSV, {})(Row(1, text, 1.5, True, ["p", "q r"], MOMENT, DAY)) == b"1," + written + TAIL


@pytest.mark.parametrize("names", [("f0", "f1"), ("Desc", "tag")])
def test_a_schema_names_the_fields_of_a_row_by_their_position(names: tuple[str, str]) -> None:
    """Real Flink 2.3: a record has its type's names where it reaches a sink, and the schema does not look at them."""
    form = form_of(Types.ROW_NAMED(["tag", "Desc"], [Types.STRING(), Types.STRING()]))
    row = Row("a", "b")
    row.set_field_names(list(names))
    assert json_writer(form, {})(row) == b'{"tag":"a","Desc":"b"}'
    assert csv_writer(form, {})(row) == b"a,b\n"


def test_csv_has_its_own_delimiters_and_nulls() -> None:
    options = {"delimiter": ";", "elements": ":", "null": "n/a", "line": "\r\n"}
    write = csv_writer(CSV, options)
    row = Row(1, "a-b", 1.5, True, ["p", "q r"], MOMENT, DAY)
    assert write(row) == b'1;"a-b";1.5;true;"p:q r";"2020-01-02 03:04:05.123";"2020-02-29"\r\n'
    assert write(Row(*[None] * 7)) == b"n/a;n/a;n/a;n/a;n/a;n/a;n/a\r\n"
    assert csv_writer(CSV, {"quote": None})(row).startswith(b"1,a-b,1.5,true,p;q r,2020-01-02 03:04:05.123,")


WHOLE = MOMENT.replace(microsecond=0)


@pytest.mark.parametrize(
    ("message", "plain", "lenient"),
    [
        (
            "1,ab,1.5,true,p;q,2020-01-02 03:04:05.123,2020-02-29",
            [1, "ab", 1.5, True, ["p", "q"], MOMENT, DAY],
            [1, "ab", 1.5, True, ["p", "q"], MOMENT, DAY],
        ),
        (
            '1,"a""b",1.5,True, p;q,2020-01-02 03:04:05,2020-02-29',
            [1, 'a"b', 1.5, True, [" p", "q"], WHOLE, DAY],
            [1, 'a"b', 1.5, True, [" p", "q"], WHOLE, DAY],
        ),
        (" 1 , ab , 1.5, true,,,", "fails", [1, " ab ", 1.5, True, [], None, None]),
        ("1,ab", "fails", [1, "ab", None, None, None, None, None]),
        ("n/a,n/a,n/a,n/a,n/a,n/a,n/a", "fails", [None, None, None, None, [None], None, None]),
        (
            "x,ab,1.5,true,p,2020-01-02 03:04:05,2020-02-29",
            "fails",
            [None, "ab", 1.5, True, ["p"], WHOLE, DAY],
        ),
        ("1,ab,1.5,true,p;q,2020-01-02T03:04:05,2020-02-29,extra", "fails", None),
        (
            "1,ab,1,0,p,2020-01-02 03:04:05,2020-02-29\n",
            [1, "ab", 1.0, False, ["p"], WHOLE, DAY],
            [1, "ab", 1.0, False, ["p"], WHOLE, DAY],
        ),
    ],
)
def test_rows_are_read_from_csv(message: str, plain: Any, lenient: Any) -> None:
    assert read_by(csv_reader(CSV, {}), message) == plain
    assert read_by(csv_reader(CSV, {"null": "n/a", "lenient": True}), message) == lenient


def test_rows_go_through_avro() -> None:
    schema = {
        "type": "record", "name": "r", "fields": [
            {"name": "id", "type": "int"},
            {"name": "word", "type": ["null", "string"]},
            {"name": "many", "type": {"type": "array", "items": "long"}},
            {"name": "by", "type": {"type": "map", "values": "double"}},
            {"name": "kind", "type": {"type": "enum", "name": "k", "symbols": ["A", "B"]}},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "inner", "type": {"type": "record", "name": "i", "fields": [{"name": "on", "type": "boolean"}]}},
        ],
    }  # fmt: skip
    row = Row(-3, "ü", [1, 2**40], {"a": 0.5}, "B", MOMENT, Row(True))
    written = avro_writer(schema)(row)
    assert written.startswith(b"\x05\x02\x04\xc3\xbc\x04\x02")  # zigzag -3, second branch, two bytes, two items
    assert list(avro_reader(schema, Row)(written))[:6] == list(row)[:6]
    assert list(avro_reader(schema, Row)(written)[6]) == [True]
    assert avro_reader(schema, Row)(avro_writer(schema)(Row(1, None, [], {}, "A", MOMENT, Row(False))))[1] is None
