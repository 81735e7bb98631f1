"""Event time: what a strategy makes of records, and where a subtask's inputs stand together. Runs on workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_runner.executor.roles.plain import WatermarksRole
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.operators import StreamOperator

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["Channels", "StampOperator"]

_LEAST = -1  # no producer's number


class StampOperator(StreamOperator):
    """Gives every record its event time, and behind it the watermark: the latest time less the disorder allowed.

    In front of the first exchange nothing is kept from batch to batch: readers remember how far each producer was.
    """

    wants_open = False

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.behind = int(spec.options.get("out_of_orderness") or 0) + 1
        self.kept = task.vertex.layer > 0

    def open(self) -> None:
        super().open()
        self.extract = WatermarksRole.fused_call(self)  # type: ignore[arg-type]
        if self.kept:
            self.watermark = self.task.kept(self.spec.id, "max", NO_TIMESTAMP)

    def begin_split(self) -> None:
        if not self.kept:
            self.watermark = NO_TIMESTAMP

    def push(self, value: Any, stamp: int | None) -> None:
        if self.extract is not None:
            stamp = int(self.extract(value))
        self.given += 1
        self.next(value, stamp)
        if stamp is not None and stamp - self.behind > self.watermark:
            self.watermark = stamp - self.behind
            self.pass_on(self.watermark)

    def advance(self, watermark: int) -> None:
        """Watermarks from further up end here, as in Flink; only the end of all input goes on."""
        if watermark == END_OF_TIME:
            super().advance(watermark)

    def save(self) -> None:
        super().save()
        if self.kept:
            self.task.keep(self.spec.id, "max", self.watermark)


class Channels:
    """The watermark of every producer a subtask reads from; the subtask stands where the slowest does.

    A producer with an idle timeout that sent nothing for so long holds nobody back, until it sends again.
    """

    def __init__(self, expected: dict[int, int | None], known: dict[int, int], heard: dict[int, int], now: int) -> None:
        self.marks = {producer: known.get(producer, NO_TIMESTAMP) for producer in expected}
        self._timeouts = {producer: limit for producer, limit in expected.items() if limit is not None}
        self.heard = {producer: heard.get(producer, now) for producer in self._timeouts}
        self._now = now
        self.least = max(NO_TIMESTAMP, known.get(_LEAST, NO_TIMESTAMP))
        self.least = max(self.least, self._minimum())

    def hear(self, producers: set[int]) -> int | None:
        """Take note of who sent something in this batch. Where the subtask stands, if that changed."""
        for producer in producers & self.heard.keys():
            self.heard[producer] = self._now
        return self._risen()

    def rise(self, producer: int, mark: int) -> int | None:
        """Take a producer's watermark. The subtask's own where it rose, else None."""
        before = self.marks.get(producer)
        if before is None or mark <= before:
            return None
        self.marks[producer] = mark
        return self._risen() if before <= self.least else None

    def saved(self) -> dict[int, int]:
        """What the next batch starts from."""
        return {**self.marks, _LEAST: self.least}

    def _risen(self) -> int | None:
        least = self._minimum()
        if least <= self.least:
            return None
        self.least = least
        return least

    def _minimum(self) -> int:
        awake = [mark for producer, mark in self.marks.items() if not self._is_idle(producer)]
        return min(awake, default=NO_TIMESTAMP)

    def _is_idle(self, producer: int) -> bool:
        limit = self._timeouts.get(producer)
        return limit is not None and self._now - self.heard[producer] >= limit
