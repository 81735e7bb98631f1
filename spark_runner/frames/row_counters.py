"""Rows counted where they pass, inside the code that Spark generates, at the cost of one addition per row.

An observation is an operator of its own: it ends the generated code, and every row is copied on both sides of it. This
is a filter that is true for every row and adds one to a metric. The filter is not deterministic, so the optimizer
neither drops it nor moves other filters past it.

On a cluster a stage may run again when its results are lost. There the metric is one that forgets all attempts of a
task but the last. It costs several times as much per row, which is still less than an observation.

It is made of classes inside Spark that have no Python interface; a session that lacks one of them is observed instead.
"""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession

from spark_runner.clusters.connect import is_connect

__all__ = ["RowCounter", "RowCounters"]

_ADD_ONE = "$plus$eq"  # the name that Scala gives to `+=`


class RowCounter:
    """The count of one place in a plan."""

    def __init__(self, metric: Any, *, repeats: bool) -> None:
        self._metric, self._repeats = metric, repeats

    @property
    def value(self) -> int:
        """The rows that have passed."""
        last = self._metric.lastAttemptValueForAllRDDs() if self._repeats else None
        return int(last.get() if last is not None and last.isDefined() else self._metric.value())


class RowCounters:
    """Makes counters for the frames of one session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark: Any = spark
        self._possible = not is_connect(spark)  # as far as is known
        self._repeats = self._possible and not self._spark.sparkContext._jsc.sc().isLocal()

    def count(self, frame: DataFrame) -> tuple[DataFrame, RowCounter] | None:
        """The frame with its rows counted; None where this Spark cannot do it."""
        if self._possible:
            try:
                return self._counted(frame)
            except (Py4JError, TypeError):  # TypeError: a package of Java was found where a class should be
                self._possible = False
        return None

    def _counted(self, frame: Any) -> tuple[DataFrame, RowCounter]:
        jvm = self._spark._jvm
        sql, python = jvm.org.apache.spark.sql, jvm.org.apache.spark.api.python.PythonUtils
        metrics = sql.execution.metric.SQLLastAttemptMetrics if self._repeats else sql.execution.metric.SQLMetrics
        metric = metrics.createMetric(self._spark.sparkContext._jsc.sc(), "rows")
        made = sql.catalyst.expressions
        counter = made.Literal(metric, sql.types.ObjectType(metric.getClass()))
        one = self._spark._jsparkSession.sessionState().sqlParser().parseExpression("1L")
        adding = made.objects.InitializeJavaBean(counter, python.toScalaMap({_ADD_ONE: one}))
        nothing = python.toSeq([])
        # after the addition the metric is not zero: a condition that is true, and that nobody can know to be
        is_zero = made.objects.Invoke(adding, "isZero", sql.types.DataTypes.BooleanType, nothing, nothing, *_AS_IT_IS)
        plan = sql.catalyst.plans.logical.Filter(made.Not(is_zero), frame._jdf.logicalPlan())
        counted = DataFrame(sql.classic.Dataset.ofRows(self._spark._jsparkSession, plan), self._spark)
        return counted, RowCounter(metric, repeats=self._repeats)


_AS_IT_IS = (False, False, False)  # no NULL comes in, no NULL comes out, and not deterministic
