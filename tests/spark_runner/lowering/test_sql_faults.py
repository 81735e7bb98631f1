"""Wrong SQL, types and formats are found without Spark, and nothing that Spark takes is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.lowering.columns import check_columns
from spark_runner.lowering.sql_faults import expression_fault, format_fault, types_fault
from spark_runner.lowering.sql_functions import FUNCTIONS

WRONG = {
    "": "it is empty",
    "upper(k": "a ( is never closed",
    "upper(k))": "a ) closes nothing",
    "a[0)": "a ) closes nothing",
    "k = 'x": "the quote ' is never closed",
    "`k": "the quote ` is never closed",
    "v >": "a value is missing after >",
    "(v +) * 2": "a value is missing after +",
    "v > < 2": "a value is missing after >",
    "v >>": "a value is missing after >>",
    "= v": "a value is missing before =",
    "k and": "a value is missing after AND",
    "concat(k, )": "a value is missing beside a comma",
    "concat(, k)": "a value is missing beside a comma",
    "v; drop table t": "a ; does not belong in an expression",
    "uper(k)": "Spark has no function 'uper'",
    "cast(v as strng)": "there is no type 'strng'",
    "v :: bigin": "there is no type 'bigin'",
}


@pytest.mark.parametrize("sql", WRONG)
def test_what_is_surely_wrong_is_named(sql: str) -> None:
    fault = expression_fault(sql)
    assert fault is not None and fault[0] == WRONG[sql]


@pytest.mark.parametrize(
    ("ddl", "said"),
    [
        ("k strng, v double", "the column 'k' has the unknown type 'strng'"),
        ("k string v", "the column 'k': there is more after its type: v"),
        ("k", "the column 'k' has no type"),
        ("k string, v", "the column 'v' has no type"),
        ("k array<strng>", "the column 'k' has the unknown type 'strng'"),
        ("k array", "the column 'k': array needs its types in <>"),
        ("k struct<a: int, b: map<string, lng>>", "the column 'b' has the unknown type 'lng'"),
    ],
)
def test_types_that_there_are_not(ddl: str, said: str) -> None:
    fault = types_fault(ddl)
    assert fault is not None and fault[0] == said


RIGHT_TYPES = [
    "k string, v double",
    "`odd name` decimal(10, 2) not null, t timestamp_ntz",
    "a array<struct<x: int, y: map<string, array<bigint>>>>, b binary comment 'raw'",
    "a: int, b: string",
    "i interval day to second, j interval year to month, n varchar(5), l long",
    "bigint",
]


@pytest.mark.parametrize("ddl", RIGHT_TYPES)
def test_types_that_there_are(ddl: str) -> None:
    assert types_fault(ddl) is None


def test_formats() -> None:
    assert format_fault("cvs") == ("Spark has no format 'cvs'", "did you mean `csv`?")
    assert format_fault("csv") is format_fault("Parquet") is format_fault("com.example.Source") is None


def test_a_job_is_refused_at_the_operators_line_unless_packages_may_help(tmp_path: Path) -> None:
    job = tmp_path / "job.yaml"
    source = 'id: in, type: source, format: json, path: events.json, schema: "k string"'
    job.write_text(f'operators:\n  - {{{source}}}\n  - {{id: x, type: filter, input: in, where: "is_good(k)"}}\n')
    made = plan(load_job(job))
    with pytest.raises(JobDefinitionError, match="operator 'x': 'is_good\\(k\\)' is not valid SQL") as refused:
        check_columns(made)
    assert refused.value.location is not None and refused.value.location.line == 3
    check_columns(made, packages=True)


@pytest.mark.spark
def test_the_functions_are_those_of_spark(spark: Any) -> None:
    listed = {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    assert {name for name in listed if re.fullmatch(r"\w+", name)} == FUNCTIONS


@pytest.mark.spark
def test_no_example_of_sparks_own_is_refused(spark: Any) -> None:
    """Spark's documentation has examples of every function."""
    looked_at, refused = 0, []
    for name in sorted(FUNCTIONS):
        shown = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect())
        for statement in re.findall(r"> SELECT (.+?);\s*$", shown, re.MULTILINE | re.DOTALL):
            expression = re.split(r"(?i)\sFROM\s+(?:VALUES|\(|range)|\sLATERAL\s", statement)[0]
            looked_at += 1
            if expression_fault(expression) is not None:
                refused.append((name, expression, expression_fault(expression)))
    assert looked_at > 500
    assert refused == []


@pytest.mark.spark
def test_what_is_refused_is_refused_by_spark_too(spark: Any) -> None:
    rows = spark.createDataFrame([("a", 1)], "k string, v bigint")
    for sql in WRONG:
        if sql == "k and":  # Spark takes it for a column k with the name `and`, which nobody means
            continue
        with pytest.raises(Exception, match=r"\[[A-Z_.]+\]|SQLSTATE"):
            rows.selectExpr(sql)
