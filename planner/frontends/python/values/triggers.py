"""The triggers of `pyflink.datastream.window`: when a window gives its result. They run on workers too."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Self, TypeVar

from planner.frontends.python.declared.functions import ReducingStateDescriptor
from planner.frontends.python.differences import Interface, expected, milliseconds, required
from planner.frontends.python.values.types import Types

__all__ = [
    "ContinuousEventTimeTrigger", "ContinuousProcessingTimeTrigger", "CountTrigger", "EventTimeTrigger",
    "NeverTrigger", "ProcessingTimeTrigger", "PurgingTrigger", "T", "Trigger", "TriggerResult", "W",
]  # fmt: skip

T = TypeVar("T")
W = TypeVar("W")


class TriggerResult(Enum):
    """Whether a window gives its result, and whether it is emptied."""

    CONTINUE = (False, False)
    FIRE_AND_PURGE = (True, True)
    FIRE = (True, False)
    PURGE = (False, True)

    def is_fire(self) -> bool:
        """Whether the result is given."""
        return self.value[0]

    def is_purge(self) -> bool:
        """Whether the window is emptied."""
        return self.value[1]


class Trigger(Interface):
    """Decides when a window gives its result."""

    class TriggerContext(Interface):
        """What a trigger can ask and set."""

        @required
        def get_current_processing_time(self) -> int:
            """The time on the clock."""

        @required
        def get_metric_group(self) -> Any:
            """Where metrics are counted."""

        @required
        def get_current_watermark(self) -> int:
            """The event time reached."""

        @required
        def register_processing_time_timer(self, time: int) -> None:
            """Call `on_processing_time` then."""

        @required
        def register_event_time_timer(self, time: int) -> None:
            """Call `on_event_time` then."""

        @required
        def delete_processing_time_timer(self, time: int) -> None:
            """Take a timer back."""

        @required
        def delete_event_time_timer(self, time: int) -> None:
            """Take a timer back."""

        @required
        def get_partitioned_state(self, state_descriptor: Any) -> Any:
            """State of the key and window."""

    class OnMergeContext(TriggerContext):
        """What a trigger can do while windows become one."""

        @required
        def merge_partitioned_state(self, state_descriptor: Any) -> None:
            """Join the state of the windows."""

    @required
    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any, /) -> TriggerResult:
        """A record came into the window."""

    @expected
    def on_processing_time(self, time: int, window: Any, ctx: Any, /) -> TriggerResult:
        """A timer of the clock."""
        return TriggerResult.CONTINUE

    @expected
    def on_event_time(self, time: int, window: Any, ctx: Any, /) -> TriggerResult:
        """A timer of event time."""
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        """Whether windows with this trigger may become one."""
        return False

    @expected
    def on_merge(self, window: Any, ctx: Any, /) -> None:
        """Several windows became this one."""

    @expected
    def clear(self, window: Any, ctx: Any, /) -> None:
        """The window is over: its timers and states are not needed any more."""


class NeverTrigger(Trigger):
    """Never gives a result; the others say where they differ."""

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """A record came into the window."""
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """A timer of event time."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """A timer of the clock."""
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        """Whether windows with this trigger may become one."""
        return False

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Several windows became this one."""

    def clear(self, window: Any, ctx: Any) -> None:
        """The window is over: its timers and states are not needed any more."""


class EventTimeTrigger(NeverTrigger):
    """When the watermark passes the window's end, and at every record after that."""

    @classmethod
    def create(cls) -> Self:
        """The trigger."""
        return cls()

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        if window.max_timestamp() > ctx.get_current_watermark():
            ctx.register_event_time_timer(window.max_timestamp())

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.delete_event_time_timer(window.max_timestamp())


class ProcessingTimeTrigger(NeverTrigger):
    """When the clock passes the window's end."""

    @classmethod
    def create(cls) -> Self:
        """The trigger."""
        return cls()

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        ctx.register_processing_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.FIRE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        if window.max_timestamp() > ctx.get_current_processing_time():
            ctx.register_processing_time_timer(window.max_timestamp())

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.delete_processing_time_timer(window.max_timestamp())


def _state(name: str, reduce: Callable[[int, int], int]) -> Any:
    """A number that a trigger keeps. Most windows have none, and need not load functions and states for it."""
    return ReducingStateDescriptor(name, reduce, Types.LONG())


class _Continuous(NeverTrigger):
    """At every interval. The state `state_desc` has the next time."""

    def __init__(self, interval: int) -> None:
        self.interval = interval
        self.state_desc = _state("fire-time", min)

    @classmethod
    def of(cls, interval: Any) -> Self:
        """The trigger of an interval."""
        return cls(milliseconds(interval))

    def _register(self, ctx: Any, time: int) -> None:
        raise NotImplementedError

    def _delete(self, ctx: Any, time: int) -> None:
        raise NotImplementedError

    def _wait_beyond(self, time: int, window: Any, ctx: Any, state: Any) -> None:
        following = min(time + self.interval, window.max_timestamp())
        state.add(following)
        self._register(ctx, following)

    def _begin(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        state = ctx.get_partitioned_state(self.state_desc)
        if state.get() is None:
            self._wait_beyond(time - time % self.interval, window, ctx, state)
        return TriggerResult.CONTINUE

    def _reached(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        state = ctx.get_partitioned_state(self.state_desc)
        if state.get() != time:
            return TriggerResult.CONTINUE
        state.clear()
        self._wait_beyond(time, window, ctx, state)
        return TriggerResult.FIRE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self.state_desc)
        following = ctx.get_partitioned_state(self.state_desc).get()
        if following is not None:
            self._register(ctx, following)

    def clear(self, window: Any, ctx: Any) -> None:
        state = ctx.get_partitioned_state(self.state_desc)
        if (following := state.get()) is not None:
            self._delete(ctx, following)
            state.clear()


class ContinuousEventTimeTrigger(_Continuous):
    """Again and again while event time goes on, and at the window's end."""

    def _register(self, ctx: Any, time: int) -> None:
        ctx.register_event_time_timer(time)

    def _delete(self, ctx: Any, time: int) -> None:
        ctx.delete_event_time_timer(time)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return self._begin(timestamp, window, ctx)

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.FIRE if time == window.max_timestamp() else self._reached(time, window, ctx)


class ContinuousProcessingTimeTrigger(_Continuous):
    """Again and again while the clock goes on."""

    def _register(self, ctx: Any, time: int) -> None:
        ctx.register_processing_time_timer(time)

    def _delete(self, ctx: Any, time: int) -> None:
        ctx.delete_processing_time_timer(time)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        return self._begin(ctx.get_current_processing_time(), window, ctx)

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return self._reached(time, window, ctx)


def _added(one: int, other: int) -> int:
    """How counts of records become one."""
    return one + other


class CountTrigger(NeverTrigger):
    """When so many records have come. The state `state_desc` has how many did."""

    def __init__(self, window_size: int) -> None:
        self.window_size = window_size
        self.state_desc = _state("count", _added)

    @staticmethod
    def of(window_size: int) -> CountTrigger:
        """Every so many records."""
        return CountTrigger(window_size)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        seen = ctx.get_partitioned_state(self.state_desc)
        seen.add(1)
        if seen.get() < self.window_size:
            return TriggerResult.CONTINUE
        seen.clear()
        return TriggerResult.FIRE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self.state_desc)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.get_partitioned_state(self.state_desc).clear()


class PurgingTrigger(NeverTrigger):
    """Another trigger, after whose results windows are emptied."""

    def __init__(self, nested_trigger: Trigger) -> None:
        self.nested_trigger = nested_trigger

    @staticmethod
    def of(nested_trigger: Trigger) -> PurgingTrigger:
        """As the other trigger, and empty."""
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        return _purged(self.nested_trigger.on_element(element, timestamp, window, ctx))

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return _purged(self.nested_trigger.on_event_time(time, window, ctx))

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return _purged(self.nested_trigger.on_processing_time(time, window, ctx))

    def can_merge(self) -> bool:
        return self.nested_trigger.can_merge()

    def on_merge(self, window: Any, ctx: Any) -> None:
        self.nested_trigger.on_merge(window, ctx)

    def clear(self, window: Any, ctx: Any) -> None:
        self.nested_trigger.clear(window, ctx)


def _purged(result: TriggerResult) -> TriggerResult:
    return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result
