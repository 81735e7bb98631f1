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
    """The watermark of every producer a subtask reads from; the subtask stands where the slowest does."""

    def __init__(self, expected: set[int], known: dict[int, int]) -> None:
        self.marks = {producer: known.get(producer, NO_TIMESTAMP) for producer in expected}
        self.least = min(self.marks.values(), default=NO_TIMESTAMP)

    def rise(self, producer: int, mark: int) -> int | None:
        """Take a producer's watermark. The subtask's own where it rose, else None."""
        before = self.marks.get(producer)
        if before is None or mark <= before:
            return None
        self.marks[producer] = mark
        if before != self.least:
            return None
        least = min(self.marks.values())
        if least == self.least:
            return None
        self.least = least
        return least
