"""When windows give their results: triggers by PyFlink's names. They also run on workers."""

from __future__ import annotations

from enum import Enum
from typing import Any

from planner.frontends.dsl.event_time import milliseconds
from planner.frontends.dsl.functions import ReducingStateDescriptor
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


class TriggerResult(Enum):
    """Whether a window gives its result, and whether it is emptied."""

    CONTINUE = (False, False)
    FIRE = (True, False)
    PURGE = (False, True)
    FIRE_AND_PURGE = (True, True)

    def is_fire(self) -> bool:
        """Whether the result is given."""
        return self.value[0]

    def is_purge(self) -> bool:
        """Whether the window is emptied."""
        return self.value[1]


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


class EventTimeTrigger(Trigger):
    """When the watermark passes the window's end, and at every record behind that."""

    @staticmethod
    def create() -> EventTimeTrigger:
        """The trigger."""
        return EventTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE

    def on_merge(self, window: Any, ctx: Any) -> None:
        if window.max_timestamp() > ctx.get_current_watermark():
            ctx.register_event_time_timer(window.max_timestamp())

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.delete_event_time_timer(window.max_timestamp())


class ProcessingTimeTrigger(Trigger):
    """When the clock passes the window's end."""

    @staticmethod
    def create() -> ProcessingTimeTrigger:
        """The trigger."""
        return ProcessingTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        ctx.register_processing_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.FIRE

    def on_merge(self, window: Any, ctx: Any) -> None:
        if window.max_timestamp() > ctx.get_current_processing_time():
            ctx.register_processing_time_timer(window.max_timestamp())

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.delete_processing_time_timer(window.max_timestamp())


def _added(one: int, other: int) -> int:
    return one + other


class CountTrigger(Trigger):
    """When so many records have come."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._seen = ReducingStateDescriptor("count", _added)

    @staticmethod
    def of(max_count: int) -> CountTrigger:
        """Every so many records."""
        return CountTrigger(max_count)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        seen = ctx.get_partitioned_state(self._seen)
        seen.add(1)
        if seen.get() < self._count:
            return TriggerResult.CONTINUE
        seen.clear()
        return TriggerResult.FIRE

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self._seen)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.get_partitioned_state(self._seen).clear()


class ContinuousEventTimeTrigger(Trigger):
    """Again and again while event time goes on, and at the window's end."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._next = ReducingStateDescriptor("fire-time", min)

    @staticmethod
    def of(interval: Any) -> ContinuousEventTimeTrigger:
        """Every so often."""
        return ContinuousEventTimeTrigger(milliseconds(interval))

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        if ctx.get_partitioned_state(self._next).get() is None:
            self._register(timestamp - timestamp % self._interval + self._interval, window, ctx)
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        if time == window.max_timestamp():
            return TriggerResult.FIRE
        due = ctx.get_partitioned_state(self._next)
        if due.get() != time:
            return TriggerResult.CONTINUE
        due.clear()
        self._register(time + self._interval, window, ctx)
        return TriggerResult.FIRE

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self._next)
        due = ctx.get_partitioned_state(self._next).get()
        if due is not None:
            ctx.register_event_time_timer(due)

    def clear(self, window: Any, ctx: Any) -> None:
        due = ctx.get_partitioned_state(self._next)
        if due.get() is not None:
            ctx.delete_event_time_timer(due.get())
            due.clear()

    def _register(self, time: int, window: Any, ctx: Any) -> None:
        time = min(time, window.max_timestamp())
        ctx.get_partitioned_state(self._next).add(time)
        ctx.register_event_time_timer(time)


class ContinuousProcessingTimeTrigger(Trigger):
    """Again and again while the clock goes on."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._next = ReducingStateDescriptor("fire-time", min)

    @staticmethod
    def of(interval: Any) -> ContinuousProcessingTimeTrigger:
        """Every so often."""
        return ContinuousProcessingTimeTrigger(milliseconds(interval))

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        if ctx.get_partitioned_state(self._next).get() is None:
            now = ctx.get_current_processing_time()
            self._register(now - now % self._interval + self._interval, window, ctx)
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        due = ctx.get_partitioned_state(self._next)
        if due.get() != time:
            return TriggerResult.CONTINUE
        due.clear()
        self._register(time + self._interval, window, ctx)
        return TriggerResult.FIRE

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self._next)
        due = ctx.get_partitioned_state(self._next).get()
        if due is not None:
            ctx.register_processing_time_timer(due)

    def clear(self, window: Any, ctx: Any) -> None:
        due = ctx.get_partitioned_state(self._next)
        if due.get() is not None:
            ctx.delete_processing_time_timer(due.get())
            due.clear()

    def _register(self, time: int, window: Any, ctx: Any) -> None:
        time = min(time, window.max_timestamp())
        ctx.get_partitioned_state(self._next).add(time)
        ctx.register_processing_time_timer(time)


class PurgingTrigger(Trigger):
    """Another trigger, after whose results windows are emptied."""

    def __init__(self, nested: Trigger) -> None:
        self._nested = nested

    @staticmethod
    def of(nested_trigger: Trigger) -> PurgingTrigger:
        """As the other trigger, and empty."""
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        return self._emptied(self._nested.on_element(element, timestamp, window, ctx))

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return self._emptied(self._nested.on_event_time(time, window, ctx))

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return self._emptied(self._nested.on_processing_time(time, window, ctx))

    def on_merge(self, window: Any, ctx: Any) -> None:
        self._nested.on_merge(window, ctx)

    def clear(self, window: Any, ctx: Any) -> None:
        self._nested.clear(window, ctx)

    @staticmethod
    def _emptied(result: TriggerResult) -> TriggerResult:
        return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result


class NeverTrigger(Trigger):
    """A window that gives nothing by itself: what global windows have unless they are told otherwise."""

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE


def default_trigger(window: Window) -> Trigger:
    """The trigger that Flink has for a window where the job gives none."""
    if window.assigner == "global":
        return NeverTrigger()
    if window.assigner == "count":
        return PurgingTrigger(CountTrigger(window.size))  # a full window takes no more records
    return ProcessingTimeTrigger() if window.by_clock else EventTimeTrigger()
