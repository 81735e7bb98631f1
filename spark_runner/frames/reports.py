"""The reports of all Python subtasks of a run.

A report is known by its pass and subtask, so a subtask that recovery runs again replaces its own report and is never
counted twice. Classic sessions carry reports in an accumulator. Connect has none, so there they leave as a last row
that an observation collects.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from spark_runner.clusters.connect import is_connect
from spark_runner.executor.hidden_columns import METRIC
from spark_runner.executor.report import ReportList, SubtaskReport

ReportsByPass = dict[int, dict[int, SubtaskReport]]  # by pass and subtask


class Reports:
    """Gathers the reports while a run goes on."""

    def __init__(self, spark: Any) -> None:
        context = None if is_connect(spark) else spark.sparkContext
        self.accumulator = None if context is None else context.accumulator([], ReportList())
        self._observed: list[Observation] = []

    @property
    def as_rows(self) -> bool:
        """Whether reports leave a pass as its last row."""
        return self.accumulator is None

    def take_rows(self, frame: DataFrame) -> DataFrame:
        """The frame without its report rows, which an observation keeps."""
        observation = Observation()
        self._observed.append(observation)
        return (
            frame.observe(observation, F.collect_list(METRIC).alias("reports"))
            .where(F.col(METRIC).isNull())
            .drop(METRIC)
        )

    def by_pass(self) -> ReportsByPass:
        """The reports by pass and subtask."""
        found: ReportsByPass = {}
        for report in self._all():
            found.setdefault(report.number, {})[report.subtask] = report
        return found

    def _all(self) -> list[SubtaskReport]:
        if self.accumulator is not None:
            return list(self.accumulator.value)
        return [SubtaskReport.from_json(text) for seen in self._observed for text in seen.get["reports"]]
