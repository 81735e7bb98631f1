"""Exact counts and places of a run, gathered without a cost a record.

Every Python subtask reports itself when it is through. A report is told apart by pass and subtask, so a subtask that
recovery runs again replaces its own report and is never counted twice. Classic sessions carry reports in an
accumulator; Connect has none, so there they leave as a last row that an observation collects. Native operators are
counted by what reads them where that is possible (a Python pass, an aggregation's own count), and observed
where it is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyspark.accumulators import AccumulatorParam
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from spark_runner.clusters.connect import is_connect
from spark_runner.executor.chain import METRIC

Symbol = tuple[Any, ...]  # names one count, such as ("out", pass, operation)


class _Listing(AccumulatorParam[list[Any]]):
    """Reports one after another."""

    def zero(self, value: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:
        value1.extend(value2)
        return value1


class Reports:
    """The reports of all Python subtasks of a run."""

    def __init__(self, spark: Any) -> None:
        context = None if is_connect(spark) else spark.sparkContext
        self.accumulator = None if context is None else context.accumulator([], _Listing())
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

    def by_pass(self) -> dict[int, dict[int, dict[str, Any]]]:
        """The reports by pass and subtask."""
        if self.accumulator is not None:
            reports = self.accumulator.value
        else:
            reports = [json.loads(text) for seen in self._observed for text in seen.get["reports"]]
        found: dict[int, dict[int, dict[str, Any]]] = {}
        for report in reports:
            found.setdefault(report["pass"], {})[report["subtask"]] = report
        return found


@dataclass(slots=True)
class Tally:
    """How each count of a run will be known when it is over."""

    same: dict[Symbol, tuple[tuple[Symbol, int], ...]] = field(
        default_factory=dict
    )  # sums of other counts, with factors
    known: dict[Symbol, int] = field(default_factory=dict)
    observed: dict[Symbol, tuple[Observation, str]] = field(default_factory=dict)
    later: dict[Symbol, Callable[[], int]] = field(default_factory=dict)

    def observe(self, symbol: Symbol, frame: DataFrame) -> DataFrame:
        """The frame with its rows counted as they pass."""
        return self._observed(frame, {symbol: F.count(F.lit(1))})

    def observe_groups(self, rows: Symbol, members: Symbol, frame: DataFrame, sizes: str) -> DataFrame:
        """The frame with its rows counted, and with a column of group sizes summed up."""
        return self._observed(frame, {rows: F.count(F.lit(1)), members: F.coalesce(F.sum(sizes), F.lit(0))})

    def _observed(self, frame: DataFrame, expressions: dict[Symbol, Column]) -> DataFrame:
        observation = Observation()
        named = []
        for number, (symbol, expression) in enumerate(expressions.items()):
            self.observed[symbol] = (observation, f"n{number}")
            named.append(expression.cast("bigint").alias(f"n{number}"))
        return frame.observe(observation, *named)

    def value(self, symbol: Symbol) -> int | None:
        """A count, once the run is over; None where nothing knows it."""
        total, open_terms = 0, [(symbol, 1)]
        while open_terms:
            term, factor = open_terms.pop()
            if term in self.same:
                open_terms.extend((other, factor * times) for other, times in self.same[term])
                continue
            if term not in self.known:
                if term in self.observed:
                    observation, name = self.observed[term]
                    self.known[term] = int(observation.get[name] or 0)
                elif term in self.later:
                    self.known[term] = self.later[term]()
                else:
                    return None
            total += factor * self.known[term]
        return total
