"""The triggers of `pyflink.datastream.window`: when a window gives its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from planner.frontends.pyflink.declared.functions import ReducingStateDescriptor
from planner.frontends.pyflink.values.times import Time
from planner.frontends.pyflink.values.types import Types
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

__all__ = [
    "ContinuousEventTimeTrigger", "ContinuousProcessingTimeTrigger", "CountTrigger", "EventTimeTrigger",
    "NeverTrigger", "ProcessingTimeTrigger", "PurgingTrigger", "T", "Trigger", "TriggerResult", "W",
]  # fmt: skip

T = TypeVar("T")
W = TypeVar("W")
_LONG = Types.LONG()  # type: ignore[attr-defined]


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


class NeverTrigger(NeverRule, Trigger[Any, Any]):
    """Never gives a result."""


class EventTimeTrigger(EventTimeRule, Trigger[Any, Any]):
    """Gives the result when the watermark passes the window's end."""


class ProcessingTimeTrigger(ProcessingTimeRule, Trigger[Any, Any]):
    """Gives the result when the clock passes the window's end."""


class ContinuousEventTimeTrigger(ContinuousEventTimeRule, Trigger[Any, Any]):
    """Gives a result at every interval of event time."""

    def __init__(self, interval: int) -> None:
        super().__init__(interval, ReducingStateDescriptor("fire-time", min, _LONG))

    @staticmethod
    def of(interval: Time) -> ContinuousEventTimeTrigger:
        """The trigger of an interval."""
        return ContinuousEventTimeTrigger(interval.to_milliseconds())


class ContinuousProcessingTimeTrigger(ContinuousProcessingTimeRule, Trigger[Any, Any]):
    """Gives a result at every interval of the clock."""

    def __init__(self, interval: int) -> None:
        super().__init__(interval, ReducingStateDescriptor("fire-time", min, _LONG))

    @staticmethod
    def of(interval: Time) -> ContinuousProcessingTimeTrigger:
        """The trigger of an interval."""
        return ContinuousProcessingTimeTrigger(interval.to_milliseconds())


class CountTrigger(CountRule, Trigger[Any, Any]):
    """Gives the result when a number of records has come."""

    def __init__(self, window_size: int) -> None:
        super().__init__(window_size, ReducingStateDescriptor("count", added, _LONG))

    @staticmethod
    def of(window_size: int) -> CountTrigger:
        """The trigger of a number."""
        return CountTrigger(window_size)


class PurgingTrigger(PurgingRule, Trigger[Any, Any]):
    """Empties the window whenever another trigger gives its result."""

    @staticmethod
    def of(nested_trigger: Trigger[Any, Any]) -> PurgingTrigger:
        """The trigger around another one."""
        return PurgingTrigger(nested_trigger)
