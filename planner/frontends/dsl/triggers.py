"""When windows give their results: triggers by PyFlink's names. They also run on workers."""

from __future__ import annotations

from typing import Any

from planner.frontends.dsl.event_time import milliseconds
from planner.frontends.dsl.functions import ReducingStateDescriptor
from planner.frontends.scripts.trigger_rules import (
    ContinuousEventTimeRule,
    ContinuousProcessingTimeRule,
    CountRule,
    EventTimeRule,
    NeverRule,
    ProcessingTimeRule,
    PurgingRule,
    TriggerResult,
    added,
)
from planner.job import Window

__all__ = [
    "ContinuousEventTimeTrigger",
    "ContinuousProcessingTimeTrigger",
    "CountTrigger",
    "EventTimeTrigger",
    "NeverTrigger",
    "ProcessingTimeTrigger",
    "PurgingTrigger",
    "Trigger",
    "TriggerResult",
    "default_trigger",
]


class Trigger:
    """Decides at every record and at every timer it has set. Derive from it to write one."""

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """A record came into the window."""
        raise NotImplementedError(f"{type(self).__name__} does not define on_element()")

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """A timer of event time."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """A timer of processing time."""
        return TriggerResult.CONTINUE

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Several windows became this one."""

    def clear(self, window: Any, ctx: Any) -> None:
        """The window is over: its timers and states are not needed any more."""


class EventTimeTrigger(EventTimeRule, Trigger):
    """When the watermark passes the window's end, and at every record behind that."""


class ProcessingTimeTrigger(ProcessingTimeRule, Trigger):
    """When the clock passes the window's end."""


class CountTrigger(CountRule, Trigger):
    """When so many records have come."""

    def __init__(self, count: int) -> None:
        super().__init__(count, ReducingStateDescriptor("count", added))

    @staticmethod
    def of(max_count: int) -> CountTrigger:
        """Every so many records."""
        return CountTrigger(max_count)


class ContinuousEventTimeTrigger(ContinuousEventTimeRule, Trigger):
    """Again and again while event time goes on, and at the window's end."""

    def __init__(self, interval: int) -> None:
        super().__init__(interval, ReducingStateDescriptor("fire-time", min))

    @staticmethod
    def of(interval: Any) -> ContinuousEventTimeTrigger:
        """Every so often."""
        return ContinuousEventTimeTrigger(milliseconds(interval))


class ContinuousProcessingTimeTrigger(ContinuousProcessingTimeRule, Trigger):
    """Again and again while the clock goes on."""

    def __init__(self, interval: int) -> None:
        super().__init__(interval, ReducingStateDescriptor("fire-time", min))

    @staticmethod
    def of(interval: Any) -> ContinuousProcessingTimeTrigger:
        """Every so often."""
        return ContinuousProcessingTimeTrigger(milliseconds(interval))


class PurgingTrigger(PurgingRule, Trigger):
    """Another trigger, after whose results windows are emptied."""

    def __init__(self, nested: Trigger) -> None:
        super().__init__(nested)

    @staticmethod
    def of(nested_trigger: Trigger) -> PurgingTrigger:
        """As the other trigger, and empty."""
        return PurgingTrigger(nested_trigger)


class NeverTrigger(NeverRule, Trigger):
    """A window that gives nothing by itself: what global windows have unless they are told otherwise."""


def default_trigger(window: Window) -> Trigger:
    """The trigger that Flink has for a window where the job gives none."""
    if window.assigner == "global":
        return NeverTrigger()
    if window.assigner == "count":
        return PurgingTrigger(CountTrigger(window.size))  # a full window takes no more records
    return ProcessingTimeTrigger() if window.by_clock else EventTimeTrigger()
