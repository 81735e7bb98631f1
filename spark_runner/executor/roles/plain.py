"""What each kind of operator does with a list of records. Runs on executors; `table` lists the roles by name.

A role's `process` yields (targets, records, event times). It never catches a failure a record at a time: the iterator
it reads from still knows, when a function has failed, which record was the last one taken.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from spark_runner.executor.chain import ChainSpec, NodeSpec, Place
from spark_runner.executor.failures import RAISED, OperatorFailed, failed_by, shown
from spark_runner.executor.roles.batch_state import KeyedState, ProcessContext, RuntimeContext

CHUNK = 10_000  # records that move on together where an operator makes many out of one
Stamps = list[int | None] | None


def last_taken(values: Sequence[Any], arriving: Iterator[Any]) -> Any:
    """The record that was taken from the iterator last."""
    at = len(values) - operator.length_hint(arriving) - 1
    return values[at] if 0 <= at < len(values) else None


def method(function: Any, *names: str) -> Callable[..., Any]:
    """The function to call: a method of a PyFlink function object, or a plain callable itself."""
    calls: list[Callable[..., Any] | None] = [*(getattr(function, name, None) for name in names), function]
    for call in calls:
        if callable(call):
            return call
    raise TypeError(f"{function!r} is neither callable nor has a method {' or '.join(names)}")


def tagged_as(item: Any) -> str | None:
    """The side output an item of a process function goes to; None for the main output."""
    if item.__class__ is tuple and len(item) == 2 and type(item[0]).__name__ == "OutputTag":
        tag = getattr(item[0], "tag_id", None)
        return None if tag is None else str(tag)
    return None


class Role:
    """An operator at work in one subtask."""

    writes = False  # an outlet's end of the same list does
    fused: str | None = None  # its kind in a loop made for operators in a row; None: it takes its records by `process`

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        self.node, self.spec, self.place = node, spec, place
        function = node.function
        self.function = function() if isinstance(function, type) else function
        self.main: list[Any] = []
        self.sides: dict[str, list[Any]] = {}
        self.taken = self.given = 0
        self.state = KeyedState() if node.keyed else None
        self.runtime = RuntimeContext(
            name=node.name, subtask=place.subtask, parallelism=spec.parallelism, attempt=place.attempt, state=self.state
        )

    def open(self) -> None:
        """Called once per subtask, before the first record."""
        opening = getattr(self.function, "open", None)
        if callable(opening):
            try:
                opening(self.runtime)
            except RAISED as error:
                raise self.failed(error, None, "open(): ") from None

    def close(self) -> None:
        """Called once per subtask, after the last record or a failure."""
        closing = getattr(self.function, "close", None)
        if callable(closing):
            try:
                closing()
            except RAISED as error:
                raise self.failed(error, None, "close(): ") from None

    def process(self, values: list[Any], stamps: Stamps) -> Iterator[Any]:
        """Takes records, yields (targets, records, event times)."""
        raise NotImplementedError

    def finish(self) -> Iterator[Any]:
        """What is left to give after the last record."""
        return iter(())

    def failed(self, error: BaseException, record: Any, prefix: str = "") -> OperatorFailed:
        """The failure of this operator on a record."""
        if isinstance(error, OperatorFailed):
            return error
        by = (self.node.operator, self.node.name, self.node.place)
        return failed_by(by, error, None if record is None and prefix else shown(record), prefix=prefix)

    def fused_call(self) -> Callable[[Any], Any] | None:
        """What a loop calls for each record; None where it has nothing to call."""
        return None

    def emit(self, values: list[Any], stamps: Stamps) -> Any:
        """The records as a move to the operators behind."""
        self.given += len(values)
        return self.main, values, stamps

    def call(self, function: Callable[[Any], Any], values: list[Any]) -> list[Any]:
        """The function's result for every record."""
        arriving = iter(values)
        try:
            # a comprehension and not map(): Python runs a call from Python code without a new C frame
            return [function(value) for value in arriving]
        except RAISED as error:
            raise self.failed(error, last_taken(values, arriving)) from None


class MapRole(Role):
    """One record out for one in."""

    fused = "map"

    def fused_call(self) -> Callable[[Any], Any]:
        return method(self.function, "map")


class FilterRole(Role):
    """The records for which the function is true."""

    fused = "filter"

    def fused_call(self) -> Callable[[Any], Any]:
        return method(self.function, "filter")


class FlatMapRole(Role):
    """Any number of records out for one in."""

    fused = "flat_map"

    def fused_call(self) -> Callable[[Any], Any]:
        return method(self.function, "flat_map")


def spread(results: Any) -> tuple[Sequence[Any], Iterator[Any] | None]:
    """What one call gave: whole where it is there already, else a piece of it and where the next piece comes from."""
    if results is None:
        return (), None
    if results.__class__ is list or results.__class__ is tuple:
        return results, None
    made = iter(results)
    piece = list(islice(made, CHUNK))
    return piece, made if len(piece) == CHUNK else None


class Emissions:
    """Collects what a process function yields, and moves it on in chunks to the main and the side outputs."""

    def __init__(self, role: Role, stamped: bool) -> None:
        self.role, self.stamped = role, stamped
        self.sides: dict[str, tuple[list[Any], list[int | None]]] = {}
        self.values: list[Any] = []
        self.stamps: list[int | None] = []
        self.count = 0

    def take(self, results: Any, stamp: int | None) -> None:
        """Everything one call gave."""
        if results is None:
            return
        values = self.values
        before = len(values)
        for item in results:
            tag = tagged_as(item) if item.__class__ is tuple and len(item) == 2 else None
            if tag is None:
                values.append(item)
            else:
                beside, stamps = self.sides.setdefault(tag, ([], []))
                beside.append(item[1])
                stamps.append(stamp)
                self.count += 1
        made = len(values) - before
        self.count += made
        if self.stamped:
            self.stamps.extend([stamp] * made)

    def moves(self) -> Iterator[Any]:
        """What was collected since the last time."""
        if self.values:
            yield self.role.emit(self.values, self.stamps if self.stamped else None)
        for tag, (values, stamps) in self.sides.items():
            self.role.given += len(values)
            yield self.role.sides.get(tag, []), values, stamps if self.stamped else None
        self.values, self.stamps, self.sides, self.count = [], [], {}, 0


class ProcessRole(Role):
    """A process function: records on its main output and on side outputs."""

    def __init__(self, node: NodeSpec, spec: ChainSpec, place: Place) -> None:
        super().__init__(node, spec, place)
        self.at = ProcessContext(self.state)

    def process(self, values: list[Any], stamps: Stamps) -> Iterator[Any]:
        self.taken += len(values)
        call = with_context(self.function, self.at, "process_element")
        emissions = Emissions(self, stamps is not None)
        arriving = iter(values)
        times = iter(stamps) if stamps is not None else None
        try:
            for value in arriving:
                stamp = self.at._timestamp = next(times) if times is not None else None
                emissions.take(call(value), stamp)
                if emissions.count >= CHUNK:
                    yield from emissions.moves()
        except RAISED as error:
            raise self.failed(error, last_taken(values, arriving)) from None
        yield from emissions.moves()


def with_context(function: Any, at: Any, name: str) -> Callable[[Any], Any]:
    """Calls a process function with its context, a plain function of one argument without."""
    call = method(function, name)
    try:
        wanted = len(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        wanted = 2
    return call if wanted == 1 else lambda value: call(value, at)


class WatermarksRole(Role):
    """Gives every record its event time."""

    fused = "stamp"

    def fused_call(self) -> Callable[[Any], Any] | None:
        extract = getattr(self.function, "extract_timestamp", None)
        if extract is not None:
            return lambda value: extract(value, -1)
        return None if self.function is None else _one_or_two(self.function)


def _one_or_two(function: Any) -> Callable[[Any], Any]:
    try:
        wanted = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        wanted = 1
    return function if wanted < 2 else lambda value: function(value, -1)


class CollectionRole(Role):
    """A source whose records are part of the job: this subtask's share of them, in order."""

    def process(self, values: list[Any], stamps: Stamps) -> Iterator[Any]:
        records = self.function
        parallelism = self.spec.parallelism
        for subtask in values:
            first, last = (len(records) * subtask // parallelism, len(records) * (subtask + 1) // parallelism)
            for start in range(first, last, CHUNK):
                yield self.emit(list(records[start : min(start + CHUNK, last)]), None)


class SinkRole(Role):
    """A Python sink function: it takes records and gives none."""

    def process(self, values: list[Any], stamps: Stamps) -> Iterator[Any]:
        self.taken += len(values)
        self.call(method(self.function, "invoke", "write"), values)
        return iter(())
