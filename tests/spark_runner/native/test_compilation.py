"""What is compiled and what is not, without Spark."""

from __future__ import annotations

from typing import Any

import pytest

from planner import MapFunction
from spark_runner.native.values import NotNative
from tests.support.native_functions import compiled, function_of

COLUMNS = "a bigint,b int,s string,d double,when timestamp,count bigint"
LIMIT = 3
CHANGED = 4


def change() -> None:
    global CHANGED
    CHANGED += 1


def half(number: int) -> int:
    return number // 2


def sql(kind: str, function: Any, read: str = COLUMNS, output: str | None = None) -> str:
    return " | ".join(str(step) for step in compiled(kind, function, read, output).steps)


def refusal(kind: str, function: Any, read: str = COLUMNS, output: str | None = None) -> str:
    with pytest.raises(NotNative) as refused:
        compiled(kind, function, read, output)
    return str(refused.value)


def test_fields_by_name_position_and_attribute() -> None:
    for function in (lambda r: r.a > 1, lambda r: r["a"] > 1, lambda r: r[0] > 1):
        assert "(`a` > 1L)" in sql("filter", function)


def test_constants_and_functions_around_it() -> None:
    limit = 5
    assert "3L" in sql("filter", lambda r: r.a > LIMIT)
    assert "5L" in sql("filter", lambda r: r.a > limit)
    assert "DIV 2L" in sql("map", lambda r: half(r.a), output="value bigint")
    assert "CHANGED" in refusal("filter", lambda r: r.a > CHANGED)


def test_two_lambdas_on_a_line_are_told_apart() -> None:
    first, second = (lambda r: r.a > 1), (lambda r: r.a > 2)
    assert "1L" in sql("filter", first) and "2L" in sql("filter", second)


def test_whole_numbers_that_cannot_overflow_are_not_guarded() -> None:
    assert not compiled("map", lambda n: len(str(n)) + 1, "value int", "value bigint").guarded
    assert "(CAST(`value` AS BIGINT) * 1000L)" in sql("map", lambda n: n * 1000, "value int", "value bigint")
    assert "try_multiply" in sql("map", lambda n: n * 1000, "value bigint", "value bigint")


def test_what_is_assigned_must_hold_even_where_it_is_not_used() -> None:
    function = function_of("def function(r):\n    unused = 1 // r.a\n    return 5\n")
    assert "nullif(`a`, 0L)" in sql("map", function, output="value bigint")


def test_a_list_of_parts_is_one_row_for_each() -> None:
    assert "Explode" in sql("flat_map", lambda line: line.split(","), "value string")
    words = function_of(
        "def function(line):\n    for word in line.split():\n        if word:\n            yield word, 1\n"
    )
    assert "Explode" in sql("flat_map", words, "value string", "f0 string,f1 bigint")
    assert "array(struct" in sql("flat_map", lambda n: [n, n + 1], "value bigint")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("function = lambda r: hash(r.a) > 1", "hash()"),
        ("function = lambda r: print(r)", "print()"),
        ("import random\nfunction = lambda r: random.random() > r.d", "random"),
        ("function = lambda r: r.missing > 1", "attribute missing"),
        ("function = lambda r: r.count > 1", "not the field"),
        ("function = lambda r: r.when", "timestamp"),
        ("function = lambda r: r.s.title() == 'A'", ".title()"),
        ("function = lambda r: f'{r.d}' == ''", "float"),
        ("function = lambda r: r.s == r.a", "compares"),
        ("function = lambda r: r.d % 2 == 0", "floats"),
        ("function = lambda r: r.a in [x for x in (1, 2)]", "only Python"),
        ("def function(r):\n    while r.a:\n        pass\n", "line 2"),
        ("def function(r):\n    try:\n        return r.a > 1\n    except TypeError:\n        return False\n", "line 2"),
        ("seen = []\nfunction = lambda r: r.a in seen", "might change"),
        ("function = lambda r, *more: r.a > 1", "parameters with *"),
        ("function = lambda r: (r.a if r.b else r.s) == 1", "different types"),
        ("def function(r):\n    x = y\n    y = 1\n    return x\n", "before it has a value"),
    ],
)  # fmt: skip
def test_what_is_not_the_same_in_spark_stays_in_python(source: str, reason: str) -> None:
    assert reason in refusal("filter", function_of(source))


def test_what_does_not_fit_its_declared_type_stays_in_python() -> None:
    assert "2 columns" in refusal("map", lambda n: n, "value bigint", "f0 bigint,f1 bigint")
    assert "str" in refusal("map", lambda n: str(n), "value bigint", "value bigint")


def test_objects_and_functions_without_source_stay_in_python() -> None:
    class Keeps(MapFunction):
        def map(self, value: int) -> int:
            return value

    assert "object" in refusal("map", Keeps(), "value bigint")
    names: dict[str, Any] = {}
    exec("function = lambda n: n", names)
    assert "source" in refusal("map", names["function"], "value bigint")


def test_the_methods_of_text_themselves() -> None:
    assert "lower(`value`)" in sql("map", str.lower, "value string")
    assert "char_length" in sql("map", len, "value string", "value bigint")
