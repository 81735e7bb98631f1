"""`pyflink.common.watermark_strategy`: how records get their event time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from planner.frontends.python.differences import Interface, as_pyflink, milliseconds, required

__all__ = ["AssignerWithPeriodicWatermarksWrapper", "TimestampAssigner", "WatermarkStrategy"]


class TimestampAssigner(Interface):
    """Reads the event time from a record."""

    @required
    def extract_timestamp(self, value: Any, record_timestamp: int, /) -> int:
        """The record's time in milliseconds."""
        raise NotImplementedError


@dataclass
class WatermarkStrategy:
    """How late records may be, and who reads their time.

    As in PyFlink, `with_timestamp_assigner` changes the strategy itself, while `with_idleness` and
    `with_watermark_alignment` return a new one without the assigner; `lost` remembers an assigner lost that way. In
    Java, and so in a planner job, all of them return a new one that has everything.
    """

    kind: str
    out_of_orderness: int = 0
    idleness: int | None = None
    alignment: tuple[str, int, int] | None = None
    _timestamp_assigner: Any = None
    lost: str | None = None

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        """Records come in the order of their time."""
        return WatermarkStrategy("monotonous")

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Any) -> WatermarkStrategy:
        """Records may be this late."""
        return WatermarkStrategy("bounded", _milliseconds(max_out_of_orderness))

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        """No event time."""
        return WatermarkStrategy("none")

    def with_timestamp_assigner(self, timestamp_assigner: Any) -> WatermarkStrategy:
        """Read the time from the record with an assigner; a planner job may name a column."""
        changed = self if as_pyflink() else replace(self)
        changed._timestamp_assigner = timestamp_assigner
        changed.lost = None
        return changed

    def with_idleness(self, idle_timeout: Any) -> WatermarkStrategy:
        """Go on without a source that is silent for this long."""
        return self._changed("with_idleness", idleness=_milliseconds(idle_timeout))

    def with_watermark_alignment(
        self, watermark_group: str, max_allowed_watermark_drift: Any, update_interval: Any = None
    ) -> WatermarkStrategy:
        """Keep the sources of a group together in time."""
        interval = 1000 if update_interval is None else _milliseconds(update_interval)
        aligned = (watermark_group, _milliseconds(max_allowed_watermark_drift), interval)
        return self._changed("with_watermark_alignment", alignment=aligned)

    def _changed(self, call: str, **changes: Any) -> WatermarkStrategy:
        if as_pyflink():
            changes["lost"] = call if self._timestamp_assigner is not None else self.lost
            changes["_timestamp_assigner"] = None
        return replace(self, **changes)


class AssignerWithPeriodicWatermarksWrapper:
    """A Java assigner; kept by PyFlink for old connectors."""

    def __init__(self, j_assigner_with_periodic_watermarks: Any) -> None:
        self._j_assigner_with_periodic_watermarks = j_assigner_with_periodic_watermarks


def _milliseconds(duration: Any) -> int:
    if hasattr(duration, "in_milliseconds"):
        return int(duration.in_milliseconds())
    if as_pyflink():
        raise AttributeError(f"{type(duration).__name__!r} object has no attribute '_j_duration'")
    return milliseconds(duration)
