"""Operators without state, each pushing a record on before the next one is taken. Runs on workers.

`push(value, stamp)` takes one record; `advance(watermark)` says that event time has come that far. The user's function
is called without a try for each record: when it fails, the frames of the traceback tell which operator called it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spark_runner.executor.failures import RAISED, OperatorFailed, failed_by, shown
from spark_runner.executor.roles.plain import method, tagged_as, with_context
from spark_runner.executor.streaming.attributes import Attributes
from spark_runner.executor.streaming.contexts import StreamContext, StreamRuntime
from spark_runner.executor.streaming.layout import OperatorSpec

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["Push", "StreamOperator", "failure_in"]

Push = Callable[[Any, "int | None"], None]


class StreamOperator:
    """One operator at work in one subtask."""

    wants_open = True

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        self.spec, self.task = spec, task
        function = spec.function
        self.function = function() if isinstance(function, type) else function
        self.targets: list[Any] = []  # operators and exits behind the main output
        self.sides: dict[str, list[Any]] = {}
        self.next: Push = _nowhere
        self.given = 0
        self.given_aside: dict[str, int] = {}
        self.late = 0
        self.watermark = -(2**63)

    def open(self) -> None:
        """Before the first record of a batch."""
        self.next = fan(self.targets)
        opening = getattr(self.function, "open", None)
        if self.wants_open and callable(opening):
            opening(self.runtime())
        self.attributes = Attributes.of(self.function) if self.task.vertex.stateful else None
        if self.attributes is not None:
            self.attributes.restore(self.task.kept(self.spec.id, "self", {}))

    def runtime(self) -> StreamRuntime:
        """What the function's open() gets."""
        return StreamRuntime(self.task, self.spec.name, None)

    def close(self) -> None:
        """Behind the last record of a batch."""
        closing = getattr(self.function, "close", None)
        if callable(closing):
            closing()

    def flush(self) -> None:
        """Give what is still held back, at the end of a batch."""

    def save(self) -> None:
        """Keep what the next batch needs: first of all what the function itself remembers."""
        if self.attributes is not None:
            self.task.keep(self.spec.id, "self", self.attributes.changed(), default={})

    def push(self, value: Any, stamp: int | None) -> None:
        """Take one record."""
        raise NotImplementedError

    def advance(self, watermark: int) -> None:
        """Event time has come this far."""
        self.watermark = watermark
        self.pass_on(watermark)

    def begin_split(self) -> None:
        """Records of another file, block or partition follow, in front of the first exchange.

        Spark reads them in an order of its own, and readers put them in theirs: nothing may depend on what came before.
        """

    def pass_on(self, watermark: int) -> None:
        """Tell those behind, side outputs included."""
        for target in self.targets:
            target.advance(watermark)
        for targets in self.sides.values():
            for target in targets:
                target.advance(watermark)

    def emit_all(self, results: Any, stamp: int | None) -> None:
        """Everything one call gave: to the main output, or to the side output it is tagged for."""
        if results is None:
            return
        for item in results:
            tag = tagged_as(item) if item.__class__ is tuple else None
            if tag is None:
                self.given += 1
                self.next(item, stamp)
            else:
                self.emit_side(tag, item[1], stamp)

    def emit_side(self, tag: str, value: Any, stamp: int | None) -> None:
        """One record to a side output; one that nobody reads is dropped, as in Flink."""
        self.given_aside[tag] = self.given_aside.get(tag, 0) + 1
        for target in self.sides.get(tag, ()):
            target.push(value, stamp)


def fan(targets: Sequence[Any]) -> Push:
    """One call for however many readers."""
    if len(targets) == 1:
        return targets[0].push  # type: ignore[no-any-return]
    if not targets:
        return _nowhere

    def push_all(value: Any, stamp: int | None) -> None:
        for target in targets:
            target.push(value, stamp)

    return push_all


def _nowhere(value: Any, stamp: int | None) -> None:
    """Nobody reads it."""


class MapOperator(StreamOperator):
    """One record out for one in."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "map")

    def push(self, value: Any, stamp: int | None) -> None:
        made = self.call(value)
        self.given += 1
        self.next(made, stamp)


class FilterOperator(StreamOperator):
    """The records for which the function is true."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "filter")

    def push(self, value: Any, stamp: int | None) -> None:
        if self.call(value):
            self.given += 1
            self.next(value, stamp)


class FlatMapOperator(StreamOperator):
    """Any number of records out for one in."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "flat_map")

    def push(self, value: Any, stamp: int | None) -> None:
        made = self.call(value)
        if made is not None:
            for item in made:
                self.given += 1
                self.next(item, stamp)


class ProcessOperator(StreamOperator):
    """A process function without a key: main and side outputs, no timers."""

    def open(self) -> None:
        super().open()
        self.at = StreamContext(self, None)
        self.call = with_context(self.function, self.at, "process_element")

    def push(self, value: Any, stamp: int | None) -> None:
        self.at.stamp = stamp
        self.emit_all(self.call(value), stamp)


class SinkOperator(StreamOperator):
    """A Python sink function."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "invoke", "write")

    def push(self, value: Any, stamp: int | None) -> None:
        self.call(value)


def failure_in(error: BaseException) -> BaseException:
    """A failure with the operator and the record it happened on, found in the frames of its traceback."""
    if isinstance(error, OperatorFailed) or not isinstance(error, RAISED):
        return error
    operator, record, found = None, None, False
    trace = error.__traceback__
    while trace is not None:
        mine = trace.tb_frame.f_locals
        if isinstance(mine.get("self"), StreamOperator):
            operator, found = mine["self"], "value" in mine
            record = mine.get("value")
        trace = trace.tb_next
    if operator is None:
        return error
    spec = operator.spec
    return failed_by((spec.key, spec.name, spec.place), error, shown(record) if found else None)
