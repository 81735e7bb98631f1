"""The windows of `pyflink.datastream.window`, and the serializers that PyFlink names for them."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable
from io import BytesIO
from typing import Any, Final

from planner.frontends.python.values.serializers import TypeSerializer

__all__ = [
    "MAX_LONG_VALUE", "MIN_LONG_VALUE", "CountWindow", "CountWindowSerializer", "GlobalWindow",
    "GlobalWindowSerializer", "TimeWindow", "TimeWindowSerializer", "Window",
]  # fmt: skip

MAX_LONG_VALUE: Final = 2**63 - 1
MIN_LONG_VALUE: Final = -(2**63)


class Window(ABC):
    """A group of records."""

    @abstractmethod
    def max_timestamp(self) -> int:
        """The last point in time that belongs to the window."""


class TimeWindow(Window):
    """From `start` to before `end`, in milliseconds."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    def max_timestamp(self) -> int:
        """The last millisecond."""
        return self.end - 1

    def intersects(self, other: TimeWindow) -> bool:
        """Whether the windows touch."""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: TimeWindow) -> TimeWindow:
        """The window over both."""
        return TimeWindow(min(self.start, other.start), max(self.end, other.end))

    @staticmethod
    def get_window_start_with_offset(timestamp: int, offset: int, window_size: int) -> int:
        """Where the window of a timestamp begins."""
        return timestamp - (timestamp - offset + window_size) % window_size

    @staticmethod
    def merge_windows(windows: Iterable[TimeWindow], callback: Any) -> None:
        """Tell the callback which windows become one."""
        groups: list[tuple[TimeWindow, set[TimeWindow]]] = []
        for window in sorted(windows):
            if groups and groups[-1][0].intersects(window):
                groups[-1] = (groups[-1][0].cover(window), groups[-1][1] | {window})
            else:
                groups.append((window, {window}))
        for whole, parts in groups:
            if len(parts) > 1:
                callback.merge(parts, whole)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimeWindow) and (self.start, self.end) == (other.start, other.end)

    def __lt__(self, other: TimeWindow) -> bool:
        return (self.start, self.end) < (other.start, other.end)

    def __le__(self, other: TimeWindow) -> bool:
        return (self.start, self.end) <= (other.start, other.end)

    def __repr__(self) -> str:
        return f"TimeWindow(start={self.start}, end={self.end})"


class CountWindow(Window):
    """The window of a number."""

    def __init__(self, id: int) -> None:
        self.id = id

    def max_timestamp(self) -> int:
        """It never ends by itself."""
        return MAX_LONG_VALUE

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountWindow) and self.id == other.id

    def __repr__(self) -> str:
        return f"CountWindow(id={self.id})"


class GlobalWindow(Window):
    """The one window of all records."""

    @staticmethod
    def get() -> GlobalWindow:
        """The window."""
        return GlobalWindow()

    def max_timestamp(self) -> int:
        """It never ends by itself."""
        return MAX_LONG_VALUE

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalWindow)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "GlobalWindow"


class TimeWindowSerializer(TypeSerializer[TimeWindow]):
    """Two whole numbers."""

    def serialize(self, element: TimeWindow, stream: BytesIO) -> None:
        """Write start and end."""
        stream.write(struct.pack(">qq", element.start, element.end))

    def deserialize(self, stream: BytesIO) -> TimeWindow:
        """Read start and end."""
        return TimeWindow(*struct.unpack(">qq", stream.read(16)))


class CountWindowSerializer(TypeSerializer[CountWindow]):
    """One whole number."""

    def serialize(self, element: CountWindow, stream: BytesIO) -> None:
        """Write the number."""
        stream.write(struct.pack(">q", element.id))

    def deserialize(self, stream: BytesIO) -> CountWindow:
        """Read the number."""
        return CountWindow(*struct.unpack(">q", stream.read(8)))


class GlobalWindowSerializer(TypeSerializer[GlobalWindow]):
    """One byte."""

    def serialize(self, element: GlobalWindow, stream: BytesIO) -> None:
        """Write the byte."""
        stream.write(b"\0")

    def deserialize(self, stream: BytesIO) -> GlobalWindow:
        """Read the byte."""
        stream.read(1)
        return GlobalWindow()
