"""Compiled functions next to their Python originals, on the same records: for tests of `spark_runner/native`."""

from __future__ import annotations

import itertools
import linecache
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from planner.job import Select, Where
from spark_runner.executor.records import UnfitRecord, encode
from spark_runner.executor.rows import form_of, row_class
from spark_runner.native.compilation import Column, compile_function
from spark_runner.program.native_function import NativeFunction

RAISES = "raises"  # what Python does with a record, or that Spark leaves the record to Python
_numbers = itertools.count()


def columns(ddl: str) -> list[Column]:
    """Columns by their DDL; the types have no commas in them."""
    return [Column(name=name, type=kind) for name, kind in (part.split() for part in ddl.split(","))]


def function_of(source: str, **around: Any) -> Callable[[Any], Any]:
    """A function from its source, which can be read again as that of a job's file can."""
    file = f"<native test {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = dict(around)
    exec(compile(source, file, "exec", dont_inherit=True), names)
    function: Callable[[Any], Any] = names["function"]
    return function


def compiled(kind: str, function: Any, read: str, output: str | None = None) -> NativeFunction:
    """A function as SQL."""
    return compile_function(kind, function, columns(read), columns(output or read), operator="tested", trusted=True)


def record_of(values: Sequence[Any], ddl: str) -> Any:
    """A record as functions get it."""
    names = tuple(column.name for column in columns(ddl))
    form = form_of(names)
    if form == "value":
        return values[0]
    return tuple(values) if form == "tuple" else tuple.__new__(row_class(names), values)


def in_python(kind: str, function: Callable[[Any], Any], record: Any, schema: Any) -> Any:
    """What Python makes of a record: a list of rows of plain values, or RAISES."""
    try:
        made = function(record)
        if kind == "filter":
            return ["kept"] if made else []
        given = list(made) if kind == "flat_map" else [made]
        arrays = encode(given, schema)
        return [tuple(map(comparable, row)) for row in zip(*(one.to_pylist() for one in arrays), strict=True)]
    except (Exception, UnfitRecord):
        return RAISES


def comparable(value: Any) -> Any:
    """A value that equals itself, also where it is not a number, and differs from values of other types."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else ("float", value, math.copysign(1, value))
    return (type(value).__name__, value)


def in_spark(natives: Sequence[NativeFunction], frame: Any) -> list[dict[int, Any]]:
    """What Spark makes of the records of a frame with functions of a map, by their column `__id`: as `in_python`."""
    from pyspark.sql import functions as F

    made = []
    for number, native in enumerate(natives):
        *guards, select = native.steps
        assert isinstance(select, Select)
        tests = [F.expr(_unraised(step)) for step in guards if isinstance(step, Where)]
        values = F.struct(*(F.expr(sql).alias(name) for name, sql in select.columns))
        made.append((F.when(tests[0], values) if tests else values).alias(f"n{number}"))
    rows = frame.select("__id", *made).collect()
    return [{row[0]: _row(row[1 + number]) for row in rows} for number in range(len(natives))]


def _unraised(guard: Where) -> str:
    """A condition that is NULL where it would raise: one record must not end the test of the others."""
    return re.sub(r"CAST\(raise_error\('[^']*'\) AS BOOLEAN\)", "NULL", guard.condition)


def _row(values: Any) -> Any:
    return RAISES if values is None else [tuple(map(comparable, values))]
