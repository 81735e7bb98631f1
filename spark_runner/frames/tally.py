"""How each count of a run will be known when it is over, without a cost per record.

Python subtasks report their counts themselves. Native operators are counted by what reads them where that is possible
(a Python pass, an aggregation's own count), and counted as their rows pass where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from spark_runner.frames.row_counters import RowCounters
from spark_runner.program.counts import Count

__all__ = ["Tally"]

Terms = tuple[tuple[Count, int], ...]  # counts with factors, to be added up


@dataclass(slots=True)
class Tally:
    """Every count as a number, an observation, a question for later, or a sum of other counts."""

    counters: RowCounters
    _sums: dict[Count, Terms] = field(default_factory=dict)
    _known: dict[Count, int] = field(default_factory=dict)
    _observed: dict[Count, Callable[[], int]] = field(default_factory=dict)
    _later: dict[Count, Callable[[], int]] = field(default_factory=dict)

    def know(self, count: Count, value: int) -> None:
        """Set a count."""
        self._known[count] = value

    def ask_later(self, count: Count, ask: Callable[[], int]) -> None:
        """Let a count be asked for when the run is over."""
        self._later[count] = ask

    def add_up(self, count: Count, terms: Iterable[tuple[Count, int]]) -> None:
        """Make a count the sum of others, each times a factor."""
        self._sums[count] = tuple(terms)

    def same(self, count: Count, other: Count) -> None:
        """Make a count equal to another."""
        self.add_up(count, [(other, 1)])

    def observe(self, count: Count, frame: DataFrame) -> DataFrame:
        """The frame with its rows counted as they pass."""
        counted = self.counters.count(frame)
        if counted is None:
            return self._observe(frame, {count: F.count(F.lit(1))})
        self._observed[count] = partial(getattr, counted[1], "value")
        return counted[0]

    def observe_groups(self, rows: Count, members: Count, frame: DataFrame, sizes: str) -> DataFrame:
        """The frame with its rows counted, and with a column of group sizes added up."""
        return self._observe(frame, {rows: F.count(F.lit(1)), members: F.coalesce(F.sum(sizes), F.lit(0))})

    def is_observed(self, count: Count) -> bool:
        """Whether an observation counts it."""
        return count in self._observed

    def measure(self, count: Count, measured: Count) -> None:
        """Let a count be known from what its only reader took, unless it is known already."""
        while count in self._sums:
            terms = self._sums[count]
            if len(terms) != 1 or terms[0][1] != 1:
                return
            count = terms[0][0]
        if count not in self._known and count not in self._observed:
            self._later.pop(count, None)
            self.same(count, measured)

    def value(self, count: Count) -> int | None:
        """A count, once the run is over; None where nothing knows it."""
        total, open_terms = 0, [(count, 1)]
        while open_terms:
            term, factor = open_terms.pop()
            if term in self._sums:
                open_terms.extend((other, factor * times) for other, times in self._sums[term])
                continue
            number = self._number(term)
            if number is None:
                return None
            total += factor * number
        return total

    def _number(self, count: Count) -> int | None:
        if count not in self._known:
            if count in self._observed:
                self._known[count] = self._observed[count]()
            elif count in self._later:
                self._known[count] = self._later[count]()
        return self._known.get(count)

    def _observe(self, frame: DataFrame, expressions: dict[Count, Column]) -> DataFrame:
        observation = Observation()
        named = []
        for number, (count, expression) in enumerate(expressions.items()):
            self._observed[count] = partial(_seen, observation, f"n{number}")
            named.append(expression.cast("bigint").alias(f"n{number}"))
        return frame.observe(observation, *named)


def _seen(observation: Observation, name: str) -> int:
    return int(observation.get[name] or 0)
