"""Numbers and nested records as Java prints them."""

from __future__ import annotations

from typing import Any

import pytest

from spark_runner.executor.formats.java_text import java_text


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1e7, ("double",), "1.0E7"),
        (9999999.5, ("double",), "9999999.5"),
        (0.001, ("double",), "0.001"),
        (0.00099, ("double",), "9.9E-4"),
        (-120.0, ("double",), "-120.0"),
        (0.0, ("double",), "0.0"),
        (123456789.125, ("double",), "1.23456789125E8"),
        (float("inf"), ("double",), "Infinity"),
        (float("nan"), ("double",), "NaN"),
        (1.100000023841858, ("float",), "1.1"),
        (None, ("str",), "null"),
        ({"a": [True]}, ("map", ("str",), ("list", ("bool",))), "{a=[true]}"),
        (("a", (1, None)), ("tuple", (("str",), ("tuple", (("int",), ("str",))))), "(a,(1,null))"),
    ],
)
def test_as_java_prints_it(value: Any, form: tuple[Any, ...], text: str) -> None:
    assert java_text(value, form) == text
