"""From the command to the result: `plan run` on the word count, next to a plain PySpark script that does the same."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator

from benchmarks.measure import Figure, Unavailable, command, in_turns, output_of
from spark_runner.clusters.class_archive import archive_path
from spark_runner.clusters.java import find_java

TITLE = "Spark: from command to result"

SCRIPT = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[2]").getOrCreate()
lines = spark.createDataFrame([("flink,hadoop,hive",), ("flink,spark,hive",), ("flink,hadoop",)], "line string")
words = lines.selectExpr("explode(split(line, ',')) as word").selectExpr("word", "1L as n")
for row in words.groupBy("word").sum("n").collect():
    print(row)
spark.stop()
"""


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Whole processes, session start included, on a session of two threads: a first run, and every run after it."""
    if importlib.util.find_spec("pyspark") is None:
        raise Unavailable("pyspark is not installed")
    run = [*command(), "run", "samples/word_count/job.yaml", "--master", "local[2]"]
    if not archive_path(find_java()).exists():  # what a first run leaves behind
        output_of([sys.executable, "-m", "spark_runner.clusters.class_archive"], accept=(0, 1))
    commands = {
        "first": ["env", "PLAN_CLASS_ARCHIVE=off", *run],
        "later": run,
        "script": [sys.executable, "-c", SCRIPT],
    }
    median = in_turns(commands, rounds=2 if quick else 5)
    for what in ("first", "later"):
        yield Figure(
            what=f"plan run, word count, {what} run{'s' * (what == 'later')}", ours=median[what], other="plain script",
            theirs=median["script"], target=1.2,
        )  # fmt: skip
