"""The work whose classes go into the class archive: a little of everything that runs do."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.machine.java import JavaRuntime
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["train"]


def train(java: JavaRuntime, options: tuple[str, ...], *, timeout: float) -> int:
    """Do the work in a JVM with these options, and return the JVM's exit code once it has ended by itself."""
    with tempfile.TemporaryDirectory(prefix="plan-training-") as folder:
        request = RunRequest(job="training", folder=folder, master="local[2]")
        session = open_session(request, name="training", log=Path(folder, "spark.log"), java=java, java_options=options)
        _work(session.spark, Path(folder))
        assert session.jvm is not None and session.jvm.stdin is not None
        session.jvm.stdin.close()
        try:
            return session.jvm.wait(timeout)
        except subprocess.TimeoutExpired:
            session.jvm.kill()
            return -1


def _work(spark: SparkSession, folder: Path) -> None:
    from pyspark.sql import Observation, functions

    words = spark.createDataFrame([("flink", 1), ("spark", 2), ("flink", 3)], "word string, n bigint")
    mapped = (
        words.repartition(2, "word")
        .mapInArrow(_same, "word string, n bigint")
        .observe(Observation("training"), functions.count(functions.lit(1)).alias("records"))
    )
    counts = mapped.groupBy("word").agg(functions.sum("n").alias("n")).withColumn("twice", functions.expr("n * 2"))
    counts.collect()
    counts.write.parquet(str(folder / "out"))
    spark.read.parquet(str(folder / "out")).where("n > 0").join(words, "word", "left").collect()
    spark.read.text(str(Path(__file__))).selectExpr("explode(split(value, ' ')) AS word").groupBy(
        "word"
    ).count().collect()


def _same(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches
