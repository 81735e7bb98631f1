"""One subtask of one vertex over one batch: its operators wired, its records taken in the order of their positions.

Runs on workers.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, pairwise, repeat
from operator import itemgetter
from typing import Any

from spark_runner.executor.chain import host_name
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.streaming.chunks import FIGURES, Chunk, marked_split, records_of, watermarks_of
from spark_runner.executor.streaming.exits import Exit
from spark_runner.executor.streaming.keyed import KeyedOperator, ReduceOperator
from spark_runner.executor.streaming.layout import InputSpec, Layout, VertexSpec
from spark_runner.executor.streaming.operators import StreamOperator, failure_in
from spark_runner.executor.streaming.positions import END_BASE, FIRST_BASE, NO_SPLIT, Position
from spark_runner.executor.streaming.slices import Slices
from spark_runner.executor.streaming.store import Backend
from spark_runner.executor.streaming.table import OPERATORS
from spark_runner.executor.streaming.times import Channels

__all__ = ["TICK", "NoState", "Subtask"]

WATERMARKS, TICK = -1, -2  # edges of chunks that carry no records


class NoState:
    """The backend of a vertex that keeps nothing."""

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, value: bytes) -> None:
        """Nothing is kept."""

    def delete(self, key: str) -> None:
        """Nothing is kept."""


class Subtask:
    """A subtask at work."""

    def __init__(self, layout: Layout, vertex: VertexSpec, subtask: int, backend: Backend, now: int) -> None:
        self.layout, self.vertex, self.subtask, self.backend, self.now = layout, vertex, subtask, backend, now
        self.producer = vertex.first_producer + subtask
        self.position = Position()
        self.split = NO_SPLIT  # of a source, whose records come now
        self.sent = 0
        self.out: list[Chunk] = []
        self.opened: list[StreamOperator] = []
        self.received: dict[int, int] = {}
        self.started, self.clock = time.time(), time.perf_counter()
        expected = {producer: one.idle for one in vertex.inputs for producer in one.channels(subtask)}
        known, heard = self.kept(vertex.id, "channels", ({}, {})) if vertex.watermarks else ({}, {})
        splits = {p: one.splits_of(p) for one in vertex.inputs if one.splits is not None for p in one.channels(subtask)}
        self.channels = Channels(expected, known, heard, now, splits)
        self.watermark = self.channels.least
        table = layout.table or OPERATORS
        self.operators: list[StreamOperator] = [table[spec.role](spec, self) for spec in vertex.operators]
        self.exits = [Exit(edge, self) for edge in vertex.edges]
        self.roots: list[Any] = []
        for spec, operator in zip(vertex.operators, self.operators, strict=True):
            self._attach(spec.parent, spec.tag, operator)
        for way_out in self.exits:
            self._attach(way_out.spec.node, way_out.spec.tag, way_out)
        self.slices = Slices(self.roots, self.position)

    def _attach(self, parent: int | None, tag: str | None, target: Any) -> None:
        if parent is None:
            self.roots.append(target)
        elif tag is None:
            self.operators[parent].targets.append(target)
        else:
            self.operators[parent].sides.setdefault(tag, []).append(target)

    def processing_time(self) -> int:
        """The time of the clock in milliseconds: the batch's, which is the same when the batch runs again."""
        return self.now

    # --- state of the subtask itself

    def kept(self, owner: str, name: str, default: Any) -> Any:
        """What was kept under an operator's id."""
        written = self.backend.get(f"{owner}|{name}")
        return default if written is None else pickle.loads(written)

    def keep(self, owner: str, name: str, value: Any, default: Any = None) -> None:
        """Keep a value for the next batch; a default is not written."""
        if value != default or self.backend.get(f"{owner}|{name}") is not None:
            self.backend.put(f"{owner}|{name}", pickle.dumps(value, protocol=5))

    def send(self, chunk: Chunk) -> None:
        """Put a chunk among what leaves."""
        self.sent += 1
        self.out.append(chunk)

    # --- one batch

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        """Whatever fails inside ends the batch, and says which operator it was."""
        try:
            yield
        except BaseException as error:
            for operator in self.opened:
                _close_quietly(operator)
            raise failure_in(error) from None

    def begin(self) -> None:
        """Open the operators."""
        with self._blaming():
            for operator in self.operators:
                self.opened.append(operator)
                operator.open()

    def take_slice(self, base: str, indexes: Sequence[int], values: Sequence[Any], split: int = 0) -> None:
        """Records of a source, with their positions."""
        with self._blaming():
            if (base, split) != (self.position.base, self.split):
                self._settle()
                self.split = split
                for operator in self.operators:
                    operator.begin_split()
            if base != self.position.base:
                self._change_base()
                self.position.base = base
            self.slices.take(values, indexes)
            self.received[0] = self.received.get(0, 0) + len(values)

    def take_chunks(self, chunks: Iterable[Chunk]) -> None:
        """Everything that arrived for this subtask."""
        by_base: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            by_base.setdefault(chunk.base, []).append(chunk)
        with self._blaming():
            self._bases(by_base)

    def end_input(self) -> None:
        """Nothing more will come: event time is over."""
        with self._blaming():
            self._change_base()
            self.position.move(END_BASE, 0)
            self.split = NO_SPLIT
            for root in self.roots:
                root.advance(END_OF_TIME)

    def finish(self) -> None:
        """Give what is held back, keep what the next batch needs, close the operators."""
        with self._blaming():
            self._change_base()
            self._save()
            while self.opened:
                self.opened.pop(0).close()
        self.out.append(self._figures())

    def drain(self) -> list[Chunk]:
        """The chunks made since the last time."""
        out, self.out = self.out, []
        return out

    def _bases(self, by_base: dict[str, list[Chunk]]) -> None:
        pushes = {one.edge: self._root_push(one) for one in self.vertex.inputs}
        self._tick()
        self._hear([chunk for chunks in by_base.values() for chunk in chunks])
        for base in sorted(by_base):
            self._change_base()
            self.position.move(base, -1)
            if not self._in_turn(by_base[base], pushes):
                self._events(sorted(self._unpacked(by_base[base])), pushes)

    def _hear(self, chunks: list[Chunk]) -> None:
        """Take note of who sent something. A split that occurs anywhere in a batch counts from its first record on."""
        marked = {(chunk.producer, marked_split(chunk.blob)) for chunk in chunks if chunk.edge == WATERMARKS}
        self._advance(self.channels.hear({chunk.producer for chunk in chunks}, marked))

    def _in_turn(self, chunks: list[Chunk], pushes: dict[int, Callable[[Any, int | None], None]]) -> bool:
        """Take the records of one producer's one stream, chunk by chunk. False where there is more to put in order."""
        if len({(chunk.producer, chunk.edge) for chunk in chunks}) != 1 or chunks[0].edge < 0:
            return False
        one = next(one for one in self.vertex.inputs if one.edge == chunks[0].edge)
        ordered = sorted(chunks, key=lambda chunk: chunk.seq)
        found = [records_of(chunk.blob, one.schema) for chunk in ordered]
        if any(behind[0][0] < before[0][-1] for before, behind in pairwise(found)):
            return False
        position, push, head = self.position, pushes[one.edge], self.roots[0]
        for indexes, values, stamps in found:
            self.received[one.position] = self.received.get(one.position, 0) + len(values)
            if one.selector is not None and len(self.roots) == 1 and isinstance(head, ReduceOperator):
                selector = one.selector if one.key_column is None else itemgetter(one.key_column)
                head.push_chunk(selector, indexes, values, stamps)
                continue
            for index, value, stamp in zip(indexes, values, repeat(None) if stamps is None else stamps):  # noqa: B905
                position.index = index
                push(value, stamp)
        return True

    def _events(self, events: list[Any], pushes: dict[int, Callable[[Any, int | None], None]]) -> None:
        position, channels = self.position, self.channels
        for index, producer, is_mark, of, _, value, stamp in events:
            position.index = index
            if not is_mark:
                pushes[of](value, stamp)
            else:
                self._advance(channels.rise(producer, value, of))

    def _advance(self, watermark: int | None) -> None:
        if watermark is not None:
            self.watermark = watermark
            for root in self.roots:
                root.advance(watermark)

    def _unpacked(self, chunks: list[Chunk]) -> Iterator[Any]:
        """Events that sort by position, then by producer, then by edge or split, then as each producer made them."""
        schemas = {one.edge: one.schema for one in self.vertex.inputs}
        positions = {one.edge: one.position for one in self.vertex.inputs}
        for chunk in sorted(chunks, key=lambda one: (one.producer, one.edge, one.seq)):
            if chunk.edge == WATERMARKS:
                indexes, marks = watermarks_of(chunk.blob)
                split = marked_split(chunk.blob)
                yield from zip(indexes, repeat(chunk.producer), repeat(1), repeat(split), count(), marks, repeat(None))
            elif chunk.edge != TICK:
                indexes, values, stamps = records_of(chunk.blob, schemas[chunk.edge])
                position = positions[chunk.edge]
                self.received[position] = self.received.get(position, 0) + len(values)
                first = chunk.seq << 20  # chunks of one edge one behind the other
                yield from zip(
                    indexes, repeat(chunk.producer), repeat(0), repeat(chunk.edge), count(first), values,
                    repeat(None) if stamps is None else stamps,
                )  # fmt: skip

    def _root_push(self, one: InputSpec | None) -> Callable[[Any, int | None], None]:
        """What takes a record that arrives: with its key made current, and by its input where there are two."""
        roots = self.roots
        if len(roots) != 1:

            def push_all(value: Any, stamp: int | None) -> None:
                for root in roots:
                    root.push(value, stamp)

            return push_all
        head = roots[0]
        push = head.push
        if one is not None and hasattr(head, "push_from"):
            position = one.position
            push = lambda value, stamp: head.push_from(position, value, stamp)  # noqa: E731
        if one is None or not isinstance(head, KeyedOperator) or one.selector is None:
            return push  # type: ignore[no-any-return]
        turn, selector = head.store.turn, one.selector

        def push_keyed(value: Any, stamp: int | None) -> None:
            turn(selector(value))
            push(value, stamp)

        return push_keyed

    def _tick(self) -> None:
        """Fire what processing time made due since the last batch."""
        self.position.move(FIRST_BASE, 0)
        for operator in self.operators:
            if isinstance(operator, KeyedOperator):
                operator.tick(self.now)

    def _settle(self) -> None:
        """Answers that are still awaited belong to the base and split that end here."""
        for operator in self.operators:
            operator.flush()

    def _change_base(self) -> None:
        self._settle()
        for way_out in self.exits:
            way_out.flush()

    def _save(self) -> None:
        for operator in self.operators:
            operator.save()
        if self.vertex.watermarks and self.vertex.layer > 0:
            self.keep(self.vertex.id, "channels", (self.channels.saved(), self.channels.heard))

    # --- figures

    def _figures(self) -> Chunk:
        timers = [o.store.earliest("processing") for o in self.operators if isinstance(o, KeyedOperator)]
        figures = {
            "vertex": self.vertex.number,
            "subtask": self.subtask,
            "taken": sum(self.received.values()),
            "operators": [[self._taken_by(n), o.given + sum(o.given_aside.values()), o.late]
                          for n, o in enumerate(self.operators)],
            "edges": {way_out.spec.number: way_out.given for way_out in self.exits},
            "watermark": None if self.watermark == NO_TIMESTAMP else self.watermark,
            "keys": sum(o.keys for o in self.operators if isinstance(o, KeyedOperator)),
            "bytes": sum(o.store.size for o in self.operators if isinstance(o, KeyedOperator)),
            "timer": min((one for one in timers if one is not None), default=None),
            "started": self.started,
            "seconds": time.perf_counter() - self.clock,
            "host": host_name(),
        }  # fmt: skip
        blob = json.dumps(figures).encode()
        return Chunk(FIGURES, self.subtask, self.producer, 0, FIRST_BASE, self.sent, self.now, blob)

    def _taken_by(self, number: int) -> int:
        spec = self.vertex.operators[number]
        if spec.parent is None:
            return sum(self.received.values())
        parent = self.operators[spec.parent]
        return parent.given if spec.tag is None else parent.given_aside.get(spec.tag, 0)


def _close_quietly(operator: StreamOperator) -> None:
    try:
        operator.close()
    except Exception:  # what failed first is what its author must see
        return
