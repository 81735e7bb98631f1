"""A plain-Python reference of streaming jobs with Flink's rules, one input record after the other.

For every position of the input each source subtask gives its record and then its watermark; every vertex then takes
what arrived, producer by producer, records before the watermark. State is plain dicts, windows are lists of records.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from planner.graphs.execution_graph import consumed_ranges, default_max_parallelism
from planner.job import Aggregate, Collection, JobDefinition, Operator, Partition, Sequence, Watermarks, Window
from planner.pipeline import plan
from spark_runner.executor.keys import key_bytes
from spark_runner.executor.state import RuntimeContext, TimeWindow
from tests.support.stream_functions import key_of

LEAST, MOST = -(2**63), 2**63 - 1


class Store:
    """The states of the current key."""

    def __init__(self) -> None:
        self.all: dict[Any, dict[str, Any]] = {}
        self.key: Any = None

    @property
    def values(self) -> dict[str, Any]:
        return self.all.setdefault(self.key, {})


class Timers:
    """The timers of all keys of one operator."""

    def __init__(self) -> None:
        self.set: set[tuple[int, Any]] = set()
        self.key: Any = None
        self.watermark = LEAST

    def register_event_time_timer(self, timestamp: int) -> None:
        self.set.add((timestamp, self.key))

    def delete_event_time_timer(self, timestamp: int) -> None:
        self.set.discard((timestamp, self.key))

    def current_watermark(self) -> int:
        return self.watermark

    def due(self, watermark: int) -> Iterator[tuple[int, Any]]:
        self.watermark = watermark
        while True:
            ready = sorted((one for one in self.set if one[0] <= watermark), key=lambda t: (t[0], key_bytes(t[1])))
            if not ready:
                return
            self.set.discard(ready[0])
            self.key = ready[0][1]
            yield ready[0]


class Context:
    """A process function's context."""

    def __init__(self, timers: Timers) -> None:
        self.timers, self.stamp = timers, None

    def timestamp(self) -> Any:
        return self.stamp

    def timer_service(self) -> Timers:
        return self.timers

    def get_current_key(self) -> Any:
        return self.timers.key


class Node:
    """One operator in one subtask: takes a record, gives (tag, value, stamp)."""

    def __init__(self, operator: Operator, subtask: int, keyed: bool) -> None:
        self.operator, self.keyed = operator, keyed
        behaviour: Any = operator.behaviour
        self.kind = operator.kind
        self.watermark = LEAST
        self.store, self.timers = Store(), Timers()
        self.context = Context(self.timers)
        target = getattr(behaviour, "target", None)
        if isinstance(behaviour, Window):
            target = behaviour.function.target if behaviour.function else None
        self.function = copy.deepcopy(target)  # every subtask has its own
        self.runtime = RuntimeContext(
            name="",
            subtask=subtask,
            parallelism=1,
            attempt=0,
            state=self.store if keyed else None,  # type: ignore[arg-type]
        )
        if hasattr(self.function, "open"):
            self.function.open(self.runtime)
        self.windows: dict[Any, dict[tuple[int, int], list[Any]]] = {}
        self.window_states: dict[Any, Store] = {}
        self.latest = LEAST

    def take(self, position: int, value: Any, stamp: int | None, key: Any) -> list[tuple[Any, Any, Any]]:
        self.store.key = self.timers.key = key
        self.context.stamp = stamp  # type: ignore[assignment]
        method: Callable[..., Any] = getattr(self, f"_{self.kind}")
        return list(method(position, value, stamp))

    def rise(self, watermark: int) -> list[tuple[Any, Any, Any]]:
        before, self.watermark = self.watermark, watermark
        if self.kind == "window_reduce":
            return list(self._close_windows(before, watermark))
        out = []
        if hasattr(self.function, "on_timer"):
            for when, key in self.timers.due(watermark):
                self.store.key = key
                self.context.stamp = when  # type: ignore[assignment]
                out += [_tagged(item, when) for item in self.function.on_timer(when, self.context) or ()]
        return out

    # --- operators

    def _call(self, name: str) -> Callable[..., Any]:
        found = getattr(self.function, name, None)
        return found if callable(found) else self.function  # type: ignore[return-value]

    def _map(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        yield None, self._call("map")(value), stamp

    def _filter(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        if self._call("filter")(value):
            yield None, value, stamp

    def _flat_map(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        for one in self._call("flat_map")(value) or ():
            yield None, one, stamp

    def _process(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        for one in self.function.process_element(value, self.context) or ():
            yield _tagged(one, stamp)

    def _co_process(self, position: int, value: Any, stamp: Any) -> Iterator[Any]:
        call = getattr(self.function, f"process_element{position + 1}")
        for one in call(value, self.context) or ():
            yield _tagged(one, stamp)

    def _watermarks(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        behaviour = self.operator.behaviour
        assert isinstance(behaviour, Watermarks)
        if behaviour.assigner is not None:
            stamp = behaviour.assigner.target(value)
        self.latest = max(self.latest, stamp - behaviour.out_of_orderness - 1)
        yield None, value, stamp

    def _reduced(self, value: Any, reduce: Callable[[Any, Any], Any]) -> Any:
        held = self.store.values
        held["r"] = reduce(held["r"], value) if "r" in held else value
        return held["r"]

    def _reduce(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        yield None, self._reduced(value, self._call("reduce")), stamp

    def _sum(self, _: int, value: Any, stamp: Any) -> Iterator[Any]:
        behaviour = self.operator.behaviour
        assert isinstance(behaviour, Aggregate) and isinstance(behaviour.field, int)
        at = behaviour.field
        best = {"sum": lambda a, b: a + b, "min": min, "max": max}[self.kind]
        yield None, self._reduced(value, lambda a, b: (*a[:at], best(a[at], b[at]), *a[at + 1 :])), stamp

    _min = _max = _sum

    # --- windows

    def _window_reduce(self, _: int, value: Any, stamp: int) -> Iterator[Any]:
        shape = self.operator.behaviour
        assert isinstance(shape, Window)
        mine, key, taken = self.windows.setdefault(self.store.key, {}), self.store.key, False
        for window in _windows_of(shape, stamp):
            held: list[Any] = []
            if shape.assigner == "session":
                met = sorted(w for w in mine if w[0] <= window[1] and window[0] <= w[1])
                for other in met:
                    held += mine.pop(other)
                if met:
                    window = (min(window[0], met[0][0]), max(window[1], *(w[1] for w in met)))
            else:
                held = mine.pop(window, [])
            if window[1] - 1 + shape.lateness <= self.watermark:
                continue
            taken = True
            mine[window] = [*held, value]
            if window[1] - 1 <= self.watermark:
                yield from self._result(key, window, mine[window])
        if not taken and stamp + shape.lateness <= self.watermark and shape.late_tag is not None:
            yield shape.late_tag, value, stamp

    def _close_windows(self, before: int, watermark: int) -> Iterator[Any]:
        shape = self.operator.behaviour
        assert isinstance(shape, Window)
        ripe = [
            (window[1] - 1, key_bytes(key), window, key)
            for key, windows in self.windows.items()
            for window in windows
            if before < window[1] - 1 <= watermark
        ]
        for _, _, window, key in sorted(ripe, key=lambda one: one[:3]):
            yield from self._result(key, window, self.windows[key][window])
        for key, windows in self.windows.items():
            for window in [w for w in windows if w[1] - 1 + shape.lateness <= watermark]:
                del windows[window]
                self.window_states.pop((key, window), None)

    def _result(self, key: Any, window: tuple[int, int], held: list[Any]) -> Iterator[Any]:
        shape = self.operator.behaviour
        assert isinstance(shape, Window)
        if shape.form == "reduce":
            made = held[0]
            for one in held[1:]:
                made = self._call("reduce")(made, one)
            results: Any = [made]
        elif shape.form == "aggregate":
            accumulator = self.function.create_accumulator()
            for one in held:
                accumulator = self.function.add(one, accumulator)
            results = [self.function.get_result(accumulator)]
        else:
            self.store.key = key
            results = self.function.process(key, _WindowContext(self, key, window), list(held))
        for one in results:
            yield _tagged(one, window[1] - 1)


class _WindowContext:
    def __init__(self, node: Node, key: Any, window: tuple[int, int]) -> None:
        self._node, self._window = node, window
        self._own = node.window_states.setdefault((key, window), Store())

    def window(self) -> TimeWindow:
        return TimeWindow(*self._window)

    def window_state(self) -> RuntimeContext:
        return RuntimeContext(name="", subtask=0, parallelism=1, attempt=0, state=self._own)  # type: ignore[arg-type]

    def global_state(self) -> RuntimeContext:
        return self._node.runtime


def _tagged(item: Any, stamp: Any) -> tuple[Any, Any, Any]:
    if isinstance(item, tuple) and len(item) == 2 and hasattr(item[0], "tag_id"):
        return item[0].tag_id, item[1], stamp
    return None, item, stamp


def _windows_of(shape: Window, stamp: int) -> list[tuple[int, int]]:
    if shape.assigner == "session":
        return [(stamp, stamp + shape.size)]
    step = shape.slide if shape.assigner == "sliding" and shape.slide else shape.size
    start = stamp - (stamp - shape.offset) % step
    found = []
    while start > stamp - shape.size:
        found.append((start, start + shape.size))
        start -= step
    return found


class Task:
    """One subtask of one vertex."""

    def __init__(self, reference: Reference, vertex: int, subtask: int) -> None:
        self.reference, self.vertex, self.subtask = reference, vertex, subtask
        graph = reference.graph
        nodes = reference.vertices[vertex].nodes
        self.nodes = {
            n: Node(graph.by_id[n].operator, subtask, reference.is_keyed(graph.by_id[n].operator)) for n in nodes
        }
        self.inbox: list[tuple[Any, ...]] = []
        self.marks = dict.fromkeys(reference.channels(vertex, subtask), LEAST)
        self.watermark = LEAST
        self.made: dict[int, int] = {}

    def settle(self, index: int) -> None:
        """Take everything that arrived at one position."""
        self.made = {}
        head = self.reference.vertices[self.vertex].head
        inbox, self.inbox = sorted(self.inbox, key=lambda one: one[:4]), []
        for producer, is_mark, edge, _, payload, stamp in inbox:
            if is_mark:
                self.marks[producer] = max(self.marks[producer], payload)
                least = min(self.marks.values())
                if least > self.watermark:
                    self.watermark = least
                    self.advance(head, least, index)
            else:
                self.take(head, self.reference.graph.in_edges[head][edge], payload, stamp, index)

    def take(self, node: int, edge: int | None, value: Any, stamp: Any, index: int) -> None:
        operator = self.reference.graph.by_id[node].operator
        if operator.kind in ("print", "sink"):
            self.reference.sunk.setdefault(node, []).append((self.subtask, value))
            return
        if operator.kind == "source":
            self.give(node, None, value, stamp, index)
            return
        position = 0 if edge is None else max(0, self.reference.graph.edges[edge].type_number - 1)
        key = self.reference.key(operator, position, value)
        for tag, made, made_stamp in self.nodes[node].take(position, value, stamp, key):
            self.give(node, tag, made, made_stamp, index)
        if operator.kind == "watermarks" and self.nodes[node].latest > self.nodes[node].watermark:
            self.nodes[node].watermark = self.nodes[node].latest
            self.tell(node, self.nodes[node].latest, index)

    def advance(self, node: int, watermark: int, index: int) -> None:
        kind = self.reference.graph.by_id[node].operator.kind
        if kind == "watermarks" and watermark != MOST:
            return
        if kind not in ("source", "print", "sink"):
            for tag, made, stamp in self.nodes[node].rise(watermark):
                self.give(node, tag, made, stamp, index)
        self.tell(node, watermark, index)

    def give(self, node: int, tag: Any, value: Any, stamp: Any, index: int) -> None:
        graph = self.reference.graph
        for at in graph.out_edges[node]:
            edge = graph.edges[at]
            if edge.side_output == tag:
                if edge.target in self.nodes:
                    self.take(edge.target, None, value, stamp, index)
                else:
                    for subtask in self.slots(at, value, index):
                        self.reference.send(self, at, subtask, False, value, stamp)

    def tell(self, node: int, watermark: int, index: int) -> None:
        graph = self.reference.graph
        for at in graph.out_edges[node]:
            target = graph.edges[at].target
            if target in self.nodes:
                self.advance(target, watermark, index)
            else:
                for subtask in self.reference.readers(at, self.subtask):
                    self.reference.send(self, at, subtask, True, watermark, None)

    def slots(self, at: int, value: Any, index: int) -> list[int]:
        edge = self.reference.graph.edges[at]
        readers = self.reference.readers(at, self.subtask)
        if edge.partitioner in ("FORWARD", "BROADCAST"):
            return readers
        if edge.partitioner == "GLOBAL":
            return [0]
        if edge.partitioner == "CUSTOM":
            assert edge.partition is not None and edge.partition.custom is not None
            return [edge.partition.custom.target(key_of(value), len(readers))]
        target = self.reference.vertex_of[edge.target]
        count = self.reference.parallelism(target)
        if edge.partitioner == "HASH":
            groups = self.reference.groups(target)
            return [zlib.crc32(key_bytes(key_of(value))) % groups * count // groups]
        self.made[at] = self.made.get(at, -1) + 1
        number = zlib.crc32(self.reference.base) + index + self.made[at]
        if edge.partitioner == "SHUFFLE":
            return [zlib.crc32(b"%d" % (number * 2_654_435_761)) % count]
        return [readers[number % len(readers)]]


class Reference:
    """A whole job."""

    def __init__(self, job: JobDefinition) -> None:
        compiled = plan(job)
        assert compiled.job_graph is not None
        self.job, self.graph, self.vertices = job, compiled.stream_graph, compiled.job_graph.vertices
        self.vertex_of = {node: n for n, vertex in enumerate(self.vertices) for node in vertex.nodes}
        self.sunk: dict[int, list[tuple[int, Any]]] = {}
        self.first = [sum(self.parallelism(v) for v in range(n)) for n in range(len(self.vertices))]
        self.tasks = [[Task(self, v, s) for s in range(self.parallelism(v))] for v in range(len(self.vertices))]
        self.order = 0
        self.base = b"0"
        self.depth = self._depths()

    def _depths(self) -> list[int]:
        depths: list[int] = []
        for n in range(len(self.vertices)):
            feeding = [
                depths[self.vertex_of[e.source]]
                for e in self.graph.edges
                if self.vertex_of[e.target] == n and self.vertex_of[e.source] != n
            ]
            depths.append(1 + max(feeding, default=-1))
        return depths

    def parallelism(self, vertex: int) -> int:
        return self.vertices[vertex].parallelism

    def groups(self, vertex: int) -> int:
        given = self.vertices[vertex].max_parallelism
        return given if given > 0 else default_max_parallelism(self.parallelism(vertex))

    def is_keyed(self, operator: Operator) -> bool:
        inputs = [self.job.by_id[i] for i in operator.inputs]
        return bool(inputs) and all(isinstance(i, Partition) and i.partitioner == "HASH" for i in inputs)

    def key(self, operator: Operator, position: int, value: Any) -> Any:
        return key_of(value) if self.is_keyed(operator) else None

    def _ranges(self, at: int) -> list[tuple[int, int, int]]:
        edge = self.graph.edges[at]
        producers, consumers = (self.parallelism(self.vertex_of[n]) for n in (edge.source, edge.target))
        kind = "POINTWISE" if edge.partitioner in ("FORWARD", "RESCALE") else "ALL_TO_ALL"
        return list(consumed_ranges(kind, producers, consumers))  # type: ignore[arg-type]

    def readers(self, at: int, producer: int) -> list[int]:
        return [consumer for consumer, first, last in self._ranges(at) if first <= producer <= last]

    def channels(self, vertex: int, subtask: int) -> list[int]:
        found = []
        for at, edge in enumerate(self.graph.edges):
            source = self.vertex_of[edge.source]
            if self.vertex_of[edge.target] == vertex and source != vertex:
                for consumer, first, last in self._ranges(at):
                    if consumer == subtask:
                        found += [self.first[source] + p for p in range(first, last + 1)]
        return found

    def send(self, task: Task, at: int, subtask: int, is_mark: bool, payload: Any, stamp: Any) -> None:
        target = self.vertex_of[self.graph.edges[at].target]
        self.order += 1
        place = self.graph.in_edges[self.graph.edges[at].target].index(at)
        producer = self.first[task.vertex] + task.subtask
        self.tasks[target][subtask].inbox.append(
            (producer, is_mark, -1 if is_mark else place, self.order, payload, stamp)
        )

    def run(self) -> dict[int, list[tuple[int, Any]]]:
        """Everything the sinks get: by stream node, (subtask, value) in order."""
        feeds = {n: self._records(v.head) for n, v in enumerate(self.vertices) if self.depth[n] == 0}
        longest = max((-(-len(records) // self.parallelism(n)) for n, records in feeds.items()), default=0)
        for index in range(longest):
            for n, records in feeds.items():
                for task in self.tasks[n]:
                    first, last = (len(records) * (task.subtask + k) // self.parallelism(n) for k in (0, 1))
                    if first + index < last:
                        task.made = {}
                        task.take(self.vertices[n].head, None, records[first + index], None, index)
            self._settle(index)
        self.base = b"~end"
        for n in feeds:
            for task in self.tasks[n]:
                task.made = {}
                task.advance(self.vertices[n].head, MOST, 0)
        self._settle(0)
        return self.sunk

    def _settle(self, index: int) -> None:
        for n in sorted(range(len(self.vertices)), key=lambda v: (self.depth[v], v)):
            if self.depth[n]:
                for task in self.tasks[n]:
                    task.settle(index)

    def _records(self, node: int) -> list[Any]:
        behaviour = self.graph.by_id[node].operator.behaviour
        if isinstance(behaviour, Sequence):
            return list(range(behaviour.start, behaviour.end + 1))
        assert isinstance(behaviour, Collection)
        return list(behaviour.records)
