"""A plain-Python reference of streaming jobs with Flink's rules, one input record after the other.

For every position of the input each source subtask gives its record and then its watermark; every vertex then takes
what arrived, producer by producer, records before the watermark.
"""

from __future__ import annotations

import zlib
from typing import Any

from planner.graphs.execution_graph import consumed_ranges, default_max_parallelism
from planner.job import Collection, JobDefinition, Operator, Partition, Sequence
from planner.pipeline import plan
from spark_runner.executor.store import key_group
from tests.support.stream_functions import key_of
from tests.support.stream_reference_operators import LEAST, MOST, Node


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
            return [key_group(key_of(value), groups) * count // groups]
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
        if hasattr(getattr(operator.behaviour, "target", None), "process_broadcast_element"):
            inputs = inputs[:1]
        return bool(inputs) and all(isinstance(i, Partition) and i.partitioner == "HASH" for i in inputs)

    def key(self, operator: Operator, position: int, value: Any) -> Any:
        first = self.job.by_id[operator.inputs[position]] if position < len(operator.inputs) else None
        here = not isinstance(first, Partition) or first.partitioner == "HASH"
        return key_of(value) if here and self.is_keyed(operator) else None

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
