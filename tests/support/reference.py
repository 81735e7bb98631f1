"""A plain-Python reference of what a bounded job computes: records in lists, no Spark, no partitions.

It shares nothing with the runner, so that both being wrong in the same way is unlikely. Subtasks matter in one place
only: a broadcast gives every record as often as its reader has subtasks.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from planner.frontends.python.values.types import OutputTag
from planner.job import Collection, JobDefinition, Operator, Partition, Sequence, SideOutput, Union, Watermarks, Window

Timed = tuple[Any, int | None]  # a record and its event time


@dataclass
class Outcome:
    """What each sink got, as a multiset, and what every operator took and gave."""

    printed: dict[str, Counter[Any]] = field(default_factory=dict)
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)


def evaluate(job: JobDefinition) -> Outcome:
    """Run a job of Python functions."""
    outcome = Outcome()
    main: dict[int, list[Timed]] = {}
    sides: dict[tuple[int, str], list[Timed]] = defaultdict(list)
    for one in job.transformations:
        if isinstance(one, Union):
            main[one.id] = [record for i in one.inputs for record in main[i]]
        elif isinstance(one, Partition):
            main[one.id] = main[one.input]
        elif isinstance(one, SideOutput):
            main[one.id] = sides[one.input, one.tag]
        else:
            inputs = [_arriving(job, main, i, one) for i in one.inputs]
            given, tagged = _OPERATORS[one.kind](job, one, inputs)
            main[one.id] = given
            for tag, records in tagged.items():
                sides[one.id, tag].extend(records)
            out = 0 if one.kind in ("print", "sink") else len(given) + sum(map(len, tagged.values()))
            outcome.counts[one.key] = (sum(map(len, inputs)), out)
            if one.kind == "print":
                outcome.printed[one.key] = Counter(record for record, _ in inputs[0])
    return outcome


def _arriving(job: JobDefinition, main: dict[int, list[Timed]], source: int, reader: Operator) -> list[Timed]:
    origin, times = job.by_id[source], 1
    if isinstance(origin, Partition) and origin.partitioner == "BROADCAST":
        times = reader.parallelism or job.parallelism
    return main[source] * times


def _call(function: Any, *names: str) -> Callable[..., Any]:
    return next((getattr(function, n) for n in names if hasattr(function, n)), function)


def _source(job: JobDefinition, one: Operator, inputs: Any) -> Any:
    behaviour = one.behaviour
    if isinstance(behaviour, Sequence):
        return [(n, None) for n in range(behaviour.start, behaviour.end + 1)], {}
    assert isinstance(behaviour, Collection)
    return [(record, None) for record in behaviour.records], {}


def _map(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    f = _call(one.behaviour.target, "map")
    return [(f(record), at) for record, at in inputs[0]], {}


def _flat_map(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    f = _call(one.behaviour.target, "flat_map")
    return [(made, at) for record, at in inputs[0] for made in f(record) or ()], {}


def _filter(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    f = _call(one.behaviour.target, "filter")
    return [(record, at) for record, at in inputs[0] if f(record)], {}


def _async_map(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    return [(asyncio.run(one.behaviour.target(record)), at) for record, at in inputs[0]], {}


def _watermarks(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    assert isinstance(one.behaviour, Watermarks) and one.behaviour.assigner is not None
    f = one.behaviour.assigner.target
    return [(record, f(record, -1)) for record, _ in inputs[0]], {}


def _by_key(
    job: JobDefinition, one: Operator, inputs: list[list[Timed]]
) -> dict[Any, list[tuple[Any, int | None, int]]]:
    groups: dict[Any, list[tuple[Any, int | None, int]]] = {}
    for side, records in enumerate(inputs):
        partition = job.by_id[one.inputs[side]]
        assert isinstance(partition, Partition)
        select = (
            partition.key_selector.target
            if partition.key_selector
            else lambda r, p=partition: r[int(p.key_columns[0][1:])]
        )
        for record, at in records:
            groups.setdefault(select(record), []).append((record, at, side))
    return groups


def _reduced(job: JobDefinition, one: Operator, inputs: Any, f: Callable[[Any, Any], Any]) -> Any:
    out = []
    for records in _by_key(job, one, inputs).values():
        total = records[0][0]
        for record, _, _ in records[1:]:
            total = f(total, record)
        out.append((total, records[-1][1]))
    return out, {}


def _reduce(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    return _reduced(job, one, inputs, _call(one.behaviour.target, "reduce"))


def _aggregate(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    at = one.behaviour.field
    combine = {"sum": lambda a, b: a + b, "min": min, "max": max}[one.kind]

    def f(a: Any, b: Any) -> Any:
        value = a[at] if b[at] is None else b[at] if a[at] is None else combine(a[at], b[at])
        return (*a[:at], value, *a[at + 1 :])

    return _reduced(job, one, inputs, f)


class _State:
    def __init__(self) -> None:
        self.held: Any = None

    def value(self) -> Any:
        return self.held

    get = value

    def update(self, value: Any) -> None:
        self.held = value

    def add(self, value: Any) -> None:
        self.held = [*(self.held or ()), value]


class _Surroundings:
    """Runtime context, context and timer service in one."""

    def __init__(self) -> None:
        self.states: dict[str, _State] = {}
        self.timers: list[int] = []
        self.key: Any = None
        self.at: int | None = None

    def get_state(self, descriptor: Any) -> _State:
        return self.states.setdefault(descriptor.name, _State())

    get_list_state = get_state

    def timestamp(self) -> int | None:
        return self.at

    def get_current_key(self) -> Any:
        return self.key

    def timer_service(self) -> _Surroundings:
        return self

    def register_event_time_timer(self, at: int) -> None:
        if at not in self.timers:
            heapq.heappush(self.timers, at)


def _sorted_out(
    results: Iterable[Any] | None, at: int | None, out: list[Timed], tagged: dict[str, list[Timed]]
) -> None:
    for item in results or ():
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], OutputTag):
            tagged.setdefault(item[0].tag_id, []).append((item[1], at))
        else:
            out.append((item, at))


def _process(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    function, out, tagged = one.behaviour.target, [], {}
    if job.is_keyed(one):
        for key, records in _by_key(job, one, inputs).items():
            _one_key(function, key, records, out, tagged, len(inputs) > 1)
        return out, tagged
    around = _Surroundings()
    for side, records in enumerate(inputs):
        name = f"process_element{side + 1}" if len(inputs) > 1 else "process_element"
        for record, at in records:
            around.at = at
            _sorted_out(getattr(function, name)(record, around), at, out, tagged)
    return out, tagged


def _one_key(function: Any, key: Any, records: Any, out: Any, tagged: Any, two: bool) -> None:
    around = _Surroundings()
    around.key = key
    if hasattr(function, "open"):
        function.open(around)
    for record, at, side in sorted(records, key=lambda r: (r[1] if r[1] is not None else 0, r[2])):
        around.at = at
        name = f"process_element{side + 1}" if two else "process_element"
        _sorted_out(getattr(function, name)(record, around), at, out, tagged)
    while around.timers:
        at = heapq.heappop(around.timers)
        _sorted_out(function.on_timer(at, around), at, out, tagged)


def _co(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    name = one.kind.removeprefix("co_")
    out = []
    for side, records in enumerate(inputs):
        f = getattr(one.behaviour.target, f"{name}{side + 1}")
        for record, at in records:
            out += [(made, at) for made in ((f(record),) if name == "map" else f(record))]
    return out, {}


def _windows(shape: Window, times: list[int]) -> list[tuple[int, int]]:
    """All windows that hold any of the times."""
    if shape.assigner == "session":
        found: list[tuple[int, int]] = []
        for at in sorted(times):
            if found and at <= found[-1][1]:
                found[-1] = (found[-1][0], max(found[-1][1], at + shape.size))
            else:
                found.append((at, at + shape.size))
        return found
    step = shape.slide or shape.size
    low, high = min(times) - shape.size, max(times)
    first = (low - shape.offset) // step * step + shape.offset
    every = ((start, start + shape.size) for start in range(first, high + 1, step))
    return [(start, end) for start, end in every if any(start <= at < end for at in times)]


def _window(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    shape = one.behaviour
    assert isinstance(shape, Window) and shape.function is not None
    f, out = shape.function.target, []
    for key, records in _by_key(job, one, inputs).items():
        ordered = sorted(records, key=lambda r: r[1])
        for start, end in _windows(shape, [r[1] for r in ordered]):
            inside = [r[0] for r in ordered if start <= r[1] < end]
            out += [(made, end - 1) for made in _windowed(f, shape.form, key, (start, end), inside)]
    return out, {}


def _windowed(f: Any, form: str, key: Any, bounds: tuple[int, int], inside: list[Any]) -> list[Any]:
    if form == "reduce":
        total = inside[0]
        for record in inside[1:]:
            total = f(total, record)
        return [total]
    if form == "aggregate":
        held = f.create_accumulator()
        for record in inside:
            held = f.add(record, held)
        return [f.get_result(held)]

    class At:
        def window(self) -> Any:
            return type("W", (), {"start": bounds[0], "end": bounds[1]})

    return list(f.process(key, At(), inside))


def _sink(job: JobDefinition, one: Operator, inputs: list[list[Timed]]) -> Any:
    return [], {}


_OPERATORS: dict[str, Callable[[JobDefinition, Operator, list[list[Timed]]], Any]] = {
    "source": _source,
    "map": _map,
    "flat_map": _flat_map,
    "filter": _filter,
    "process": _process,
    "async_map": _async_map,
    "watermarks": _watermarks,
    "sum": _aggregate,
    "min": _aggregate,
    "max": _aggregate,
    "reduce": _reduce,
    "window_reduce": _window,
    "co_map": _co,
    "co_flat_map": _co,
    "co_process": _process,
    "sink": _sink,
    "print": _sink,
}
