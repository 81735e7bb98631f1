"""Runs a Spark program on a session, classic or Connect."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark_runner.program import SparkProgram
from spark_runner.results import Events, RunResult


def execute(program: SparkProgram, spark: SparkSession, *, events: Events) -> RunResult:
    """Run a program to its end. Raises ExecutionError, with the operator where one is to blame."""
    raise NotImplementedError
