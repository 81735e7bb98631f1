"""Native functions against Python itself: random functions, random records, and the same answer for each of them.

Where Python raises, Spark must leave the record to Python; it may do so elsewhere too, but never give another answer.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.native_functions import RAISES, compiled, function_of, in_python, in_spark, record_of

COLUMNS = "a bigint,b int,s string,t string,d double,e boolean"
TYPES = [pa.int64(), pa.int32(), pa.string(), pa.string(), pa.float64(), pa.bool_()]
OUTPUTS = {"int": ("bigint", pa.int64()), "float": ("double", pa.float64()), "str": ("string", pa.string())}
OUTPUTS |= {"bool": ("boolean", pa.bool_()), "small": ("int", pa.int32()), "number": ("double", pa.float64())}
EDGES = [0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63)]
WORDS = [
    "",
    "a",
    "A,b,,c",
    " x y ",
    "Straße",
    "İΣ ΑΣ",
    "😀a😀",
    "12",
    "-5",
    "007",
    "1.5",
    " 9 ",
    "\xa0q",
    "1_0",
    "٣",
    "a\tb\nc",
]

integers = st.sampled_from(EDGES) | st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20)
texts = st.sampled_from(WORDS) | st.text(max_size=6)
records = st.tuples(
    st.none() | integers,
    st.none() | st.sampled_from([0, 1, -1, 7, 2**31 - 1, -(2**31)]),
    st.none() | texts,
    st.none() | texts,
    st.none() | st.floats(width=64),
    st.none() | st.booleans(),
)


def _filled(template: str, *parts: Any) -> Any:
    return st.tuples(*parts).map(lambda found: template.format(*found))


pieces = st.sampled_from([",", "a", "x", "ab", " ", ".", "😀", "|", "é", "\\"]).map(repr)
places = st.sampled_from([0, 1, 2, -1, -2, -3])
ends = st.sampled_from(["", 0, 1, 2, 5, -1, -3])
orders = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
numbers: Any = st.deferred(
    lambda: (
        st.sampled_from(["r.a", "r.b", "r['a']", "r[1]", "0", "1", "-3", "10", "4611686018427387904"])
        | _filled("({} {} {})", numbers, st.sampled_from(["+", "-", "*", "//", "%"]), numbers)
        | _filled("{}({}, {})", st.sampled_from(["min", "max"]), numbers, numbers)
        | _filled("{}({})", st.sampled_from(["-", "abs"]), numbers)
        | _filled("{}({})", st.sampled_from(["len", "int"]), words)
        | _filled("int({})", floats)
        | _filled("({} if {} else {})", numbers, tests, numbers)
        | _filled("({} {} {})", numbers, st.sampled_from(["and", "or"]), numbers)
        | _filled("{}.find({})", words, pieces)
        | _filled("len({}.split({}))", words, pieces)
    )
)
floats: Any = st.deferred(
    lambda: (
        st.sampled_from(["r.d", "1.5", "0.0", "1e300"])
        | _filled("({} {} {})", floats, st.sampled_from(["+", "-", "*", "/"]), floats | numbers)
        | _filled("({} / {})", numbers, numbers)
        | _filled("float({})", numbers | floats | words)
        | _filled("({} if {} else {})", floats, tests, floats)
    )
)
words: Any = st.deferred(
    lambda: (
        st.sampled_from(["r.s", "r.t", "''", "'é'", "'x,y'"])
        | _filled("({} + {})", words, words)
        | _filled("{}.{}()", words, st.sampled_from(["lower", "upper", "strip", "lstrip", "rstrip"]))
        | _filled("{}.{}({})", words, st.sampled_from(["strip", "lstrip", "removeprefix", "removesuffix"]), pieces)
        | _filled("{}[{}]", words, places)
        | _filled("{}[{}:{}]", words, ends, ends)
        | _filled("{}.replace({}, {})", words, pieces, words)
        | _filled("{}.split({})[{}]", words, pieces, places)
        | _filled("{}.split()[{}]", words, places)
        | _filled("str({})", numbers | words | tests)
        | st.just("f'{r.a}-{r.s}{r.e}'")
        | _filled("({} if {} else {})", words, tests, words)
    )
)
tests: Any = st.deferred(
    lambda: (
        st.sampled_from(["r.e", "r.a is None", "r.s is not None", "r.d == r.d"])
        | _filled("({} {} {})", numbers, orders, numbers)
        | _filled("({} {} {})", floats, orders, floats | numbers)
        | _filled("({} {} {})", words, orders, words)
        | _filled("({} {} {})", tests, st.sampled_from(["and", "or"]), tests)
        | _filled("(not {})", tests | numbers | words | floats)
        | _filled("({} in (1, 7, {}))", numbers, numbers)
        | _filled("({} in {})", words, words)
        | _filled("{}.{}({})", words, st.sampled_from(["startswith", "endswith"]), words)
        | _filled("{}.{}()", words, st.sampled_from(["isdigit", "isalpha", "isalnum"]))
        | _filled("({} < {} <= {})", numbers, numbers, numbers)
    )
)
kinds = {"int": numbers, "float": floats, "str": words, "bool": tests, "small": numbers, "number": numbers}
functions = st.sampled_from(sorted(kinds)).flatmap(
    lambda kind: st.tuples(
        st.just(kind),
        _filled("function = lambda r: {}\n", kinds[kind])
        | _filled(
            "def function(r):\n    x = {}\n    if {}:\n        return {}\n    x += 1\n    return {} if x else {}\n",
            numbers, tests, kinds[kind], kinds[kind], kinds[kind],
        ),
    )
)  # fmt: skip


def frame_of(spark: Any, rows: list[tuple[Any, ...]]) -> Any:
    names = [part.split()[0] for part in COLUMNS.split(",")]
    arrays = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(TYPES)]
    table = pa.Table.from_arrays([*arrays, pa.array(range(len(rows)))], names=[*names, "__id"])
    return spark.createDataFrame(table).repartition(1)  # behind an exchange, so that Spark compiles what follows


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(functions, min_size=12, max_size=12), st.lists(records, min_size=25, max_size=25))
def test_random_functions_on_random_records(
    spark: Any, sources: list[tuple[str, str]], rows: list[tuple[Any, ...]]
) -> None:
    made, originals = [], []
    for kind, source in sources:
        function, (ddl, arrow) = function_of(source), OUTPUTS[kind]
        made.append(compiled("map", function, COLUMNS, f"value {ddl}"))
        originals.append((source, function, pa.schema([pa.field("value", arrow)])))
    for answers, (source, function, schema) in zip(in_spark(made, frame_of(spark, rows)), originals, strict=True):
        for number, row in enumerate(rows):
            if answers[number] != RAISES:
                expected = in_python("map", function, record_of(row, COLUMNS), schema)
                assert (source, row, answers[number]) == (source, row, expected)


def test_what_is_plain_is_not_left_to_python(spark: Any) -> None:
    sources = [
        ("int", "function = lambda r: r.a * 2 + len(r.s) - r.b // 3 % 5"),
        ("str", "function = lambda r: f'{r.s.strip().upper()}-{r.a}' if r.e else r.t[1:3] + r.s.split(',')[0]"),
        ("bool", "function = lambda r: r.a > 3 and r.s in r.t or not r.d < 0.5"),
        ("float", "function = lambda r: (r.d + r.a) / 4 if r.b else float(r.b)"),
        ("int", "def function(r):\n    first, second = r.s.split(',')\n    return int(second) + r.a"),
    ]
    rows = [(n, n % 7 - 3, f"w{n},{n}", "x" * (n % 4), n / 3, n % 2 == 0) for n in range(-20, 20)]
    made = [compiled("map", function_of(source), COLUMNS, f"value {OUTPUTS[kind][0]}") for kind, source in sources]
    for (kind, source), answers in zip(sources, in_spark(made, frame_of(spark, rows)), strict=True):
        schema, function = pa.schema([pa.field("value", OUTPUTS[kind][1])]), function_of(source)
        for number, row in enumerate(rows):
            assert answers[number] == in_python("map", function, record_of(row, COLUMNS), schema), (source, row)
            assert answers[number] != RAISES
