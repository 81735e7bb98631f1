"""`pyflink.common.time`: durations and points in time."""

from __future__ import annotations

from typing import Final

from planner.records import record

__all__ = ["Duration", "Instant", "Time"]

_NANOS: Final = {"days": 86_400 * 10**9, "hours": 3600 * 10**9, "minutes": 60 * 10**9, "seconds": 10**9,
                 "millis": 10**6, "nanos": 1}  # fmt: skip


@record(kw_only=False)
class Duration:
    """A java.time.Duration."""

    nanos: int

    @staticmethod
    def of_days(days: int) -> Duration:
        """Days."""
        return Duration(days * _NANOS["days"])

    @staticmethod
    def of_hours(hours: int) -> Duration:
        """Hours."""
        return Duration(hours * _NANOS["hours"])

    @staticmethod
    def of_minutes(minutes: int) -> Duration:
        """Minutes."""
        return Duration(minutes * _NANOS["minutes"])

    @staticmethod
    def of_seconds(seconds: int) -> Duration:
        """Seconds."""
        return Duration(seconds * _NANOS["seconds"])

    @staticmethod
    def of_millis(millis: int) -> Duration:
        """Milliseconds."""
        return Duration(millis * _NANOS["millis"])

    @staticmethod
    def of_nanos(nanos: int) -> Duration:
        """Nanoseconds."""
        return Duration(nanos)

    def in_milliseconds(self) -> int:
        """The whole milliseconds; ours, not PyFlink's."""
        return self.nanos // _NANOS["millis"]


class Instant:
    """A java.time.Instant."""

    def __init__(self, seconds: int, nanos: int) -> None:
        self.seconds = seconds
        self.nanos = nanos

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instant) and (self.seconds, self.nanos) == (other.seconds, other.nanos)

    def __hash__(self) -> int:
        return hash((self.seconds, self.nanos))

    def to_epoch_milli(self) -> int:
        """Milliseconds since 1970."""
        return self.seconds * 1000 + self.nanos // 1_000_000

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> Instant:
        """The instant so many milliseconds after the beginning of 1970."""
        return Instant(epoch_milli // 1000, epoch_milli % 1000 * 1_000_000)

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"


class Time:
    """A length of time, as windows take it."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def to_milliseconds(self) -> int:
        """The length."""
        return self._milliseconds

    @staticmethod
    def milliseconds(milliseconds: int) -> Time:
        """Milliseconds."""
        return Time(milliseconds)

    @staticmethod
    def seconds(seconds: int) -> Time:
        """Seconds."""
        return Time(seconds * 1000)

    @staticmethod
    def minutes(minutes: int) -> Time:
        """Minutes."""
        return Time(minutes * 60_000)

    @staticmethod
    def hours(hours: int) -> Time:
        """Hours."""
        return Time(hours * 3_600_000)

    @staticmethod
    def days(days: int) -> Time:
        """Days."""
        return Time(days * 86_400_000)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self._milliseconds == other._milliseconds

    def __hash__(self) -> int:
        return hash(self._milliseconds)

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"
