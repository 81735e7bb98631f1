"""Windows with triggers in the streaming reference: plain lists of records, and a set of timers that is searched.

Only the triggers that random jobs use are here, each written down by what it does, not by how.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner import ContinuousEventTimeTrigger, CountTrigger, PurgingTrigger
from planner.job import Window
from spark_runner.executor.keys import key_bytes

Found = tuple[Any, tuple[int, ...], list[Any], Any]  # key, window, records, time of the result


class TriggeredWindows:
    """The windows of one operator in one subtask. Gives what fires; the node makes results of it."""

    def __init__(self, shape: Window) -> None:
        self.shape = shape
        purging = isinstance(shape.trigger, PurgingTrigger)
        inner = shape.trigger.nested_trigger if purging else shape.trigger
        self.purges = purging
        self.count = inner.window_size if isinstance(inner, CountTrigger) else None
        self.interval = inner.interval if isinstance(inner, ContinuousEventTimeTrigger) else None
        self.records: dict[Any, list[Any]] = {}  # count and global windows: everything of a key
        self.held: dict[tuple[Any, tuple[int, int]], list[Any]] = {}
        self.since: dict[tuple[Any, tuple[int, int]], int] = {}  # records since the last result
        self.timers: set[tuple[int, Any, tuple[int, int]]] = set()
        self.next: dict[tuple[Any, tuple[int, int]], int] = {}

    def take(self, key: Any, value: Any, stamp: int, watermark: int) -> tuple[list[Found], bool]:
        """What fires with one record, and whether the record is late."""
        if self.shape.assigner in ("count", "global"):
            return list(self._counted(key, value, stamp)), False
        fired, late = [], True
        for window in self._windows(key, value, stamp):
            if window[1] - 1 + self.shape.lateness <= watermark:
                continue
            late = False
            held = self.held.setdefault((key, window), [])
            held.append(value)
            if self._fires_now(key, window, stamp, watermark):
                fired.append((key, window, list(held), window[1] - 1))
                if self.purges:
                    held.clear()
        return fired, late and stamp + self.shape.lateness <= watermark

    def _counted(self, key: Any, value: Any, stamp: int) -> Iterator[Found]:
        records = self.records.setdefault(key, [])
        records.append(value)
        size, slide, number = self.shape.size, self.shape.slide, len(records)
        if self.shape.assigner == "count":
            step = slide or size
            first = number - size
            if first >= 0 and first % step == 0:
                yield key, (first // step,), records[first:], stamp
        elif number % self.count == 0:  # type: ignore[operator]
            yield key, (), records[-self.count :] if self.purges else list(records), stamp  # type: ignore[operator]

    def _windows(self, key: Any, value: Any, stamp: int) -> list[tuple[int, int]]:
        shape = self.shape
        if shape.assigner == "session":
            gap = shape.size if shape.gap is None else shape.gap.target(value)
            return [self._session(key, (stamp, stamp + gap))]
        step = shape.slide or shape.size
        last = stamp - (stamp - shape.offset) % step
        return [(start, start + shape.size) for start in range(last, stamp - shape.size, -step)]

    def _session(self, key: Any, new: tuple[int, int]) -> tuple[int, int]:
        met = sorted(w for k, w in self.held if k == key and w[0] <= new[1] and new[0] <= w[1])
        whole = (min([new[0], *(w[0] for w in met)]), max([new[1], *(w[1] for w in met)]))
        if met and met != [whole]:
            self.held[key, whole] = [one for window in met for one in self.held.pop((key, window))]
            self.timers = {timer for timer in self.timers if timer[1] != key or timer[2] not in met}
            self.timers.add((whole[1] - 1, key, whole))
        return whole

    def _fires_now(self, key: Any, window: tuple[int, int], stamp: int, watermark: int) -> bool:
        if self.count is not None:
            self.since[key, window] = self.since.get((key, window), 0) + 1
            full = self.since[key, window] >= self.count
            if full:
                self.since[key, window] = 0
            return full
        if window[1] - 1 <= watermark:
            return True
        self.timers.add((window[1] - 1, key, window))
        if self.interval is not None and (key, window) not in self.next:
            self._later(key, window, stamp - stamp % self.interval + self.interval)
        return False

    def _later(self, key: Any, window: tuple[int, int], when: int) -> None:
        self.next[key, window] = min(when, window[1] - 1)
        self.timers.add((self.next[key, window], key, window))

    def rise(self, watermark: int) -> Iterator[Found]:
        """What fires when event time has come this far, one after the other; then what is over is forgotten."""
        while due := [timer for timer in self.timers if timer[0] <= watermark]:
            timer = min(due, key=lambda one: (one[0], key_bytes(one[1]), one[2]))
            self.timers.remove(timer)
            when, key, window = timer
            held = self.held.get((key, window), [])
            again = self.next.get((key, window)) == when and when != window[1] - 1
            if again:
                self._later(key, window, when + self.interval)  # type: ignore[operator]
            if held and (again or when == window[1] - 1):
                yield key, window, list(held), window[1] - 1
                if self.purges:
                    held.clear()
        for key, window in [one for one in self.held if one[1][1] - 1 + self.shape.lateness <= watermark]:
            for kept in (self.held, self.since, self.next):
                kept.pop((key, window), None)  # type: ignore[attr-defined]
