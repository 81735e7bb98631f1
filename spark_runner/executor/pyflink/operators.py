"""PyFlink's operators without a key, and its helpers: each pushes a record on before the next one is taken.

Runs on workers. A merged operator is several of these in a row; only the last one converts what it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_runner.executor.pyflink.contexts import PlainContext, PyRuntime
from spark_runner.executor.pyflink.conversion import Form, converter, copied
from spark_runner.executor.pyflink.java_text import java_text
from spark_runner.executor.roles.plain import method, tagged_as
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.streaming.attributes import Attributes
from spark_runner.executor.streaming.layout import OperatorSpec
from spark_runner.executor.streaming.operators import Push, StreamOperator, fan

if TYPE_CHECKING:
    from spark_runner.executor.streaming.subtask import Subtask

__all__ = ["PyOperator", "own_copies", "prepared"]


def prepared(operator: Any) -> None:
    """What every PyFlink operator needs before its first record: conversion of what it gives, and its readers.

    Then its functions are opened, and get back what they remembered at the end of the last batch of a stream.
    """
    options = operator.spec.options
    form: Form | None = options.get("form")
    operator.convert = converter(form) if form is not None else None
    operator.tags = {tag: converter(one) for tag, one in options.get("tags", {}).items()}
    operator.next = own_copies(operator.targets)
    functions = [one for one in operator.functions() if not isinstance(one, type)]  # `map(str)`: a class has no open()
    for function in functions:
        opening = getattr(function, "open", None)
        if callable(opening):
            opening(operator.runtime())
    operator.memories = []
    if operator.task.vertex.stateful:
        operator.memories = [memory for one in functions if (memory := Attributes.of(one)) is not None]
    for at, memory in enumerate(operator.memories):
        memory.restore(operator.task.kept(operator.spec.id, f"self{at}", {}))


def ended(operator: Any) -> None:
    """Close an operator's functions."""
    for function in operator.functions():
        closing = getattr(function, "close", None)
        if callable(closing) and not isinstance(function, type):
            closing()


def remembered(operator: Any) -> None:
    """Keep what an operator's functions remember by themselves, in their attributes."""
    for at, memory in enumerate(operator.memories):
        operator.task.keep(operator.spec.id, f"self{at}", memory.changed(), default={})


def own_copies(targets: list[Any]) -> Push:
    """Readers of one stream do not see what the others change in a record."""
    if len(targets) <= 1:
        return fan(targets)

    def push_all(value: Any, stamp: int | None) -> None:
        for target in targets[1:]:
            target.push(copied(value), stamp)
        targets[0].push(value, stamp)

    return push_all


class Giving:
    """How PyFlink's operators give records: the main output by its type, side outputs by theirs."""

    spec: OperatorSpec
    given: int
    next: Push
    convert: Callable[[Any], Any] | None
    tags: dict[str, Callable[[Any], Any]]
    emit_side: Callable[[str, Any, int | None], None]

    def give(self, value: Any, stamp: int | None) -> None:
        """One record to the main output."""
        if self.convert is not None:
            value = self.convert(value)
        self.given += 1
        self.next(value, stamp)

    def give_all(self, results: Any, stamp: int | None) -> None:
        """Everything one call of the function gave. Tags count only where somebody reads a side output."""
        if not results:
            return
        tagged = self.spec.options.get("tags")
        for item in results:
            tag = tagged_as(item) if tagged else None
            if tag is None:
                self.give(item, stamp)
            elif tag in self.tags:
                self.emit_side(tag, self.tags[tag](item[1]), stamp)


class PyOperator(Giving, StreamOperator):
    """One operator, or one part of a merged one."""

    def __init__(self, spec: OperatorSpec, task: Subtask) -> None:
        super().__init__(spec, task)
        self.function = spec.function  # a class may be the function: `map(str)`
        self.attributes = None

    def functions(self) -> tuple[Any, ...]:
        """The user's objects that are opened and closed."""
        return (self.function,)

    def open(self) -> None:
        prepared(self)

    def close(self) -> None:
        ended(self)

    def save(self) -> None:
        remembered(self)

    def runtime(self) -> PyRuntime:
        return PyRuntime(self.task, self.spec, None)


class Pass(PyOperator):
    """Gives what it gets: sources, the map of a side output, and what only Java needs."""

    def push(self, value: Any, stamp: int | None) -> None:
        self.give(value, stamp)


class Map(PyOperator):
    """One record out for one in."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "map")

    def push(self, value: Any, stamp: int | None) -> None:
        self.give(self.call(value), stamp)


class FlatMap(PyOperator):
    """Any number of records out for one in."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "flat_map")

    def push(self, value: Any, stamp: int | None) -> None:
        for item in self.call(value):
            self.give(item, stamp)


class Filter(PyOperator):
    """The records for which the function is true."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "filter")

    def push(self, value: Any, stamp: int | None) -> None:
        if self.call(value):
            self.give(value, stamp)


class Process(PyOperator):
    """A process function without a key."""

    def open(self) -> None:
        super().open()
        self.at = PlainContext(self)

    def push(self, value: Any, stamp: int | None) -> None:
        self.at.stamp = stamp
        self.give_all(self.function.process_element(value, self.at), stamp)


class KeyOf(PyOperator):
    """Puts the key in front of the record; the key selector is called here and nowhere else."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "get_key")

    def push(self, value: Any, stamp: int | None) -> None:
        self.give((self.call(value), value), stamp)


class Values(PyOperator):
    """Takes off what was put in front of the record."""

    def push(self, value: Any, stamp: int | None) -> None:
        self.give(value[1], stamp)


def pair_row(row_class: Any, pair: tuple[Any, Any]) -> Any:
    """A key and its record as the row that PyFlink makes of them."""
    made = row_class(*pair)
    made.set_field_names(["f0", "f1"])
    return made


class PairRow(PyOperator):
    """A keyed record in front of a sink, which gets the key too."""

    def push(self, value: Any, stamp: int | None) -> None:
        self.give(pair_row(self.spec.options["form"][1], value), stamp)


class Timestamps(PyOperator):
    """Gives every record its event time."""

    def push(self, value: Any, stamp: int | None) -> None:
        given = -(2**63) if stamp is None else stamp
        self.give(value, int(self.function.extract_timestamp(value, given)))


class Watermarks(Pass):
    """Says how far event time has come. Watermarks from further up end here; only the end of all input goes on.

    `delay` is None where records bring no watermarks: those without any, and bounded runs, where they all come at the
    end. In front of the first exchange nothing is kept from batch to batch: readers know how far each producer was.
    """

    def open(self) -> None:
        super().open()
        self.delay = self.spec.options.get("delay")
        self.kept = self.delay is not None and self.task.vertex.layer > 0
        if self.kept:
            self.watermark = self.task.kept(self.spec.id, "max", NO_TIMESTAMP)

    def begin_split(self) -> None:
        if not self.kept:
            self.watermark = NO_TIMESTAMP

    def push(self, value: Any, stamp: int | None) -> None:
        self.give(value, stamp)
        if self.delay is not None and stamp is not None and stamp - self.delay - 1 > self.watermark:
            self.watermark = stamp - self.delay - 1
            self.pass_on(self.watermark)

    def save(self) -> None:
        super().save()
        if self.kept:
            self.task.keep(self.spec.id, "max", self.watermark)

    def advance(self, watermark: int) -> None:
        if watermark == END_OF_TIME:
            super().advance(watermark)


class Project(PyOperator):
    """Some fields of a tuple."""

    def push(self, value: Any, stamp: int | None) -> None:
        self.give(tuple(value[at] for at in self.spec.options["fields"]), stamp)


class PythonText(PyOperator):
    """The map in front of `print` for records that Java could not print."""

    def push(self, value: Any, stamp: int | None) -> None:
        if self.spec.options["rows"]:
            value = f"{value.get_row_kind()}[{','.join(str(part) for part in value)}]"
        self.give(value if isinstance(value, str | bytes) else str(value), stamp)


class JavaText(PyOperator):
    """A record as Java's `toString` writes it, in front of sinks of text."""

    def push(self, value: Any, stamp: int | None) -> None:
        self.given += 1
        self.next(java_text(value, self.spec.options["text"]), stamp)
