"""A PySpark job without anything of ours: who ran it, and whether they could import what they must not have.

`python plain_job.py MASTER [NAME=VALUE...]` prints one JSON list with one entry per partition.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

PARTITIONS = 4
OURS = ("planner", "spark_runner", "cli", "tests", "typer", "mmh3", "yaml")


def look_around(batches: Iterator[Any]) -> Iterator[Any]:
    """One row: which of our modules this worker finds, the rows it got, and its interpreter."""
    import importlib.util

    import pyarrow as pa

    rows = sum(batch.num_rows for batch in batches)
    found = [name for name in OURS if importlib.util.find_spec(name)]
    yield pa.RecordBatch.from_pydict({"found": [",".join(found)], "rows": [rows], "python": [sys.executable]})


def main(master: str, *settings: str) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(master) if master.startswith("sc://") else SparkSession.builder.master(master)
    for setting in settings:
        builder = builder.config(*setting.split("=", 1))
    spark = builder.getOrCreate()
    frame = spark.range(100).repartition(PARTITIONS)
    answer = frame.mapInArrow(look_around, "found string, rows long, python string").collect()
    print(json.dumps([row.asDict() for row in answer]))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
