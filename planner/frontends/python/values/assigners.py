"""The window assigners of `pyflink.datastream.window`: which windows a record belongs to.

A plan takes only the name of an assigner's class from here; assigning is for runs and for users' own tests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, Self, TypeVar

from planner.frontends.python.declared.functions import ValueStateDescriptor
from planner.frontends.python.differences import Interface, as_pyflink, milliseconds, required, wrong
from planner.frontends.python.values.triggers import (
    CountTrigger,
    EventTimeTrigger,
    NeverTrigger,
    ProcessingTimeTrigger,
    Trigger,
)
from planner.frontends.python.values.types import Types
from planner.frontends.python.values.windows import (
    MIN_LONG_VALUE,
    CountWindow,
    CountWindowSerializer,
    GlobalWindow,
    GlobalWindowSerializer,
    TimeWindow,
    TimeWindowSerializer,
)

__all__ = [
    "CountSlidingWindowAssigner", "CountTumblingWindowAssigner", "DynamicEventTimeSessionWindows",
    "DynamicProcessingTimeSessionWindows", "EventTimeSessionWindows", "GlobalWindows", "MergingWindowAssigner",
    "ProcessingTimeSessionWindows", "SessionWindowTimeGapExtractor", "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows", "TumblingEventTimeWindows", "TumblingProcessingTimeWindows", "WindowAssigner",
]  # fmt: skip

T = TypeVar("T")
W = TypeVar("W")
W2 = TypeVar("W2")
_NO_TIMESTAMP = (
    "Record has Java Long.MIN_VALUE timestamp (= no timestamp marker). Is the time characteristic set to "
    "'ProcessingTime', or did you forget to call 'data_stream.assign_timestamps_and_watermarks(...)'?"
)


class WindowAssigner(Interface):
    """Says which windows a record belongs to."""

    class WindowAssignerContext(Interface):
        """What an assigner can ask."""

        @required
        def get_current_processing_time(self) -> int:
            """The time on the clock."""

        @required
        def get_runtime_context(self) -> Any:
            """The context of the operator."""

    @required
    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> Collection[Any]:
        """The windows of a record."""

    @required
    def get_default_trigger(self, env: Any) -> Trigger:
        """The trigger where none is given."""

    @required
    def get_window_serializer(self) -> Any:
        """How windows are written."""

    @required
    def is_event_time(self) -> bool:
        """Whether windows go by event time."""


class MergingWindowAssigner(WindowAssigner):
    """An assigner whose windows may become one."""

    class MergeCallback(Interface):
        """Is told which windows become one."""

        @required
        def merge(self, to_be_merged: Iterable[Any], merge_result: Any) -> None:
            """These became this one."""

    @required
    def merge_windows(self, windows: Iterable[Any], callback: MergingWindowAssigner.MergeCallback) -> None:
        """Find the windows that become one."""


class SessionWindowTimeGapExtractor(Interface):
    """Reads the gap that ends a session from a record."""

    @required
    def extract(self, element: Any) -> int:
        """The gap in milliseconds."""


def _refused(message: str) -> Exception:
    return Exception(message) if as_pyflink() else wrong(message)


class _TimeWindows(WindowAssigner):
    """Windows of one size, by event time or by the clock."""

    _event_time: ClassVar[bool]

    @classmethod
    def _own(cls) -> type[Self]:
        """PyFlink's own class: its factories make it, whichever subclass of a user's they are called on."""
        return next(kind for kind in cls.__mro__ if kind.__module__ == __name__)

    def get_default_trigger(self, env: Any) -> Trigger:
        """The trigger of the time the windows go by."""
        return EventTimeTrigger() if self._event_time else ProcessingTimeTrigger()

    def get_window_serializer(self) -> TimeWindowSerializer:
        """Two whole numbers."""
        return TimeWindowSerializer()

    def is_event_time(self) -> bool:
        """As the class says."""
        return self._event_time

    def _time(self, timestamp: int, context: Any) -> int:
        if not self._event_time:
            return int(context.get_current_processing_time())
        if timestamp <= MIN_LONG_VALUE:
            raise Exception(_NO_TIMESTAMP)
        return timestamp


class _Tumbling(_TimeWindows):
    def __init__(self, size: int, offset: int) -> None:
        if abs(offset) >= size:
            raise _refused(f"{type(self).__name__} parameters must satisfy abs(offset) < size")
        self._size = size
        self._offset = offset

    @classmethod
    def of(cls, size: Any, offset: Any = None) -> Self:
        """Windows of a size, one after the other."""
        return cls._own()(milliseconds(size), milliseconds(offset) if offset is not None else 0)

    def assign_windows(self, element: Any, timestamp: int, context: Any) -> list[TimeWindow]:
        """The one window of the record's time."""
        start = TimeWindow.get_window_start_with_offset(self._time(timestamp, context), self._offset, self._size)
        return [TimeWindow(start, start + self._size)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._size}, {self._offset})"


class TumblingEventTimeWindows(_Tumbling):
    """Tumbling windows by event time."""

    _event_time = True


class TumblingProcessingTimeWindows(_Tumbling):
    """Tumbling windows by the clock."""

    _event_time = False


class _Sliding(_TimeWindows):
    def __init__(self, size: int, slide: int, offset: int) -> None:
        if abs(offset) >= slide or size <= 0:
            raise _refused(f"{type(self).__name__} parameters must satisfy abs(offset) < slide and size > 0")
        self._size = size
        self._slide = slide
        self._offset = offset

    @classmethod
    def of(cls, size: Any, slide: Any, offset: Any = None) -> Self:
        """Windows of a size, a new one at every slide."""
        return cls._own()(milliseconds(size), milliseconds(slide), milliseconds(offset) if offset is not None else 0)

    def assign_windows(self, element: Any, timestamp: int, context: Any) -> list[TimeWindow]:
        """All windows over the record's time."""
        time = self._time(timestamp, context)
        last = TimeWindow.get_window_start_with_offset(time, self._offset, self._slide)
        return [TimeWindow(start, start + self._size) for start in range(last, time - self._size, -self._slide)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._size}, {self._slide}, {self._offset})"


class SlidingEventTimeWindows(_Sliding):
    """Sliding windows by event time."""

    _event_time = True


class SlidingProcessingTimeWindows(_Sliding):
    """Sliding windows by the clock."""

    _event_time = False


class _Sessions(_TimeWindows, MergingWindowAssigner):
    """Windows that end after a gap."""

    _session_gap = 0

    def merge_windows(self, windows: Iterable[TimeWindow], callback: Any) -> None:
        """Windows that touch become one."""
        TimeWindow.merge_windows(windows, callback)

    def _gap(self, element: Any) -> int:
        return self._session_gap

    def assign_windows(self, element: Any, timestamp: int, context: Any) -> list[TimeWindow]:
        """From the record to the end of the gap."""
        time = self._time(timestamp, context)
        return [TimeWindow(time, time + self._gap(element))]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._session_gap})"


def gap_function(extractor: Any) -> Any:
    """What reads the gap: PyFlink's extractor, or a plain function of a planner job."""
    return getattr(extractor, "extract", extractor)


class _DynamicSessions(_Sessions):
    def __init__(self, session_window_time_gap_extractor: Any) -> None:
        if not as_pyflink() and not callable(gap_function(session_window_time_gap_extractor)):
            raise wrong(f"with_dynamic_gap takes a function of a record, found {session_window_time_gap_extractor!r}")
        self._extractor = session_window_time_gap_extractor

    @classmethod
    def with_dynamic_gap(cls, extractor: Any) -> Self:
        """Sessions whose gap is read from the records."""
        return cls._own()(extractor)

    def _gap(self, element: Any) -> int:
        self._session_gap = gap_function(self._extractor)(element)
        if self._session_gap <= 0:
            raise Exception("Dynamic session time gap must satisfy 0 < gap")
        return self._session_gap


class DynamicEventTimeSessionWindows(_DynamicSessions):
    """Sessions by event time whose gap is read from the records."""

    _event_time = True


class DynamicProcessingTimeSessionWindows(_DynamicSessions):
    """Sessions by the clock whose gap is read from the records."""

    _event_time = False


class _FixedSessions(_Sessions):
    _dynamic: ClassVar[type[_DynamicSessions]]

    def __init__(self, session_gap: int) -> None:
        if session_gap <= 0:
            raise _refused(f"{type(self).__name__} parameters must satisfy 0 < size")
        self._session_gap = session_gap

    @classmethod
    def with_gap(cls, size: Any) -> Self:
        """Sessions with one gap."""
        return cls._own()(milliseconds(size))

    @classmethod
    def with_dynamic_gap(cls, extractor: Any) -> _DynamicSessions:
        """Sessions whose gap is read from the records."""
        return cls._dynamic(extractor)


class EventTimeSessionWindows(_FixedSessions):
    """Sessions by event time."""

    _event_time = True
    _dynamic = DynamicEventTimeSessionWindows


class ProcessingTimeSessionWindows(_FixedSessions):
    """Sessions by the clock."""

    _event_time = False
    _dynamic = DynamicProcessingTimeSessionWindows


class GlobalWindows(WindowAssigner):
    """One window for all records of a key; a trigger says when it gives a result."""

    def __init__(self) -> None:
        super().__init__()

    @staticmethod
    def create() -> GlobalWindows:
        """The assigner."""
        return GlobalWindows()

    def assign_windows(self, element: Any, timestamp: int, context: Any) -> list[GlobalWindow]:
        """The one window."""
        return [GlobalWindow.get()]

    def get_default_trigger(self, env: Any) -> Trigger:
        """None fires by itself."""
        return NeverTrigger()

    def get_window_serializer(self) -> GlobalWindowSerializer:
        """One byte."""
        return GlobalWindowSerializer()

    def is_event_time(self) -> bool:
        """No time at all."""
        return False

    def __repr__(self) -> str:
        return "GlobalWindows()"


class _Counted(WindowAssigner):
    """Windows of a number of records."""

    def __init__(self, window_size: int, state: str) -> None:
        self._window_size = window_size
        self._seen = ValueStateDescriptor(state, Types.LONG())

    def _count(self, context: Any) -> int:
        state = context.get_runtime_context().get_state(self._seen)
        count = state.value() or 0
        state.update(count + 1)
        return int(count)

    def get_default_trigger(self, env: Any) -> Trigger:
        """When the window is full."""
        return CountTrigger(self._window_size)

    def get_window_serializer(self) -> CountWindowSerializer:
        """One whole number."""
        return CountWindowSerializer()

    def is_event_time(self) -> bool:
        """No time at all."""
        return False


class CountTumblingWindowAssigner(_Counted):
    """Windows of a number of records, one after the other."""

    def __init__(self, window_size: int) -> None:
        super().__init__(window_size, "tumble-count-assigner")

    @staticmethod
    def of(window_size: int) -> CountTumblingWindowAssigner:
        """The assigner of a number."""
        return CountTumblingWindowAssigner(window_size)

    def assign_windows(self, element: Any, timestamp: int, context: Any) -> list[CountWindow]:
        """The window of the record's number."""
        return [CountWindow(self._count(context) // self._window_size)]

    def __repr__(self) -> str:
        return f"CountTumblingWindowAssigner({self._window_size})"


class CountSlidingWindowAssigner(_Counted):
    """Windows of a number of records, a new one every few records."""

    def __init__(self, window_size: int, window_slide: int) -> None:
        super().__init__(window_size, "slide-count-assigner")
        self._window_slide = window_slide

    @staticmethod
    def of(window_size: int, window_slide: int) -> CountSlidingWindowAssigner:
        """The assigner of two numbers."""
        return CountSlidingWindowAssigner(window_size, window_slide)

    def assign_windows(self, element: Any, timestamp: int, context: Any) -> list[CountWindow]:
        """All windows over the record's number."""
        count = self._count(context)
        last = count // self._window_slide
        return [
            CountWindow(number)
            for number in range(last, -1, -1)
            if number * self._window_slide + self._window_size > count
        ]

    def __repr__(self) -> str:
        return f"CountSlidingWindowAssigner({self._window_size}, {self._window_slide})"
