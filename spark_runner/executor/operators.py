"""Operators at work in one subtask, for streams and for input that ends. Runs on workers.

An operator takes a part of its stream at a time: records in order, with their event times, their places in the input,
and the points at which event time rose. What has no state is compiled into one loop (`loops`); the others are here, in
`keyed`, `windows`, `two_inputs` and `async_calls`. Nothing is caught a record at a time: an operator knows, when its
function fails, which record it gave to it.
"""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, Protocol

from spark_runner.executor.attributes import Attributes
from spark_runner.executor.contexts import Context, Runtime
from spark_runner.executor.conversion import Convert, Form, converter, copied
from spark_runner.executor.failures import RAISED, OperatorFailed, failed_by, shown
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.nested_values import Unfit
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.store import Domain
from spark_runner.executor.turns import Turns

__all__ = ["MANY", "Operator", "Part", "Task", "let_run", "method", "tagged_as", "wired", "with_context"]

MANY = 10_000  # records that are given on together
Mark = tuple[int, int, int]  # after how many records, at which place, up to when event time has come


class Task(Protocol):
    """The subtask that operators run in."""

    name: str
    subtask: int
    parallelism: int
    max_parallelism: int
    attempt: int
    script: bool  # a PyFlink script's: its functions see what PyFlink shows them
    stateful: bool  # what functions remember lasts from batch to batch
    layer: int
    backend: Any

    def processing_time(self) -> int:
        """The time of the clock in milliseconds."""

    def kept(self, owner: str, name: str, default: Any) -> Any:
        """What was kept under an operator's id."""

    def keep(self, owner: str, name: str, value: Any, default: Any = None) -> None:
        """Keep a value for the next batch."""


class Part:
    """A part of a stream: records in order, and what is known of each."""

    __slots__ = ("keys", "marks", "places", "sides", "stamps", "values")

    def __init__(
        self,
        values: Sequence[Any],
        stamps: Sequence[int | None] | None = None,
        places: Sequence[int] | None = None,
        marks: Sequence[Mark] = (),
        keys: Sequence[Any] | None = None,
        sides: Sequence[int] | None = None,
    ) -> None:
        self.values, self.stamps, self.places = values, stamps, places
        self.marks, self.keys, self.sides = marks, keys, sides

    def cut(self, first: int, last: int) -> Part:
        """The records from one number to before another, without marks."""
        return Part(
            self.values[first:last],
            None if self.stamps is None else self.stamps[first:last],
            None if self.places is None else self.places[first:last],
            (),
            None if self.keys is None else self.keys[first:last],
            None if self.sides is None else self.sides[first:last],
        )

    def pieces(self) -> Iterator[Part]:
        """The records between the marks, and every mark by itself."""
        first = 0
        for at, place, watermark in self.marks:
            if at > first:
                yield self.cut(first, at)
                first = at
            yield Part([], None, None, [(0, place, watermark)])
        if first < len(self.values):
            yield self.cut(first, len(self.values))

    def rows(self) -> Iterator[tuple[Any, int | None, int]]:
        """Every record with its event time and its place."""
        stamps: Any = repeat(None) if self.stamps is None else self.stamps
        places: Any = repeat(0) if self.places is None else self.places
        return zip(self.values, stamps, places)  # noqa: B905


def method(function: Any, *names: str) -> Callable[..., Any]:
    """The function to call: a method of a function object, or a plain callable itself."""
    calls: list[Callable[..., Any] | None] = [*(getattr(function, name, None) for name in names), function]
    for call in calls:
        if callable(call):
            return call
    raise TypeError(f"{function!r} is neither callable nor has a method {' or '.join(names)}")


def tagged_as(item: Any) -> str | None:
    """The side output an item of a process function goes to; None for the main output."""
    if item.__class__ is tuple and len(item) == 2:
        tag = getattr(item[0], "tag_id", None)
        return None if tag is None else str(tag)
    return None


Call = Callable[[Any, Any], Any]  # with a record and a context


def with_context(function: Any, name: str, *, script: bool) -> Call:
    """What calls a process function with a record and its context, a plain function of one argument without."""
    if script:
        return getattr(function, name)  # type: ignore[no-any-return]
    call = method(function, name)
    try:
        wanted = len(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        wanted = 2
    return (lambda value, _: call(value)) if wanted == 1 else call


def as_many(results: Any) -> Any:
    """What one call gave, as something to iterate over."""
    return () if results is None else results


class Operator:
    """One operator in one subtask. `targets` read its main output, `sides` its side outputs by tag."""

    heeds_time = False  # whether event time matters between two of its records
    reads_time = True  # whether it looks at the event times of its records
    timed = placed = True  # whether anybody wants the event times, and the places, of what it gives

    def __init__(self, spec: OperatorSpec, task: Task) -> None:
        self.spec, self.task, self.script = spec, task, bool(task.script)
        function = spec.function
        # our API takes a class for its object; in PyFlink a class may be the function: `map(str)`
        self.function = function() if isinstance(function, type) and not self.script else function
        self.targets: list[Any] = []
        self.sides: dict[str, list[Any]] = {}
        self.taken = self.given = self.late = 0
        self.given_aside: dict[str, int] = {}
        self.watermark: int = NO_TIMESTAMP
        self.place = 0  # where what is given by timers belongs
        self.made: list[Any] = []
        self.made_stamps: list[int | None] = []
        self.made_places: list[int] = []
        self.made_aside: dict[str, tuple[list[Any], list[int | None], list[int]]] = {}
        self.marks: list[Mark] = []  # where event time rose among what was made
        form = spec.options.get("form")
        self.convert: Convert | None = None if form is None else self._fitting(form)
        self.tags: dict[str, Convert] = {tag: self._fitting(one) for tag, one in spec.options.get("tags", {}).items()}
        # whether tuples in front of records count as tags: in a script only where somebody reads a side output
        self.tagged = bool(self.tags) if self.script else True
        self.memories: list[Attributes] = []

    def _fitting(self, form: Form) -> Convert:
        """What gives a record its declared type. In a script a record that does not fit is its function's failure."""
        convert = converter(form)
        if self.script:
            return convert
        by = (self.spec.key, self.spec.name, self.spec.place)

        def fit(value: Any) -> Any:
            try:
                return convert(value)
            except Unfit as unfit:
                problem = f"gave a record that does not fit its declared type: {unfit}"
                raise failed_by(by, problem, shown(value)) from None

        return fit

    # --- life

    def functions(self) -> tuple[Any, ...]:
        """The user's objects that are opened and closed."""
        return (self.function,)

    def open(self) -> None:
        """Before the first record."""
        objects = [one for one in self.functions() if one is not None and not isinstance(one, type)]
        for function in objects:
            opening = getattr(function, "open", None)
            if callable(opening):
                self.guarded("open(): ", opening, self.runtime())
        if self.task.stateful:
            self.memories = [memory for one in objects if (memory := Attributes.of(one)) is not None]
        for at, memory in enumerate(self.memories):
            memory.restore(self.task.kept(self.spec.id, f"self{at}", {}))

    def close(self) -> None:
        """Called after the last record, or after a failure."""
        for function in self.functions():
            closing = getattr(function, "close", None)
            if callable(closing) and not isinstance(function, type):
                self.guarded("close(): ", closing)

    def save(self) -> None:
        """Keep what the next batch needs: first of all what the functions themselves remember."""
        for at, memory in enumerate(self.memories):
            self.task.keep(self.spec.id, f"self{at}", memory.changed(), default={})

    def runtime(self) -> Runtime:
        """What the functions' open() gets."""
        return Runtime(self, None)

    def guarded(self, prefix: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call the user's code outside of any record."""
        try:
            return call(*arguments)
        except RAISED as error:
            raise self.failed(error, prefix=prefix) from None

    def failed(self, error: BaseException, *record: Any, prefix: str = "") -> OperatorFailed:
        """The failure of this operator, on a record where it had one."""
        if isinstance(error, OperatorFailed):
            return error
        by = (self.spec.key, self.spec.name, self.spec.place)
        failed = failed_by(by, error, shown(record[0]) if record else None, prefix=prefix)
        failed.value = record[0] if record else None
        return failed

    # --- timers: of keyed operators

    def set_timer(self, domain: Domain, when: int, window: Any = ()) -> None:
        """Set a timer of the current key."""
        raise self._no_timers("Register timers is only supported on a keyed stream.")

    def drop_timer(self, domain: Domain, when: int, window: Any = ()) -> None:
        """Forget a timer of the current key."""
        raise self._no_timers("Delete timers is only supported on a keyed streams.")

    def _no_timers(self, theirs: str) -> Exception:
        ours = "timers need a keyed stream: call key_by() before this operator"
        return Exception(theirs) if self.script else RuntimeError(ours)

    # --- records

    def flow(self, part: Part) -> None:
        """Take a part of the stream."""
        if not part.marks:
            self.taken += len(part.values)
            self.take(part)
            self.settle()
            return
        if not self.heeds_time:
            if not self.placed and part.values:  # where marks stand is not known by places
                for piece in part.pieces():
                    self.flow(piece)
                return
            self.taken += len(part.values)
            self.take(part)
            self.marks = self._moved(part)
            self.watermark = part.marks[-1][2]
            self.settle()
            return
        first = 0
        for at, place, watermark in part.marks:
            if at > first:
                self.taken += at - first
                self.take(part.cut(first, at))
                first = at
            self.place = place
            self.advance(watermark)
        if first < len(part.values):
            self.taken += len(part.values) - first
            self.take(part.cut(first, len(part.values)))
        self.settle()

    def _moved(self, part: Part) -> list[Mark]:
        """The marks of what was taken, as they stand among what was made of it."""
        if len(self.made) == len(part.values) and self.made_places == part.places:
            return list(part.marks)
        places = part.places or ()
        return [
            (0 if at == 0 else bisect_right(self.made_places, places[at - 1]), place, watermark)
            for at, place, watermark in part.marks
        ]

    def take(self, part: Part) -> None:
        """Take records between which event time does not rise."""
        raise NotImplementedError

    def advance(self, watermark: int) -> None:
        """Event time has come this far, at `place`."""
        self.watermark = watermark
        if self.made_aside and not self.placed:
            self.settle()  # what was made before this does not say so by its place
        self.marks.append((len(self.made), self.place, watermark))

    def end_input(self) -> None:
        """The last record of a batch has been taken."""

    def begin_split(self) -> None:
        """Records of another file, block or partition follow, before the first exchange.

        Spark reads them in an order of its own, and readers put them in theirs: nothing may depend on what came before.
        """

    def flush(self) -> None:
        """Give what is still held back, at the end of a batch."""

    # --- what leaves

    def add(self, value: Any, stamp: int | None, place: int) -> None:
        """One record for the main output. It leaves with `settle`."""
        self.made.append(copied(value) if self.convert is None else self.convert(value))
        self.made_stamps.append(stamp)
        self.made_places.append(place)

    def add_all(self, results: Any, stamp: int | None, place: int) -> None:
        """Everything one call gave: for the main output, or for the side output that an item is tagged for."""
        if results is None or (self.script and not results):
            return
        made, convert, tagged = self.made, self.convert or copied, self.tagged
        before = len(made)
        for item in results:
            if tagged and item.__class__ is tuple and (tag := tagged_as(item)) is not None:
                self.add_aside(tag, item[1], stamp, place)
            else:
                made.append(convert(item))
        count = len(made) - before
        if count == 1:
            self.made_stamps.append(stamp)
            self.made_places.append(place)
        elif count:
            self.made_stamps.extend(repeat(stamp, count))
            self.made_places.extend(repeat(place, count))
            if len(made) >= MANY:
                self.settle()

    def add_aside(self, tag: str, value: Any, stamp: int | None, place: int) -> None:
        """One record for a side output; one that nobody reads is dropped, as in Flink."""
        if tag in self.tags:
            value = self.tags[tag](value)
        elif self.script:
            return
        self.given_aside[tag] = self.given_aside.get(tag, 0) + 1
        if tag in self.sides:
            values, stamps, places = self.made_aside.setdefault(tag, ([], [], []))
            values.append(value if tag in self.tags else copied(value))
            stamps.append(stamp)
            places.append(place)

    def settle(self) -> None:
        """Give on what was made."""
        marks, self.marks = self.marks, []
        if self.made_aside or (marks and self.sides):
            self._settle_aside(marks)
        if self.made or marks:
            values, stamps, places = self.made, self.made_stamps, self.made_places
            self.made, self.made_stamps, self.made_places = [], [], []
            self.give(Part(values, stamps if self.timed else None, places if self.placed else None, marks))

    def settle_many(self) -> None:
        """Give on what was made where it is much."""
        if len(self.made) >= MANY:
            self.settle()

    def aside(self, item: Any, stamp: int | None, place: int) -> bool:
        """Put a result aside if it is tagged for a side output."""
        tag = tagged_as(item)
        if tag is not None:
            self.add_aside(tag, item[1], stamp, place)
        return tag is not None

    def give(self, part: Part) -> None:
        """Records for the main output, as readers get them."""
        self.given += len(part.values)
        spread_out(part, self.targets)

    def _settle_aside(self, marks: Sequence[Mark]) -> None:
        """Side outputs are told of event time too; they stand where their records were made."""
        made, self.made_aside = self.made_aside, {}
        for tag, targets in self.sides.items():
            values, stamps, places = made.get(tag, ([], [], []))
            moved = [
                (bisect_right(places, place) if self.placed else 0, place, watermark) for _, place, watermark in marks
            ]
            for target in targets:
                target.flow(Part(values, stamps, places, moved))


def spread_out(part: Part, targets: Sequence[Any]) -> None:
    """Let every reader have a part. None of them sees what another one changes in a record."""
    parts = [part, *(_own(part) for _ in targets[1:])]
    for target, mine in zip(targets, parts, strict=False):
        target.flow(mine)


def _own(part: Part) -> Part:
    return Part(list(map(copied, part.values)), part.stamps, part.places, part.marks, part.keys, part.sides)


class Unchanged(Operator):
    """Gives what it gets, by its type: sources, and what only Java needs."""

    reads_time = False

    def take(self, part: Part) -> None:
        for value, stamp, place in part.rows():
            try:
                self.add(value, stamp, place)
            except RAISED as error:
                raise self.failed(error, value) from None


class Each(Operator):
    """Any number of records out for one in: `call` gives them."""

    def open(self) -> None:
        super().open()
        self.call = self.calling()

    def calling(self) -> Callable[[Any], Any]:
        """What is called with each record."""
        raise NotImplementedError

    def take(self, part: Part) -> None:
        call, add_all = self.call, self.add_all
        value: Any = None
        try:
            for value, stamp, place in part.rows():
                add_all(call(value), stamp, place)
        except RAISED as error:
            raise self.failed(error, value) from None


class Map(Each):
    """One record out for one in."""

    reads_time = False

    def calling(self) -> Callable[[Any], Any]:
        return method(self.function, "map")

    def take(self, part: Part) -> None:
        call, add = self.call, self.add
        value: Any = None
        try:
            for value, stamp, place in part.rows():
                add(call(value), stamp, place)
        except RAISED as error:
            raise self.failed(error, value) from None


class Filter(Each):
    """The records for which the function is true."""

    reads_time = False

    def calling(self) -> Callable[[Any], Any]:
        return method(self.function, "filter")

    def take(self, part: Part) -> None:
        call, add = self.call, self.add
        value: Any = None
        try:
            for value, stamp, place in part.rows():
                if call(value):
                    add(value, stamp, place)
        except RAISED as error:
            raise self.failed(error, value) from None


class FlatMap(Each):
    """Any number of records out for one in; in PyFlink a function that gives None fails."""

    reads_time = False

    def calling(self) -> Callable[[Any], Any]:
        call = method(self.function, "flat_map")
        return (lambda value: iter(call(value))) if self.script else call

    def add_all(self, results: Any, stamp: int | None, place: int) -> None:
        for item in as_many(results):
            self.add(item, stamp, place)


class Process(Operator):
    """A process function without a key: main and side outputs, no timers."""

    heeds_time = True

    def open(self) -> None:
        super().open()
        self.context = Context(self)
        self.calls = self.calling()
        self.turns = Turns(self, "process")

    def calling(self) -> tuple[Call, ...]:
        """What is called with a record of each input, and a context."""
        return (with_context(self.function, "process_element", script=self.script),)

    def take(self, part: Part) -> None:
        self.turns.take(part)


class Sink(Operator):
    """A Python sink function: it takes records and gives none."""

    reads_time = False

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "invoke", "write")

    def take(self, part: Part) -> None:
        value: Any = None
        try:
            for value in part.values:
                self.call(value)
        except RAISED as error:
            raise self.failed(error, value) from None


class CollectionSource(Operator):
    """A source whose records are part of the job: what arrives are numbers of subtasks, which have contiguous parts."""

    def take(self, part: Part) -> None:
        records, count = self.function, self.task.parallelism
        for subtask in part.values:
            first, last = (len(records) * subtask // count, len(records) * (subtask + 1) // count)
            for start in range(first, last, MANY):
                self.give(Part(list(records[start : min(start + MANY, last)])))

    def flow(self, part: Part) -> None:
        self.take(part)


class Shaped(Operator):
    """One record out for one in, by code of ours."""

    reads_time = False

    def shape(self, value: Any) -> Any:
        """What becomes of a record."""
        raise NotImplementedError

    def take(self, part: Part) -> None:
        shape, add = self.shape, self.add
        value: Any = None
        try:
            for value, stamp, place in part.rows():
                add(shape(value), stamp, place)
        except RAISED as error:
            raise self.failed(error, value) from None


class Ending(Shaped):
    """A record as a sink takes it: made anew, so that nobody else has it."""

    def add(self, value: Any, stamp: int | None, place: int) -> None:
        self.made.append(value)
        self.made_stamps.append(stamp)
        self.made_places.append(place)


class KeyOf(Shaped):
    """Puts the key in front of the record; the key selector is called here and nowhere else."""

    def open(self) -> None:
        super().open()
        self.call = method(self.function, "get_key")

    def shape(self, value: Any) -> Any:
        return self.call(value), value


class ValueOf(Shaped):
    """Takes off what was put in front of the record."""

    def shape(self, value: Any) -> Any:
        return value[1]


def wired(operators: Sequence[Operator], readers: Iterable[tuple[int | None, str | None, Any]], *, placed: bool) -> Any:
    """Let every operator feed its readers: each with its parent, and the tag where it reads a side output.

    Gives the readers of what arrives, which have no parent.
    """
    roots: list[Any] = []
    for parent, tag, reader in readers:
        if parent is None:
            roots.append(reader)
        elif tag is None:
            operators[parent].targets.append(reader)
        else:
            operators[parent].sides.setdefault(tag, []).append(reader)
    _tell_wants(operators, placed=placed)
    return roots


def let_run(loops: Mapping[int, Any], roots: list[Any], operators: Sequence[Operator]) -> None:
    """Put loops in the places of the operators that they begin with, by the id() of these."""
    sides = [side for one in operators for side in one.sides.values()]
    for readers in [roots, *(one.targets for one in operators), *sides]:
        readers[:] = [loops.get(id(reader), reader) for reader in readers]


def _tell_wants(operators: Sequence[Operator], *, placed: bool) -> None:
    """Tell operators what is wanted of them, each after those that it feeds. What leaves says itself (`timed`)."""
    for one in reversed(operators):
        readers = [*one.targets, *(target for side in one.sides.values() for target in side)]
        one.placed = placed
        one.timed = any(reader.timed or getattr(reader, "reads_time", False) for reader in readers)


def pair_row(row_class: Any, pair: tuple[Any, Any]) -> Any:
    """A key and its record as the row that PyFlink makes of them."""
    made = row_class(*pair)
    made.set_field_names(["f0", "f1"])
    return made


class PairRow(Shaped):
    """A keyed record upstream of a sink, which gets the key too."""

    def shape(self, value: Any) -> Any:
        return pair_row(self.spec.options["form"][1], value)


class Project(Shaped):
    """Some fields of a tuple."""

    def shape(self, value: Any) -> Any:
        return tuple(value[at] for at in self.spec.options["fields"])


class Times(Operator):
    """Gives every record its event time, and says how far event time has come.

    `extract` None leaves the times as they are; `delay` None says nothing: a bounded run learns from the end of its
    input. Watermarks from further up end here, as in Flink; only the end of all input goes on. In front of the first
    exchange nothing is kept from batch to batch: readers remember how far each producer was.
    """

    def open(self) -> None:
        if self.script:
            super().open()
        self.delay = self.spec.options.get("delay")
        self.call = self.calling[0]
        self.kept = self.delay is not None and self.task.layer > 0
        if self.kept:
            self.watermark = self.task.kept(self.spec.id, "max", NO_TIMESTAMP)

    @property
    def kind(self) -> str:
        """Its kind in a loop, which is made before operators open."""
        return self.calling[1]

    @cached_property
    def calling(self) -> tuple[Callable[..., Any] | None, str]:
        """What gives a record's time; its kind in a loop says whether it takes the time before, too."""
        function = self.function
        extract = getattr(function, "extract_timestamp", None)
        if function is None or extract is not None:
            return extract, "stamp_after"
        try:
            wanted = len(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            wanted = 1
        return function, "stamp" if wanted < 2 else "stamp_after"

    def begin_split(self) -> None:
        if not self.kept:
            self.watermark = NO_TIMESTAMP

    def flow(self, part: Part) -> None:
        self.taken += len(part.values)
        values = part.values
        stamps = self._stamps(part)
        if self.convert is not None:
            values = self._converted(values)
        made = Part(values, stamps, part.places)
        made.marks = self.risen(made, part.marks)
        if values or made.marks:
            for target in self.sides.values():
                for one in target:
                    one.flow(Part([], [], [], [(0, place, watermark) for _, place, watermark in made.marks]))
            self.give(made)

    def risen(self, part: Part, marks: Sequence[Mark]) -> list[Mark]:
        """Where event time rises among records that have their times; of what arrived, only the end of all input."""
        found = [] if self.delay is None else self._risen(part.stamps or [], part.places or range(len(part.values)))
        for _, place, watermark in marks:
            if watermark == END_OF_TIME:
                found.append((len(part.values), place, watermark))
                self.watermark = watermark
        return found

    def _converted(self, values: Sequence[Any]) -> list[Any]:
        assert self.convert is not None
        convert, value, found = self.convert, None, []
        try:
            for value in values:
                found.append(convert(value))
        except RAISED as error:
            raise self.failed(error, value) from None
        return found

    def _stamps(self, part: Part) -> list[int | None]:
        call, before = self.call, self.kind == "stamp_after"
        if call is None:
            return list(repeat(None, len(part.values)) if part.stamps is None else part.stamps)
        missing = NO_TIMESTAMP if self.script else -1
        found: list[int | None] = []
        value: Any = None
        try:
            for value, stamp, _ in part.rows():
                if before:
                    found.append(int(call(value, missing if stamp is None or not self.script else stamp)))
                else:
                    found.append(int(call(value)))
        except RAISED as error:
            raise self.failed(error, value) from None
        return found

    def _risen(self, stamps: Sequence[int | None], places: Sequence[int]) -> list[Mark]:
        assert self.delay is not None
        behind, watermark, found = int(self.delay) + 1, self.watermark, []
        for at, stamp in enumerate(stamps):
            if stamp is not None and stamp - behind > watermark:
                watermark = stamp - behind
                found.append((at + 1, places[at], watermark))
        self.watermark = watermark
        return found

    def save(self) -> None:
        super().save()
        if self.kept:
            self.task.keep(self.spec.id, "max", self.watermark)
