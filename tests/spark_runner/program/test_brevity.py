"""Which runs get a JVM that starts soon."""

from __future__ import annotations

from typing import Any

import pytest

from planner import load_job_data
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import brief_options
from spark_runner.lowering.lower import lower
from spark_runner.program.brevity import is_brief


def brief(*operators: dict[str, Any], records: int = 3) -> bool:
    source = {"id": "numbers", "type": "source", "collection": [[n] for n in range(records)], "schema": "n bigint"}
    rest = [{"id": f"o{n}", "input": f"o{n - 1}" if n else "numbers", **one} for n, one in enumerate(operators)]
    sink = {"id": "out", "type": "print", "input": rest[-1]["id"] if rest else "numbers"}
    return is_brief(lower(plan(load_job_data({"name": "j", "operators": [source, *rest, sink]}))))


def test_few_records_of_the_jobs_own_file_are_brief() -> None:
    assert brief()
    assert brief({"type": "flat_map", "explode": "split(n, ',')", "as": "n"})
    assert not brief(records=10_001)


@pytest.mark.parametrize("sql", ["sequence(1, n)", "array_repeat(n, 100)", "split(REPEAT ('a,', n), ',')"])
def test_sql_that_makes_many_out_of_one_is_not(sql: str) -> None:
    assert not brief({"type": "flat_map", "explode": sql, "as": "n"})
    assert not brief({"type": "map", "select": {"n": sql}})


def test_files_are_not() -> None:
    source = {"id": "a", "type": "source", "format": "parquet", "path": "x", "schema": "n bigint"}
    job = {"name": "j", "operators": [source, {"id": "out", "type": "print", "input": "a"}]}
    assert not is_brief(lower(plan(load_job_data(job))))


def test_options_that_somebody_chose_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    request = RunRequest(job="j.yaml", folder=".")
    assert brief_options(request)
    chosen = (("spark.driver.extraJavaOptions", "-XX:+UseG1GC"),)
    assert not brief_options(RunRequest(job="j.yaml", folder=".", conf=chosen))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+UseZGC")
    assert not brief_options(request)
