"""The triggers of `pyflink.datastream.window`: when a window gives its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Generic, TypeVar

from planner.frontends.pyflink.declared.datastream.state import ReducingStateDescriptor
from planner.frontends.pyflink.values.times import Time
from planner.frontends.pyflink.values.types import Types

__all__ = [
    "ContinuousEventTimeTrigger", "ContinuousProcessingTimeTrigger", "CountTrigger", "EventTimeTrigger",
    "NeverTrigger", "ProcessingTimeTrigger", "PurgingTrigger", "T", "Trigger", "TriggerResult", "W",
]  # fmt: skip

T = TypeVar("T")
W = TypeVar("W")
_LONG = Types.LONG()  # type: ignore[attr-defined]


class TriggerResult(Enum):
    """Whether to give the window's result, and whether to empty it."""

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


class Trigger(ABC, Generic[T, W]):
    """Decides when a window gives its result."""

    class TriggerContext(ABC):
        """What a trigger can ask and set."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """The time on the clock."""

        @abstractmethod
        def get_metric_group(self) -> Any:
            """Where metrics are counted."""

        @abstractmethod
        def get_current_watermark(self) -> int:
            """The event time reached."""

        @abstractmethod
        def register_processing_time_timer(self, time: int) -> None:
            """Call `on_processing_time` then."""

        @abstractmethod
        def register_event_time_timer(self, time: int) -> None:
            """Call `on_event_time` then."""

        @abstractmethod
        def delete_processing_time_timer(self, time: int) -> None:
            """Take a timer back."""

        @abstractmethod
        def delete_event_time_timer(self, time: int) -> None:
            """Take a timer back."""

        @abstractmethod
        def get_partitioned_state(self, state_descriptor: Any) -> Any:
            """State of the key and window."""

    class OnMergeContext(TriggerContext):
        """What a trigger can do while windows become one."""

        @abstractmethod
        def merge_partitioned_state(self, state_descriptor: Any) -> None:
            """Join the state of the windows."""

    @abstractmethod
    def on_element(self, element: T, timestamp: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """A record came."""

    @abstractmethod
    def on_processing_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """A timer of the clock."""

    @abstractmethod
    def on_event_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """A timer of event time."""

    def can_merge(self) -> bool:
        """Whether windows may become one."""
        return False

    @abstractmethod
    def on_merge(self, window: W, ctx: Trigger.OnMergeContext) -> None:
        """Windows became one."""

    @abstractmethod
    def clear(self, window: W, ctx: Trigger.TriggerContext) -> None:
        """The window ends."""


class _Quiet(Trigger[Any, Any]):
    """A trigger that does nothing, for others to fill in."""

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """Go on."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """Go on."""
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """Go on."""
        return TriggerResult.CONTINUE

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Nothing to do."""

    def clear(self, window: Any, ctx: Any) -> None:
        """Nothing to do."""


class NeverTrigger(_Quiet):
    """Never gives a result."""


class EventTimeTrigger(_Quiet):
    """Gives the result when the watermark passes the window's end."""

    @staticmethod
    def create() -> EventTimeTrigger:
        """The trigger."""
        return EventTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """At once for a window that has ended."""
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """At the window's end."""
        return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        """Yes."""
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Wait for the new end."""
        if window.max_timestamp() > ctx.get_current_watermark():
            ctx.register_event_time_timer(window.max_timestamp())

    def clear(self, window: Any, ctx: Any) -> None:
        """Stop waiting."""
        ctx.delete_event_time_timer(window.max_timestamp())


class ProcessingTimeTrigger(_Quiet):
    """Gives the result when the clock passes the window's end."""

    @staticmethod
    def create() -> ProcessingTimeTrigger:
        """The trigger."""
        return ProcessingTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """Wait for the end."""
        ctx.register_processing_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """At the window's end."""
        return TriggerResult.FIRE

    def can_merge(self) -> bool:
        """Yes."""
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Wait for the new end."""
        if window.max_timestamp() > ctx.get_current_processing_time():
            ctx.register_processing_time_timer(window.max_timestamp())

    def clear(self, window: Any, ctx: Any) -> None:
        """Stop waiting."""
        ctx.delete_processing_time_timer(window.max_timestamp())


class _Continuous(_Quiet):
    """Gives a result at every interval."""

    def __init__(self, interval: int) -> None:
        self.interval = interval
        self.state_desc = ReducingStateDescriptor("fire-time", min, _LONG)

    def _register(self, ctx: Any, time: int) -> None:
        raise NotImplementedError

    def _delete(self, ctx: Any, time: int) -> None:
        raise NotImplementedError

    def _next(self, time: int, window: Any, ctx: Any, state: Any) -> None:
        following = min(time + self.interval, window.max_timestamp())
        state.add(following)
        self._register(ctx, following)

    def _begin(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        state = ctx.get_partitioned_state(self.state_desc)
        if state.get() is None:
            self._next(time - time % self.interval, window, ctx, state)
        return TriggerResult.CONTINUE

    def _reached(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        state = ctx.get_partitioned_state(self.state_desc)
        if state.get() != time:
            return TriggerResult.CONTINUE
        state.clear()
        self._next(time, window, ctx, state)
        return TriggerResult.FIRE

    def can_merge(self) -> bool:
        """Yes."""
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Wait for the nearest of the next times."""
        ctx.merge_partitioned_state(self.state_desc)
        following = ctx.get_partitioned_state(self.state_desc).get()
        if following is not None:
            self._register(ctx, following)

    def clear(self, window: Any, ctx: Any) -> None:
        """Stop waiting."""
        state = ctx.get_partitioned_state(self.state_desc)
        if (following := state.get()) is not None:
            self._delete(ctx, following)
            state.clear()


class ContinuousEventTimeTrigger(_Continuous):
    """Gives a result at every interval of event time."""

    @staticmethod
    def of(interval: Time) -> ContinuousEventTimeTrigger:
        """The trigger of an interval."""
        return ContinuousEventTimeTrigger(interval.to_milliseconds())

    def _register(self, ctx: Any, time: int) -> None:
        ctx.register_event_time_timer(time)

    def _delete(self, ctx: Any, time: int) -> None:
        ctx.delete_event_time_timer(time)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """At once for a window that has ended."""
        if window.max_timestamp() <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return self._begin(timestamp, window, ctx)

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """At every interval, and at the end."""
        return TriggerResult.FIRE if time == window.max_timestamp() else self._reached(time, window, ctx)


class ContinuousProcessingTimeTrigger(_Continuous):
    """Gives a result at every interval of the clock."""

    @staticmethod
    def of(interval: Time) -> ContinuousProcessingTimeTrigger:
        """The trigger of an interval."""
        return ContinuousProcessingTimeTrigger(interval.to_milliseconds())

    def _register(self, ctx: Any, time: int) -> None:
        ctx.register_processing_time_timer(time)

    def _delete(self, ctx: Any, time: int) -> None:
        ctx.delete_processing_time_timer(time)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """Wait for the next interval."""
        return self._begin(ctx.get_current_processing_time(), window, ctx)

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """At every interval."""
        return self._reached(time, window, ctx)


class CountTrigger(_Quiet):
    """Gives the result when a number of records has come."""

    def __init__(self, window_size: int) -> None:
        self._window_size = window_size
        self._count = ReducingStateDescriptor("count", lambda first, second: first + second, _LONG)

    @staticmethod
    def of(window_size: int) -> CountTrigger:
        """The trigger of a number."""
        return CountTrigger(window_size)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """Count."""
        state = ctx.get_partitioned_state(self._count)
        state.add(1)
        if state.get() < self._window_size:
            return TriggerResult.CONTINUE
        state.clear()
        return TriggerResult.FIRE

    def can_merge(self) -> bool:
        """Yes."""
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Add the counts up."""
        ctx.merge_partitioned_state(self._count)

    def clear(self, window: Any, ctx: Any) -> None:
        """Forget the count."""
        ctx.get_partitioned_state(self._count).clear()


class PurgingTrigger(_Quiet):
    """Empties the window whenever another trigger gives its result."""

    def __init__(self, nested_trigger: Trigger[Any, Any]) -> None:
        self.nested_trigger = nested_trigger

    @staticmethod
    def of(nested_trigger: Trigger[Any, Any]) -> PurgingTrigger:
        """The trigger around another one."""
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        """As the other one."""
        return _purged(self.nested_trigger.on_element(element, timestamp, window, ctx))

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """As the other one."""
        return _purged(self.nested_trigger.on_processing_time(time, window, ctx))

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """As the other one."""
        return _purged(self.nested_trigger.on_event_time(time, window, ctx))

    def can_merge(self) -> bool:
        """As the other one."""
        return self.nested_trigger.can_merge()

    def on_merge(self, window: Any, ctx: Any) -> None:
        """As the other one."""
        self.nested_trigger.on_merge(window, ctx)

    def clear(self, window: Any, ctx: Any) -> None:
        """As the other one."""
        self.nested_trigger.clear(window, ctx)


def _purged(result: TriggerResult) -> TriggerResult:
    return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result
