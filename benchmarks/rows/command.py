"""From the command to the result: `plan run` on the word count, next to a plain PySpark script that does the same."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator

from benchmarks.figure import Figure, compare, memory
from benchmarks.measure import Unavailable, command, in_turns, output_of
from benchmarks.process_tree import process_tree
from planner.machine.java import find_java
from spark_runner.clusters.class_archive import spark_archive

SCRIPT = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[2]").getOrCreate()
lines = spark.createDataFrame([("flink,hadoop,hive",), ("flink,spark,hive",), ("flink,hadoop",)], "line string")
words = lines.selectExpr("explode(split(line, ',')) as word").selectExpr("word", "1L as n")
for row in words.groupBy("word").sum("n").collect():
    print(row)
spark.stop()
"""
OTHER = "plain PySpark script"


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Whole processes, session start included, on a session of two threads: a first run, and every run after it."""
    if importlib.util.find_spec("pyspark") is None:
        raise Unavailable("pyspark is not installed")
    run = [*command(), "run", "samples/word_count/job.yaml", "--master", "local[2]"]
    if not spark_archive(find_java()).path.exists():  # what a first run leaves behind
        output_of([sys.executable, "-m", "spark_runner.clusters.class_archive"], accept=(0, 1))
    runs = {
        "first": process_tree(["env", "PLAN_CLASS_ARCHIVE=off", *run]),
        "later": process_tree(run),
        OTHER: process_tree([sys.executable, "-c", SCRIPT]),
    }
    costs = in_turns(runs, rounds=3 if quick else 7, most=90)
    yield compare("plan run, word count, first run", costs, "first", OTHER, target=0.7)
    yield compare("plan run, word count, later runs", costs, "later", OTHER, target=0.5)
    yield compare("plan run, word count, peak memory of all processes", costs, "later", OTHER, of=memory)
