"""Windows as they are shipped: their shape, and which windows a record belongs to. Runs on workers.

Standard library only: a program is lowered, and printed by `--dry-run`, where pyarrow is not installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP, TimeWindow

if TYPE_CHECKING:
    from spark_runner.executor.windows import AssignerContext

__all__ = ["NO_EVENT_TIME", "RecordAssigner", "TimeAssigner", "WindowShape"]

NO_EVENT_TIME = (
    "the record has no event time: before the window, call assign_timestamps_and_watermarks "
    "with a strategy that has a timestamp assigner, or set `time`"
)
_SEEN = "\0seen"  # the name of a key's own state: how many records it had


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowShape:
    """A window as workers get it: by its bounds where it is plain, else by an assigner and a trigger."""

    form: str  # "reduce", "aggregate", "apply" or "process"
    function: Any
    window_function: Any = None  # after reduce and aggregate
    all_records: bool = False  # functions get no key
    lateness: int = 0
    late_tag: str | None = None
    plain: tuple[str, int, int | None, int] | None = None  # kind, size, slide, offset
    gap: Callable[[Any], int] | None = None  # of a plain session whose gap comes from its records
    window_class: Any = None  # what functions see; None: ours
    assigner: Any = None
    trigger: Any = None


class GlobalWindow:
    """The one window of a key."""

    def max_timestamp(self) -> int:
        return END_OF_TIME

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return 0


class CountWindow(GlobalWindow):
    """A window of a number of records."""

    def __init__(self, id: int) -> None:
        self.id = id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountWindow) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


class TimeAssigner:
    """Windows of time by their kind, by event time or by the clock; the gap of a session may come from its records."""

    def __init__(
        self, *, kind: str, size: int, slide: int | None, offset: int, by_clock: bool, gap: Callable[[Any], int] | None
    ) -> None:
        self.kind, self.size, self.offset, self.by_clock, self.gap = kind, size, offset, by_clock, gap
        self.step = size if kind == "tumbling" or slide is None else slide
        self.touch = kind == "session"  # windows that touch become one

    def is_event_time(self) -> bool:
        return not self.by_clock

    def assign_windows(self, value: Any, stamp: int, context: AssignerContext) -> list[TimeWindow]:
        time = context.get_current_processing_time() if self.by_clock else stamp
        if time == NO_TIMESTAMP:
            raise ValueError(NO_EVENT_TIME)
        if self.kind == "session":
            size = self.size if self.gap is None else int(self.gap(value))
            if size <= 0:
                raise ValueError(f"the gap of a session must be positive, found {size}")
            return [TimeWindow(time, time + size)]
        last = time - (time - self.offset) % self.step
        return [TimeWindow(start, start + self.size) for start in range(last, time - self.size, -self.step)]


class RecordAssigner:
    """Windows of a number of records, or one for all."""

    touch = False

    def __init__(self, *, kind: str, size: int, slide: int | None) -> None:
        self.kind, self.size, self.step = kind, size, slide or size

    def is_event_time(self) -> bool:
        return False

    def assign_windows(self, value: Any, stamp: int, context: AssignerContext) -> list[GlobalWindow]:
        if self.kind == "global":
            return [GlobalWindow()]
        values = context.values()
        number = values.get(_SEEN, 0)
        values[_SEEN] = number + 1
        last = number // self.step
        numbers = range(last, -1, -1)
        return [CountWindow(n) for n in numbers if n * self.step + self.size > number and n > last - self.size - 1]
