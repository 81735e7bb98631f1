"""The settings a session has while a program runs on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from planner.job import Reader
from spark_runner.program.program import SparkProgram

__all__ = ["configured"]

_SETTINGS = {
    # the plan says how many partitions there are and how records move, not the optimizer
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
    "spark.sql.files.openCostInBytes": "1",
    # a union has the partitions of all its inputs, one after the other: Spark would lay those of alike inputs together
    "spark.sql.unionOutputPartitioning": "false",
    # the same results on every machine
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.selfDestruct.enabled": "false",
}
# PySpark writes every analysis error to standard error as JSON, before anybody can translate it
_NOISY_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def configured(spark: SparkSession, program: SparkProgram) -> Iterator[None]:
    """The session with the settings a run needs, and afterwards as it was."""
    settings = {**_SETTINGS, "spark.sql.files.minPartitionNum": str(_most_readers(program))}
    before = {name: spark.conf.get(name, None) for name in (*settings, "spark.sql.shuffle.partitions")}
    with _quiet():
        try:
            for name, value in settings.items():
                spark.conf.set(name, value)
            yield
        finally:
            for name, earlier in before.items():
                _restore(spark, name, earlier)


def _most_readers(program: SparkProgram) -> int:
    """The highest parallelism of a source that reads files."""
    readers = (
        one.parallelism for one in program.passes for o in one.operations if isinstance(o.operator.behaviour, Reader)
    )
    return max(readers, default=1)


@contextmanager
def _quiet() -> Iterator[None]:
    # made by PySpark's own class: it passes words to these loggers that a plain one refuses
    logs = [PySparkLogger.getLogger(name) for name in _NOISY_LOGS]
    before = [log.disabled for log in logs]
    try:
        for log in logs:
            log.disabled = True
        yield
    finally:
        for log, disabled in zip(logs, before, strict=True):
            log.disabled = disabled


def _restore(spark: SparkSession, name: str, value: Any) -> None:
    try:
        spark.conf.set(name, value) if value is not None else spark.conf.unset(name)
    except Exception:  # the session may be gone: then so are its settings
        return
