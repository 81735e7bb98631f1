"""What a described job gives, computed in plain Python: lists of records, no subtasks, no exchanges.

It shares expressions and `show` with the scripts, and nothing with the runner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.description import Job, Step
from tests.fuzz.functions import ALL_SELECTORS, FLATS, MANY, filters, maps
from tests.fuzz.rendering import AGGREGATE_SELECTORS, helpers

__all__ = ["expected"]

_FAR = 10**12
_END = 2**62
Record = tuple[Any, int, int]


@dataclass
class _Stream:
    """Records with their event times. Where some may be late, the watermark that stands in front of each."""

    records: list[tuple[Record, int | None]] = field(default_factory=list)
    marks: list[int] | None = None


def expected(job: Job, *, updates: bool, late: bool) -> Counter[str]:
    """The lines that the job prints.

    `updates`: keyed aggregates answer every record, not only when the input ends. `late`: a watermark stands behind
    every record; otherwise it comes with the end of the input.
    """
    return _Model(job, updates, late).run()


class _Model:
    def __init__(self, job: Job, updates: bool, late: bool) -> None:
        self.job, self.updates, self.late = job, updates, late
        self.names = helpers()
        self.keys = [eval(value, self.names) for value in job.key_kind.values]
        self.found: dict[int, _Stream] = {}
        self.sides: dict[int, _Stream] = {}
        self.lines: Counter[str] = Counter()

    def run(self) -> Counter[str]:
        for step in self.job.steps:
            self.found[step.id] = getattr(self, f"_{step.kind}")(step)
        return self.lines

    def _input(self, step: Step, at: int = 0) -> _Stream:
        return self.found[step.inputs[at]]

    def _of(self, expression: str) -> Callable[[Record], Any]:
        return eval(f"lambda r: {expression}", self.names)

    def _each(self, stream: _Stream, f: Callable[[Record], Iterable[Record]]) -> _Stream:
        """Record by record; watermarks stay where they are."""
        out = _Stream(marks=None if stream.marks is None else [])
        for at, (record, time) in enumerate(stream.records):
            for made in f(record):
                out.records.append((made, time))
                if out.marks is not None and stream.marks is not None:
                    out.marks.append(stream.marks[at])
        return out

    # --- without keys

    def _source(self, step: Step) -> _Stream:
        return _Stream([((self.keys[key], number, time), None) for key, number, time in step["records"]])

    def _map(self, step: Step) -> _Stream:
        fields = [self._of(one) for one in maps(self.job.keys)[step["function"]]]
        return self._each(self._input(step), lambda r: [tuple(f(r) for f in fields)])

    def _nested(self, step: Step) -> _Stream:
        return self._each(self._input(step), lambda r: [r])

    def _filter(self, step: Step) -> _Stream:
        keeps = self._of(filters(self.job.keys)[step["function"]])
        return self._each(self._input(step), lambda r: [r] if keeps(r) else [])

    def _flat_map(self, step: Step) -> _Stream:
        count, number = {**FLATS, **MANY}[step["function"]]
        f = self._of(f"[(r[0], {number}, r[2]) for i in range({count})]")
        return self._each(self._input(step), f)

    def _process(self, step: Step) -> _Stream:
        def made(r: Record) -> Record:
            return (r[0], r[1] * 2, r[2])

        self.sides[step.id] = self._each(self._input(step), lambda r: [made(r)] if r[1] % 3 == 0 else [])
        return self._each(self._input(step), lambda r: [] if r[1] % 3 == 0 else [made(r)])

    def _side(self, step: Step) -> _Stream:
        return self.sides[step.inputs[0]]

    _late = _side

    def _async(self, step: Step) -> _Stream:
        return self._each(self._input(step), lambda r: [(r[0], r[1] + 100, r[2])] * (1 + r[1] % 2))

    def _ship(self, step: Step) -> _Stream:
        times = step.parallelism if step["how"] == "broadcast" else 1
        return self._each(self._input(step), lambda r: [r] * times)

    def _stamps(self, step: Step) -> _Stream:
        stream = self._input(step)
        return _Stream([((r[0], r[1], time or 0), time) for r, time in stream.records], stream.marks)

    def _counted(self, step: Step) -> _Stream:
        stream = self._input(step)
        return _Stream(
            [((r[0], r[1] * 10 + at, r[2]), time) for at, (r, time) in enumerate(stream.records, start=1)], stream.marks
        )

    def _union(self, step: Step) -> _Stream:
        return _Stream([one for at in range(len(step.inputs)) for one in self._input(step, at).records])

    def _times(self, step: Step) -> _Stream:
        out, mark = _Stream(marks=[]), -_END
        assert out.marks is not None
        for record, _ in self._input(step).records:
            out.records.append((record, record[2]))
            out.marks.append(mark)
            if self.late:
                mark = max(mark, record[2] - step["delay"] - 1)
        return out

    def _connect(self, step: Step) -> _Stream:
        def one(r: Record) -> Record:
            return (r[0], r[1] + 1, r[2])

        def other(r: Record) -> Record:
            return (r[0], -r[1], r[2])

        first, second = {
            "map": (lambda r: [one(r)], lambda r: [other(r)]),
            "flat_map": (lambda r: [one(r), other(r)], lambda r: [other(r)] if r[1] > 0 else []),
            "process": (lambda r: [one(r)], lambda r: [other(r), one(r)]),
        }[step["function"]]
        left, right = self._each(self._input(step), first), self._each(self._input(step, 1), second)
        return _Stream(left.records + right.records)

    def _broadcast_state(self, step: Step) -> _Stream:
        rules = [((r[0], r[1] + 1000, r[2]), at) for r, at in self._input(step, 1).records] * step.parallelism
        return _Stream(self._input(step).records + rules)

    # --- with keys

    def _by_key(self, step: Step, stream: _Stream, selector: str | None = None) -> dict[Any, list[int]]:
        """The positions of each key's records. Keys that are written alike are one key, so NaN is one."""
        select = self._of(selector or ALL_SELECTORS[step["selector"]][0])
        groups: dict[Any, list[int]] = {}
        for at, (record, _) in enumerate(stream.records):
            groups.setdefault(self.names["text"](select(record)), []).append(at)
        return groups

    def _first(self, step: Step, record: Record) -> Any:
        return record[0] if step["selector"] == "field" else self.keys[0]

    def _aggregate(self, step: Step) -> _Stream:
        combine: Callable[[Record, Record], Record] = {
            "sum": lambda a, b: (a[0], a[1] + b[1], a[2]),
            "min": lambda a, b: (a[0], min(a[1], b[1]), a[2]),
            "max": lambda a, b: (a[0], max(a[1], b[1]), a[2]),
            "reduce": lambda a, b: (a[0], a[1] + b[1], max(a[2], b[2])),
            "min_by": lambda a, b: b if b[1] < a[1] else a,
            "max_by": lambda a, b: b if b[1] > a[1] else a,
        }[step.kind]
        stream, selector = self._input(step), None
        third, key, _, first = AGGREGATE_SELECTORS[step["selector"]]
        if not step["running"]:
            selector = key
            if third is not None:
                of = self._of(third)
                stream = _Stream([((r[0], r[1], of(r)), at) for r, at in stream.records])
        out = _Stream()
        for positions in self._by_key(step, stream, selector).values():
            total, time = stream.records[positions[0]]
            given = [(total, time)]
            for at in positions[1:]:
                total = combine(total, stream.records[at][0])
                given.append((total, stream.records[at][1]))
            if step["running"]:
                out.records += given if self.updates else given[-1:]
            else:
                made = (total[0] if first else self.keys[0], total[1], 0 if third is None else total[2])
                out.records.append((made, _FAR))
        return out

    _sum = _min = _max = _min_by = _max_by = _reduce = _aggregate

    def _keyed_first(self, step: Step) -> _Stream:
        stream = self._input(step)
        firsts = [stream.records[positions[0]][0] for positions in self._by_key(step, stream).values()]
        return _Stream([((self._first(step, first), 7, 0), None) for first in firsts])

    def _keyed_process(self, step: Step) -> _Stream:
        stream, out = self._input(step), _Stream()
        for positions in self._by_key(step, stream).values():
            records = [stream.records[at][0] for at in positions]
            if step["function"] == "totals":
                numbers = [r[1] for r in records]
                total = sum(numbers) * 1000 + len(records) * 10 + len({r[2] for r in records})
                out.records.append(((self._first(step, records[0]), total, max(numbers)), _FAR))
            elif step["function"] == "stored":
                marks = {r[1] % 4 for r in records} - {2}
                total = sum(r[1] for r in records) * 1000 + sum(r[1] > 0 for r in records) * 10 + len(marks)
                out.records.append(((self._first(step, records[0]), total, len(records)), _FAR))
            elif step["function"] == "running":
                out.records += [
                    ((r[0], r[1] * 10 + number, r[2]), stream.records[at][1])
                    for number, (r, at) in enumerate(zip(records, positions, strict=True), start=1)
                ]
            else:
                for timer in self._timers(stream, positions, step["wait"]):
                    out.records.append(((self._first(step, records[0]), timer, timer), timer))
        return out

    def _timers(self, stream: _Stream, positions: list[int], wait: int) -> list[int]:
        """The timers of one key as they fire: at the next watermark that has reached them."""
        fired: list[int] = []
        waiting: set[int] = set()
        mine = set(positions)
        for at, (_, time) in enumerate(stream.records):
            mark = -_END if stream.marks is None else stream.marks[at]
            before = -_END if stream.marks is None or at == 0 else stream.marks[at - 1]
            if mark > before:
                fired += sorted(timer for timer in waiting if timer <= mark)
                waiting = {timer for timer in waiting if timer > mark}
            if at in mine:
                assert time is not None
                waiting.add(time + wait)
        return fired + sorted(waiting)

    def _window(self, step: Step) -> _Stream:
        stream, out, late = self._input(step), _Stream(), _Stream()
        marks = stream.marks or []
        rises = {at for at in range(1, len(marks)) if marks[at] != marks[at - 1]}
        for positions in self._by_key(step, stream).values():
            windows = _Windows(step)
            mine = set(positions)
            for at in sorted(mine | rises):
                record, time = stream.records[at]
                windows.advance(-_END if stream.marks is None else stream.marks[at])
                if at in mine:
                    assert time is not None
                    windows.take(record, time)
            windows.advance(_END)
            for (start, end), records in windows.given:
                out.records.append((self._of_window(step, (start, end), records), end - 1))
            late.records += windows.late
        self.sides[step.id] = late
        return out

    def _of_window(self, step: Step, bounds: tuple[int, int], records: list[Record]) -> Record:
        total, first = sum(r[1] for r in records), self._first(step, records[0])
        latest = max(r[2] for r in records)
        if step["function"] == "reduce":
            return (first, total, latest)
        return (first, total * 100 + len(records), latest if step["function"] == "aggregate" else bounds[1])

    def _count(self, step: Step) -> _Stream:
        stream, out = self._input(step), _Stream()
        for positions in self._by_key(step, stream).values():
            records, size = [stream.records[at][0] for at in positions], step["size"]
            for start in range(0, len(records) - size + 1, size):
                part = records[start : start + size]
                made = (self._first(step, part[0]), sum(r[1] for r in part) * 100 + size, 0)
                out.records.append((made, None))
        return out

    def _keyed_connect(self, step: Step) -> _Stream:
        first, second = self._input(step), self._input(step, 1)
        ones, twos = self._by_key(step, first), self._by_key(step, second)
        out = _Stream()
        for key in {**ones, **twos}:
            some = [first.records[at][0] for at in ones.get(key, ())]
            others = [second.records[at][0] for at in twos.get(key, ())]
            made = (self._first(step, (some or others)[0]), len(some) * 1000 + sum(r[1] for r in others), 0)
            out.records.append((made, _FAR))
        return out

    def _keyed_broadcast(self, step: Step) -> _Stream:
        stream, rules = self._input(step), {r[1] for r, _ in self._input(step, 1).records}
        return _Stream(
            [
                ((self._first(step, stream.records[positions[0]][0]), len(positions), len(rules)), _FAR)
                for positions in self._by_key(step, stream).values()
            ]
        )

    def _print(self, step: Step) -> _Stream:
        self.lines.update(self.names["show"](f"p{step.id}", record) for record, _ in self._input(step).records)
        return _Stream()


class _Windows:
    """The windows of one key: Flink's rules, one record and one watermark after the other."""

    def __init__(self, step: Step) -> None:
        self.step, self.lateness = step, step["lateness"]
        self.mark = -_END
        self.open: dict[tuple[int, int], list[Record]] = {}
        self.waiting: set[tuple[int, int]] = set()  # windows that have not given their first result
        self.given: list[tuple[tuple[int, int], list[Record]]] = []
        self.late: list[tuple[Record, int | None]] = []

    def advance(self, mark: int) -> None:
        """Move the watermark: windows whose end it reaches give their result, and those that are over are gone."""
        if mark <= self.mark:
            return
        self.mark = mark
        for window in sorted(self.waiting):
            if window[1] - 1 <= mark:
                self._give(window)
        self.open = {window: held for window, held in self.open.items() if not self._is_over(window)}

    def take(self, record: Record, time: int) -> None:
        """One record: into its windows, or late."""
        taken = False
        for assigned in self._assigned(record, time):
            window = self._merged(assigned) if self.step["assigner"] in ("session", "dynamic") else assigned
            if self._is_over(window):
                continue
            taken = True
            self.open.setdefault(window, []).append(record)
            if window[1] - 1 <= self.mark:
                self._give(window)
            else:
                self.waiting.add(window)
        if not taken and time + self.lateness <= self.mark:
            self.late.append((record, time))

    def _give(self, window: tuple[int, int]) -> None:
        self.waiting.discard(window)
        self.given.append((window, list(self.open[window])))

    def _is_over(self, window: tuple[int, int]) -> bool:
        return window[1] - 1 + self.lateness <= self.mark

    def _assigned(self, record: Record, time: int) -> list[tuple[int, int]]:
        size = self.step["size"]
        if self.step["assigner"] in ("session", "dynamic"):
            return [(time, time + size + (record[1] % 4 if self.step["assigner"] == "dynamic" else 0))]
        slide, offset = self.step["slide"] or size, self.step["offset"]
        last = time - (time - offset) % slide
        return [(start, start + size) for start in range(last, time - size, -slide)]

    def _merged(self, window: tuple[int, int]) -> tuple[int, int]:
        """The session that a record's own one becomes part of; what it merges with is moved into it."""
        touching = [one for one in self.open if one[0] <= window[1] and window[0] <= one[1]]
        whole = (min([window[0], *(one[0] for one in touching)]), max([window[1], *(one[1] for one in touching)]))
        if touching and not self._is_over(whole):
            held = [record for one in touching for record in self.open.pop(one)]
            self.waiting.difference_update(touching)
            self.open[whole] = held
        return whole
