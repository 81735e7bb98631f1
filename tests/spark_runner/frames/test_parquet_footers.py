"""Columns and counts read from Parquet footers must be Spark's own, whoever wrote the files and however they lie."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql.types import StructType

from planner.errors import PlanError
from planner.frontends.loading import load_job
from planner.job import Reader
from spark_runner.frames.parquet_footers import ParquetFooters

JOB = """
parallelism: 2
operators:
  - {id: in, type: source, format: parquet, path: data}
  - {id: out, type: print, input: in}
"""


def job_in(folder: Path) -> Any:
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")
    return load_job(folder / "job.yaml")


def footers_of(spark: Any, path: Path) -> tuple[str | None, int | None]:
    reader = Reader(format="parquet", path=str(path))
    return ParquetFooters(spark).columns(reader, str(path)), ParquetFooters(spark).rows(reader, str(path))


def test_columns_that_spark_wrote_are_what_spark_finds(spark: Any, run: Any, tmp_path: Path) -> None:
    path = tmp_path / "data"
    frame = spark.range(0, 7, 1, 3).selectExpr("id", "struct(id as a, array(id) as b) as s", "date'2026-01-01' as d")
    frame.write.parquet(str(path))
    columns, rows = footers_of(spark, path)
    assert rows == 7
    assert columns is not None
    given = spark.read.schema(StructType.fromJson(json.loads(columns))).parquet(str(path)).schema
    assert given == spark.read.parquet(str(path)).schema
    done = run(job_in(tmp_path))
    assert done.printed["out"] == Counter(f"+I[{n}, +I[{n}, [{n}]], 2026-01-01]" for n in range(7))
    assert done.counts["in"] == (0, 7)


def test_files_of_another_writer_are_left_to_spark(spark: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    parquet.write_table(pa.table({"a": [1, 2], "b": ["x", "ü"]}), tmp_path / "data" / "one.parquet")
    assert footers_of(spark, tmp_path / "data") == (None, 2)
    done = run(job_in(tmp_path))
    assert done.printed["out"] == Counter(["+I[1, x]", "+I[2, ü]"])
    assert done.counts["in"] == (0, 2)


def test_folders_with_partitions_keep_their_columns(spark: Any, run: Any, tmp_path: Path) -> None:
    spark.range(4).selectExpr("id", "id % 2 as part").write.partitionBy("part").parquet(str(tmp_path / "data"))
    assert footers_of(spark, tmp_path / "data") == (None, None)
    done = run(job_in(tmp_path))
    assert done.printed["out"] == Counter(f"+I[{n}, {n % 2}]" for n in range(4))
    assert done.counts["in"] == (0, 4)


def test_a_broken_file_is_spark_s_to_report(spark: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "one.parquet").write_bytes(b"PAR1 and nothing else")
    assert footers_of(spark, tmp_path / "data") == (None, None)
    with pytest.raises(PlanError, match="'in'"):
        run(job_in(tmp_path))


def test_a_folder_that_is_not_there(spark: Any, tmp_path: Path) -> None:
    assert footers_of(spark, tmp_path / "nowhere") == (None, None)
