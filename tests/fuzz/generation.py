"""Random jobs of which Flink determines the result: see the package's own words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.fuzz.description import FIRST_KEY_KINDS, KEY_KINDS, Job, Step
from tests.fuzz.functions import FLATS, NEWER_SELECTORS, SELECTORS, filters, maps

__all__ = ["random_job"]

_NEVER_LATE = 10**9  # milliseconds: watermarks that stand in front of every record
_SHIPS = ("rebalance", "rescale", "shuffle", "broadcast", "global", "custom", "forward")
_KEY_WEIGHTS = {"string": 6, "long": 4}
_PLAIN = (
    "map",
    "map",
    "flat_map",
    "filter",
    "process",
    "async",
    "ship",
    "ship",
    "union",
    "times",
    "connect",
    "broadcast_state",
)
_KEYED = (
    "sum",
    "min",
    "max",
    "reduce",
    "keyed_process",
    "window",
    "window",
    "keyed_connect",
    "keyed_broadcast",
    "count",
)
_LATER = 32_000_000  # jobs of smaller seeds stay as they are: what real PyFlink gave for some is recorded
_LATER_PLAIN = (*_PLAIN, "nested", "nested")
_LATER_KEYED = (*_KEYED, "min_by", "max_by", "window_all", "keyed_first")
_NEWEST = 60_000_000  # and so do those of seeds between
_NEWEST_PLAIN = (*_LATER_PLAIN, "stamps", "counted", "many")


@dataclass(frozen=True, kw_only=True)
class _Stream:
    """What is known of the records behind a step."""

    id: int
    form: str
    parallelism: int
    ordered: bool = False  # one order of the records is the only one possible
    disorder: int | None = None  # how far times go back in each subtask; None: as far as they like
    timed: bool = False  # records have event times
    late: bool = False  # and some of them may be late
    kind: str = ""


def random_job(seed: int) -> Job:
    """The job of a seed."""
    return _Maker(Random(f"job {seed}"), seed).job()


class _Maker:
    def __init__(self, random: Random, seed: int) -> None:
        self.random, self.seed = random, seed
        self.newest = seed >= _NEWEST
        kinds = list(KEY_KINDS) if self.newest else list(FIRST_KEY_KINDS)
        self.keys = random.choices(kinds, [_KEY_WEIGHTS.get(kind, 1) for kind in kinds])[0]
        self.parallelism = random.choice((1, 1, 2, 3, 4))
        self.declared = random.choice((0.0, 0.5, 1.0, 1.0))
        self.in_order = random.random() < 0.35  # one subtask, so that functions may answer per record
        self.later = seed >= _LATER
        self.plain = _NEWEST_PLAIN if self.newest else _LATER_PLAIN if self.later else _PLAIN
        self.keyed = _LATER_KEYED if self.later else _KEYED
        self.many = False  # whether records are many already
        self.steps: list[Step] = []
        self.streams: list[_Stream] = []
        self.read: set[int] = set()
        if self.in_order:
            self.parallelism = random.choice((1, 1, 1, 2))

    def job(self) -> Job:
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self._source()
        for _ in range(self.random.randint(1, 6)):
            stream = self._pick()
            kind = self.random.choice(self.keyed if self.random.random() < 0.45 else self.plain)
            getattr(self, f"_{kind}")(stream)
        for stream in list(self.streams):
            if stream.id not in self.read or self.random.random() < 0.1:
                self._step("print", (stream,), parallelism=self._any_parallelism())
        return Job(seed=self.seed, keys=self.keys, parallelism=self.parallelism, steps=tuple(self.steps))

    # --- parts

    def _step(
        self, kind: str, inputs: tuple[_Stream, ...] = (), *, parallelism: int, form: str = "tuple", **options: Any
    ) -> int:
        number = len(self.steps)
        self.read.update(one.id for one in inputs)
        self.steps.append(
            Step(
                id=number, kind=kind, inputs=tuple(one.id for one in inputs), parallelism=parallelism, form=form,
                options=options,
            )
        )  # fmt: skip
        return number

    def _add(self, stream: _Stream) -> _Stream:
        self.streams.append(replace(stream, kind=self.steps[stream.id].kind))
        return self.streams[-1]

    def _pick(self) -> _Stream:
        unread = [one for one in self.streams if one.id not in self.read]
        return self.random.choice(unread if unread and self.random.random() < 0.85 else self.streams)

    def _form(self) -> str:
        if KEY_KINDS[self.keys].type is None or self.random.random() >= self.declared:
            return "none"
        return self.random.choice(("tuple", "tuple", "row", "named"))

    def _any_parallelism(self) -> int:
        return self.parallelism if self.random.random() < 0.6 else self.random.randint(1, 4)

    def _parallelism(self, stream: _Stream) -> int:
        if stream.ordered and self.random.random() < 0.8:
            return 1
        return self._any_parallelism()

    def _behind(self, stream: _Stream, number: int, parallelism: int, form: str, *, shipped: bool = False) -> _Stream:
        """The stream behind a step that takes record by record."""
        ordered = stream.ordered and parallelism == 1
        near = (stream.parallelism == parallelism and not shipped) or stream.parallelism == 1
        return _Stream(
            id=number, form=form, parallelism=parallelism, ordered=ordered, disorder=stream.disorder if near else None,
            timed=stream.timed and (ordered or not stream.late), late=stream.late,
        )  # fmt: skip

    def _mapped(self, stream: _Stream, name: str, form: str | None = None, parallelism: int | None = None) -> _Stream:
        p = parallelism or self._parallelism(stream)
        form = form or self._form()
        style = self.random.choice(("lambda", "lambda", "class"))
        number = self._step("map", (stream,), parallelism=p, form=form, function=name, style=style)
        return self._add(self._behind(stream, number, p, form))

    def _operator(self, stream: _Stream) -> _Stream:
        """The result of an operator: unions and partitions get one behind them."""
        return self._mapped(stream, "same") if stream.kind == "union" else stream

    # --- sources

    def _source(self) -> None:
        reads = self.random.choice(("collection", "collection", "collection", "text", "csv", "json", "sequence"))
        p = 1 if self.in_order else self._any_parallelism()
        files = 1 if self.in_order else self.random.randint(1, 4)
        if reads == "sequence":
            count, disorder = self.random.choice((1, 2, 10, 30)), None
            records = [(i % len(KEY_KINDS[self.keys].values), i, i) for i in range(count)]
        else:
            records, disorder = self._records()
        if files > 1 and reads not in ("collection", "sequence"):
            disorder = None
        form = self._form()
        more = {"bare": self.random.random() < 0.3} if self.newest else {}
        number = self._step("source", (), parallelism=p, form=form, reads=reads, records=records, files=files, **more)
        if p > 1 and reads == "sequence":
            disorder = None
        self._add(_Stream(id=number, form=form, parallelism=p, ordered=p == 1 and files == 1, disorder=disorder))

    def _records(self) -> tuple[list[tuple[int, int, int]], int]:
        count = self.random.choice((0, 1, 2, 3, 8, 15, 30))
        disorder = self.random.choice((0, 0, 3, 15, 90))
        found, now = [], self.random.choice((0, 0, 1_000))
        for _ in range(count):
            now += self.random.randint(0, 12)
            back = self.random.choice((0, 0, self.random.randint(0, disorder)))
            key = self.random.randrange(len(KEY_KINDS[self.keys].values))
            found.append((key, self.random.randint(-20, 60), now - back))
        return found, disorder

    # --- operators without keys

    def _map(self, stream: _Stream) -> None:
        self._mapped(stream, self.random.choice(list(maps(self.keys))))

    def _filter(self, stream: _Stream) -> None:
        p = self._parallelism(stream)
        name = self.random.choice(list(filters(self.keys)))
        number = self._step("filter", (stream,), parallelism=p, form=stream.form, function=name)
        self._add(self._behind(stream, number, p, stream.form))

    def _nested(self, stream: _Stream) -> None:
        """Into lists, maps and rows, and back: chained, moved, or by key."""
        stream = self._operator(stream)
        p, form = self._parallelism(stream), self._form()
        how = self.random.choice(("", "", ".rebalance()", ".key_by(lambda r: (r[0], r[1][0]))"))
        number = self._step("nested", (stream,), parallelism=p, form=form, how=how)
        behind = self._behind(stream, number, p, form, shipped=bool(how))
        kept = not how or (p == 1 and "key_by" not in how)  # batch mode goes key by key
        self._add(behind if kept else replace(behind, ordered=False, disorder=None))

    def _flat_map(self, stream: _Stream) -> None:
        p, form = self._parallelism(stream), self._form()
        number = self._step("flat_map", (stream,), parallelism=p, form=form, function=self.random.choice(list(FLATS)))
        self._add(self._behind(stream, number, p, form))

    def _many(self, stream: _Stream) -> None:
        """More records than one chunk, one slice and one bucket of keys take."""
        if self.many or self.steps[stream.id].kind == "union":
            return self._filter(stream)
        self.many = True
        p, form = self._parallelism(stream), self._form()
        number = self._step("flat_map", (stream,), parallelism=p, form=form, function="many")
        self._add(self._behind(stream, number, p, form))
        return None

    def _stamps(self, stream: _Stream) -> None:
        """Event times as functions see them."""
        stream = self._operator(stream)
        if not stream.timed:
            stream = self._times(stream)
        p, form = self._parallelism(stream), self._form()
        number = self._step("stamps", (stream,), parallelism=p, form=form)
        self._add(replace(self._behind(stream, number, p, form), disorder=None))

    def _counted(self, stream: _Stream) -> None:
        """A function that counts its records in an attribute."""
        stream = self._operator(stream)
        if not (stream.ordered and stream.parallelism == 1):
            return self._map(stream)
        form = self._form()
        number = self._step("counted", (stream,), parallelism=1, form=form)
        self._add(self._behind(stream, number, 1, form))
        return None

    def _process(self, stream: _Stream) -> None:
        p, form = self._parallelism(stream), self._form()
        number = self._step("process", (stream,), parallelism=p, form=form)
        behind = self._add(self._behind(stream, number, p, form))
        # always read: an operator that PyFlink merges with a process function gets what nobody reads, tag and all
        side = self._step("side", (behind,), parallelism=p, form=form)
        self._add(_Stream(id=side, form=form, parallelism=p))

    def _async(self, stream: _Stream) -> None:
        p, form = self._parallelism(stream), self._form()
        number = self._step("async", (stream,), parallelism=p, form=form, ordered=stream.ordered)
        behind = self._behind(stream, number, p, form)
        self._add(behind if stream.ordered else replace(behind, disorder=None))

    def _ship(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        how = self.random.choice(_SHIPS)
        p = stream.parallelism if how == "forward" else self._any_parallelism()
        if how == "forward" and stream.kind == "source" and self.steps[stream.id]["reads"] == "collection":
            how = "rebalance"  # in PyFlink a collection has one subtask, whatever is said
        if how == "forward" and self.steps[stream.id].kind in ("side", "late") and p != self.parallelism:
            how = "rebalance"  # PyFlink reads a side output with the job's own parallelism
        number = self._step("ship", (stream,), parallelism=p, form=stream.form, how=how)
        moved = _Stream(id=number, form=stream.form, parallelism=stream.parallelism)
        reader = self._step("map", (moved,), parallelism=p, form=stream.form, function="add", style="lambda")
        self._add(self._behind(replace(stream, ordered=False), reader, p, stream.form, shipped=True))

    def _union(self, stream: _Stream) -> None:
        others = [one for one in self.streams if one.id != stream.id]
        if not others:
            self._source()
            others = self.streams[-1:]
        parts = [stream, *self.random.sample(others, min(len(others), self.random.randint(1, 2)))]
        form = self._form()
        parts = [one if one.form == form and one.kind != "union" else self._mapped(one, "same", form) for one in parts]
        p = parts[0].parallelism
        number = self._step("union", tuple(parts), parallelism=p, form=form)
        timed = all(one.timed and not one.late for one in parts)
        self._add(_Stream(id=number, form=form, parallelism=p, timed=timed))

    def _connect(self, stream: _Stream) -> None:
        other = self.random.choice(self.streams)
        if other.id == stream.id:
            other = self._mapped(stream, "negative")
        p, form = self._any_parallelism(), self._form()
        function = self.random.choice(("map", "flat_map", "process"))
        number = self._step("connect", (stream, other), parallelism=p, form=form, function=function)
        timed = stream.timed and other.timed and not stream.late and not other.late
        self._add(_Stream(id=number, form=form, parallelism=p, timed=timed))

    def _broadcast_state(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        other = self._mapped(self.random.choice(self.streams), "same")
        p, form = self._any_parallelism(), self._form()
        number = self._step("broadcast_state", (stream, other), parallelism=p, form=form)
        self._add(_Stream(id=number, form=form, parallelism=p))

    def _times(self, stream: _Stream) -> _Stream:
        stream = self._operator(stream)
        p = self.parallelism  # PyFlink reads event times with the job's own parallelism
        if stream.ordered and p == 1 and stream.disorder is not None:
            delay = self.random.choice((0, 3, 20, stream.disorder))
        elif stream.disorder is not None and stream.parallelism in (1, p):
            delay = stream.disorder
        else:
            delay = _NEVER_LATE
        number = self._step("times", (stream,), parallelism=p, form=stream.form, delay=delay)
        behind = self._behind(stream, number, p, stream.form)
        late = delay < (_NEVER_LATE if stream.disorder is None else stream.disorder)
        return self._add(replace(behind, timed=True, late=late))

    # --- operators with keys

    def _key(self) -> dict[str, Any]:
        newer = tuple(NEWER_SELECTORS) if self.newest else ()
        selector = self.random.choice(("field", "field", "field", *SELECTORS, *newer))
        return {"selector": selector, "declared": self.random.random() < 0.5}

    def _aggregate(self, stream: _Stream, kind: str) -> None:
        stream = self._operator(stream)
        running = self._answers_per_record(stream)
        p = self._any_parallelism()
        number = self._step(kind, (stream,), parallelism=p, form=stream.form, running=running, **self._key())
        self._add(_Stream(id=number, form=stream.form, parallelism=p))

    def _answers_per_record(self, stream: _Stream) -> bool:
        """Whether an operator may answer by the order of its records: that of arrival is that of event time."""
        return stream.ordered and (not stream.timed or stream.disorder == 0) and self.random.random() < 0.8

    def _sum(self, stream: _Stream) -> None:
        self._aggregate(stream, "sum")

    def _min(self, stream: _Stream) -> None:
        self._aggregate(stream, "min")

    def _max(self, stream: _Stream) -> None:
        self._aggregate(stream, "max")

    def _min_by(self, stream: _Stream) -> None:
        self._aggregate(stream, "min_by")

    def _max_by(self, stream: _Stream) -> None:
        self._aggregate(stream, "max_by")

    def _keyed_first(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        p, form, function = self._any_parallelism(), self._form(), self.random.choice(("flat_map", "filter"))
        number = self._step("keyed_first", (stream,), parallelism=p, form=form, function=function, **self._key())
        self._add(_Stream(id=number, form=form, parallelism=p))

    def _reduce(self, stream: _Stream) -> None:
        self._aggregate(stream, "reduce")

    def _keyed_process(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        p, form = self._any_parallelism(), self._form()
        functions = ["totals", "stored"] if self.later else ["totals"]
        if self._answers_per_record(stream):
            functions += ["running", "running"]
        if stream.timed:
            functions += ["timers", "timers"]
        function = self.random.choice(functions)
        number = self._step(
            "keyed_process", (stream,), parallelism=p, form=form, function=function, **self._key(),
            wait=self.random.choice((1, 10, 50)),
        )  # fmt: skip
        self._add(_Stream(id=number, form=form, parallelism=p, timed=function == "timers" and not stream.late))

    def _window_all(self, stream: _Stream) -> None:
        self._window(stream, every=True)

    def _window(self, stream: _Stream, *, every: bool = False) -> None:
        stream = self._operator(stream)
        if not stream.timed:
            stream = self._times(stream)
        size = self.random.choice((5, 10, 25))
        assigner = self.random.choice(("tumbling", "sliding", "session", *(("dynamic",) if self.newest else ())))
        function = self.random.choice(("reduce", "aggregate", "process"))
        form = stream.form if function == "reduce" else self._form()
        p = 1 if every else self._any_parallelism()
        number = self._step(
            "window", (stream,), parallelism=p, form=form, assigner=assigner, size=size,
            slide=self.random.choice((2, 5, size)) if assigner == "sliding" else None,
            offset=self.random.choice((0, 0, 3)) if assigner == "tumbling" else 0,
            function=function, lateness=self.random.choice((0, 0, 10, 40)), tagged=self.random.random() < 0.4,
            **({"selector": "one", "declared": False, "every": True} if every else self._key()),
            **(self._of_newest_windows(function, every) if self.newest else {}),
        )  # fmt: skip
        again = self._add(_Stream(id=number, form=form, parallelism=p, timed=not stream.late))
        if self.steps[number]["tagged"]:
            side = self._step("late", (again,), parallelism=p, form=stream.form)
            self._add(_Stream(id=side, form=stream.form, parallelism=p))

    def _of_newest_windows(self, function: str, every: bool) -> dict[str, Any]:
        return {
            "through": function == "process" and not every and self.random.random() < 0.4,
            "trigger": self.random.choice((None, None, None, "event")),
        }

    def _count(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        if not self._answers_per_record(stream):
            return self._aggregate(stream, "reduce")
        p, form = self._any_parallelism(), self._form()
        number = self._step(
            "count", (stream,), parallelism=p, form=form, size=self.random.choice((1, 2, 3, 5)), **self._key()
        )
        self._add(_Stream(id=number, form=form, parallelism=p))
        return None

    def _keyed_connect(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        other = self._operator(self.random.choice(self.streams))
        if other.id == stream.id:
            other = self._mapped(stream, "negative")
        p, form = self._any_parallelism(), self._form()
        number = self._step("keyed_connect", (stream, other), parallelism=p, form=form, **self._key())
        self._add(_Stream(id=number, form=form, parallelism=p))

    def _keyed_broadcast(self, stream: _Stream) -> None:
        stream = self._operator(stream)
        other = self._mapped(self.random.choice(self.streams), "same")
        p, form = self._any_parallelism(), self._form()
        number = self._step("keyed_broadcast", (stream, other), parallelism=p, form=form, **self._key())
        self._add(_Stream(id=number, form=form, parallelism=p))
