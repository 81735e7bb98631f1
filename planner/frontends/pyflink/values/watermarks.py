"""`pyflink.common.watermark_strategy`: how records get their event time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from planner.frontends.pyflink.values.times import Duration

__all__ = ["AssignerWithPeriodicWatermarksWrapper", "TimestampAssigner", "WatermarkStrategy"]


class TimestampAssigner(ABC):
    """Reads the event time from a record."""

    @abstractmethod
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """The record's time in milliseconds."""


@dataclass
class WatermarkStrategy:
    """How late records may be, and who reads their time.

    As in PyFlink, `with_timestamp_assigner` changes the strategy itself, while `with_idleness` and
    `with_watermark_alignment` return a new one without the assigner. `lost` remembers an assigner lost that way.
    """

    kind: str
    out_of_orderness: int = 0
    idleness: int | None = None
    alignment: tuple[str, int, int] | None = None
    _timestamp_assigner: TimestampAssigner | None = None
    lost: str | None = None

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        """Records come in the order of their time."""
        return WatermarkStrategy("monotonous")

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Duration) -> WatermarkStrategy:
        """Records may be this late."""
        return WatermarkStrategy("bounded", out_of_orderness=_milliseconds(max_out_of_orderness))

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        """No event time."""
        return WatermarkStrategy("none")

    def with_timestamp_assigner(self, timestamp_assigner: TimestampAssigner) -> WatermarkStrategy:
        """Read the time from the record."""
        self._timestamp_assigner = timestamp_assigner
        self.lost = None
        return self

    def with_idleness(self, idle_timeout: Duration) -> WatermarkStrategy:
        """Go on without a source that is silent for this long."""
        return self._without_assigner("with_idleness", idleness=_milliseconds(idle_timeout))

    def with_watermark_alignment(
        self, watermark_group: str, max_allowed_watermark_drift: Duration, update_interval: Duration | None = None
    ) -> WatermarkStrategy:
        """Keep the sources of a group together in time."""
        interval = 1000 if update_interval is None else _milliseconds(update_interval)
        aligned = (watermark_group, _milliseconds(max_allowed_watermark_drift), interval)
        return self._without_assigner("with_watermark_alignment", alignment=aligned)

    def _without_assigner(self, call: str, **changes: Any) -> WatermarkStrategy:
        lost = call if self._timestamp_assigner is not None else self.lost
        return replace(self, _timestamp_assigner=None, lost=lost, **changes)


class AssignerWithPeriodicWatermarksWrapper:
    """A Java assigner; kept by PyFlink for old connectors."""

    def __init__(self, j_assigner_with_periodic_watermarks: Any) -> None:
        self._j_assigner_with_periodic_watermarks = j_assigner_with_periodic_watermarks


def _milliseconds(duration: Duration) -> int:
    if not isinstance(duration, Duration):
        raise AttributeError(f"{type(duration).__name__!r} object has no attribute '_j_duration'")
    return duration.in_milliseconds()
