"""Which runs get a JVM that starts soon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner import StreamExecutionEnvironment, load_job, load_job_data
from planner.job import Location
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import brief_options
from spark_runner.lowering.lower import lower
from spark_runner.program.brevity import is_brief
from spark_runner.runs.preparation import prepare_job
from spark_runner.streaming.control import slice_size


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


def test_small_files_are_and_large_ones_are_not(tmp_path: Path) -> None:
    def brief_file() -> bool:
        source = {"id": "a", "type": "source", "format": "text", "path": "in", "schema": "value string"}
        job = {"name": "j", "operators": [source, {"id": "out", "type": "print", "input": "a"}]}
        return is_brief(lower(plan(load_job_data(job, Location(str(tmp_path / "job.yaml"), 1)))))

    assert not brief_file()  # nothing is known of them
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a\n")
    assert brief_file()
    (tmp_path / "in" / "b.txt").write_bytes(b"x" * 2_000_000)
    assert not brief_file()


SCRIPT = """
from pyflink.common import Duration, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat
env = StreamExecutionEnvironment.get_execution_environment()
env.from_source(FileSource.for_record_stream_format(StreamFormat.text_line_format(), "in").build(),
                WatermarkStrategy.no_watermarks(), "lines").map(str.upper).print()
env.execute()
"""


def test_python_does_the_work_of_scripts_and_streams(tmp_path: Path) -> None:
    """Files of some megabytes are little for a JVM that only hands lines over, unless nobody knows of an end."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.txt").write_bytes(b"x" * 2_000_000)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    for mode in ("batch", "streaming"):
        request = RunRequest(job=str(script), folder=str(tmp_path), master="local[1]", mode=mode)
        program = prepare_job(load_job(str(script)), request).program
        assert is_brief(program)
        assert not is_brief(program, endless=True)


def test_slices_hold_as_many_records_as_memory_does() -> None:
    def size(records: list[object]) -> int:
        env = StreamExecutionEnvironment()
        env.from_collection(records).map(str).print()
        return slice_size(lower(plan(env.build()), "streaming").chunks)

    assert size([]) == size([1, 2, 3]) == 500_000
    assert size(["x" * 1_000] * 1_000) == pytest.approx(33_000, rel=0.05)
    assert size(["x" * 1_000_000]) == 1_000


def test_options_that_somebody_chose_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    request = RunRequest(job="j.yaml", folder=".")
    assert brief_options(request)
    chosen = (("spark.driver.extraJavaOptions", "-XX:+UseG1GC"),)
    assert not brief_options(RunRequest(job="j.yaml", folder=".", conf=chosen))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+UseZGC")
    assert not brief_options(request)
