"""Durations, windows and watermark strategies, by PyFlink's names."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from planner.errors import JobDefinitionError
from planner.frontends.scripts.places import user_location
from planner.job import PythonFunction, Watermarks, Window
from planner.records import record

__all__ = [
    "Duration",
    "EventTimeSessionWindows",
    "GlobalWindows",
    "ProcessingTimeSessionWindows",
    "SessionWindowTimeGapExtractor",
    "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows",
    "Time",
    "TimestampAssigner",
    "TumblingEventTimeWindows",
    "TumblingProcessingTimeWindows",
    "WatermarkStrategy",
    "milliseconds",
]


@record(kw_only=False)
class Duration:
    """A length of time."""

    millis: int

    @classmethod
    def of_millis(cls, millis: int) -> Duration:
        """That many milliseconds."""
        return cls(millis)

    @classmethod
    def of_seconds(cls, seconds: int) -> Duration:
        """That many seconds."""
        return cls(seconds * 1_000)

    @classmethod
    def of_minutes(cls, minutes: int) -> Duration:
        """That many minutes."""
        return cls(minutes * 60_000)

    @classmethod
    def of_hours(cls, hours: int) -> Duration:
        """That many hours."""
        return cls(hours * 3_600_000)

    @classmethod
    def of_days(cls, days: int) -> Duration:
        """That many days."""
        return cls(days * 86_400_000)

    milliseconds = of_millis
    seconds = of_seconds
    minutes = of_minutes
    hours = of_hours
    days = of_days

    def to_milliseconds(self) -> int:
        """The length in milliseconds."""
        return self.millis


Time = Duration


def milliseconds(value: Any) -> int:
    """The milliseconds of a Time, Duration, timedelta or whole number."""
    if isinstance(value, Duration):
        return value.millis
    if isinstance(value, timedelta):
        return int(value / timedelta(milliseconds=1))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise JobDefinitionError(
        f"a duration must be a Time or Duration, found {value!r}",
        location=user_location(),
        hint="write Time.seconds(5)",
    )


def _window(
    assigner: Literal["tumbling", "sliding", "session"], size: Any, slide: Any = None, offset: Any = 0
) -> Window:
    window = Window(
        assigner=assigner,
        size=milliseconds(size),
        slide=None if slide is None else milliseconds(slide),
        offset=milliseconds(offset),
    )
    if window.size <= 0 or (window.slide is not None and window.slide <= 0):
        raise JobDefinitionError("the size of a window must be positive", location=user_location())
    return window


class TumblingEventTimeWindows:
    """Windows of one size, side by side."""

    @staticmethod
    def of(size: Any, offset: Any = 0) -> Window:
        """Windows of this size."""
        return _window("tumbling", size, offset=offset)


class SlidingEventTimeWindows:
    """Windows of one size that begin every so often."""

    @staticmethod
    def of(size: Any, slide: Any, offset: Any = 0) -> Window:
        """Windows of this size, one every `slide`."""
        return _window("sliding", size, slide, offset)


class EventTimeSessionWindows:
    """Windows that end when no record came for a while."""

    @staticmethod
    def with_gap(size: Any) -> Window:
        """Windows closed by this gap."""
        return _window("session", size)

    @staticmethod
    def with_dynamic_gap(extractor: Any) -> Window:
        """Windows closed by a gap that is read from each record: a function, or an object with extract()."""
        return _dynamic(extractor)


class SessionWindowTimeGapExtractor:
    """Reads the gap that ends a session from a record."""

    def extract(self, element: Any) -> int:
        """The gap in milliseconds."""
        raise NotImplementedError(f"{type(self).__name__} does not define extract()")


class TumblingProcessingTimeWindows:
    """Windows of one size, side by side, by the clock."""

    @staticmethod
    def of(size: Any, offset: Any = 0) -> Window:
        """Windows of this size."""
        return replace(_window("tumbling", size, offset=offset), by_clock=True)


class SlidingProcessingTimeWindows:
    """Windows of one size that begin every so often, by the clock."""

    @staticmethod
    def of(size: Any, slide: Any, offset: Any = 0) -> Window:
        """Windows of this size, one every `slide`."""
        return replace(_window("sliding", size, slide, offset), by_clock=True)


class ProcessingTimeSessionWindows:
    """Windows that end when no record came for a while, by the clock."""

    @staticmethod
    def with_gap(size: Any) -> Window:
        """Windows closed by this gap."""
        return replace(_window("session", size), by_clock=True)

    @staticmethod
    def with_dynamic_gap(extractor: Any) -> Window:
        """Windows closed by a gap that is read from each record."""
        return replace(_dynamic(extractor), by_clock=True)


class GlobalWindows:
    """One window for all records of a key; a trigger says when it gives a result."""

    @staticmethod
    def create() -> Window:
        """The window."""
        return Window(assigner="global", size=0)


def _dynamic(extractor: Any) -> Window:
    function = getattr(extractor, "extract", extractor)
    if not callable(function):
        raise JobDefinitionError(
            f"with_dynamic_gap takes a function of a record, found {extractor!r}", location=user_location()
        )
    return Window(assigner="session", size=0, gap=PythonFunction(target=function))


class TimestampAssigner:
    """Gives a record its event time in milliseconds."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """The event time of a record."""
        raise NotImplementedError(f"{type(self).__name__} does not define extract_timestamp()")


@record(kw_only=False)
class WatermarkStrategy:
    """How event time is read and how late records may be; None is no watermarks."""

    watermarks: Watermarks | None

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        """Records come in order."""
        return WatermarkStrategy(Watermarks())

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Any) -> WatermarkStrategy:
        """Records are late by at most this."""
        return WatermarkStrategy(Watermarks(out_of_orderness=milliseconds(max_out_of_orderness)))

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        """No event time."""
        return WatermarkStrategy(None)

    def with_timestamp_assigner(self, timestamp_assigner: Any) -> WatermarkStrategy:
        """Read event time with an assigner, or (a string) from a column."""
        known = self.watermarks or Watermarks()
        if isinstance(timestamp_assigner, str):
            return WatermarkStrategy(replace(known, time=timestamp_assigner))
        return WatermarkStrategy(replace(known, assigner=PythonFunction(target=timestamp_assigner)))

    def with_idleness(self, idle_timeout: Any) -> WatermarkStrategy:
        """Without records for this long, a producer holds nobody back. It changes nothing in a plan."""
        return WatermarkStrategy(replace(self.watermarks or Watermarks(), idleness=milliseconds(idle_timeout)))
