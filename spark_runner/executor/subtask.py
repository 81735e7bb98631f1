"""One subtask of one vertex over one batch: its operators wired, its records taken in the order of their positions.

Runs on workers.
"""

from __future__ import annotations

import json
import pickle
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, pairwise
from typing import Any

from spark_runner.executor.chunks import FIGURES, Chunk, Unpacked, marked_split, unpacked, watermarks_of
from spark_runner.executor.exits import Exit
from spark_runner.executor.keyed import Keyed
from spark_runner.executor.layout import InputSpec, Layout, VertexSpec
from spark_runner.executor.loops import looped
from spark_runner.executor.operators import Operator, Part, let_run, spread_out, wired
from spark_runner.executor.passes import host_name
from spark_runner.executor.positions import END_BASE, FIRST_BASE, NO_SPLIT, Position
from spark_runner.executor.state import END_OF_TIME, NO_TIMESTAMP
from spark_runner.executor.store import Backend
from spark_runner.executor.table import OPERATORS
from spark_runner.executor.times import Channels

__all__ = ["TICK", "Subtask", "clock"]

WATERMARKS, TICK = -1, -2  # edges of chunks that carry no records


class Subtask:
    """A subtask at work."""

    def __init__(
        self, layout: Layout, vertex: VertexSpec, subtask: int, backend: Backend, now: int, *, ends: bool = False
    ) -> None:
        """`ends`: all of its input comes now, so that nothing is kept and the clock is the true one."""
        self.ends = ends
        self.layout, self.vertex, self.subtask, self.backend, self.now = layout, vertex, subtask, backend, now
        self.producer = vertex.first_producer + subtask
        self.name, self.parallelism, self.max_parallelism = vertex.name, vertex.parallelism, vertex.max_parallelism
        self.script, self.stateful, self.layer = layout.script, vertex.stateful, vertex.layer
        self.attempt = 0  # a batch that runs again is the same attempt
        self.position = Position()
        self.split = NO_SPLIT  # of a source, whose records come now
        self.sent = 0
        self.out: list[Chunk] = []
        self.opened: list[Operator] = []
        self.received: dict[int, int] = {}
        self.started, self.clock = time.time(), time.perf_counter()
        expected = {producer: one.idle for one in vertex.inputs for producer in one.channels(subtask)}
        known, heard = self.kept(vertex.id, "channels", ({}, {})) if vertex.watermarks else ({}, {})
        splits = {p: one.splits_of(p) for one in vertex.inputs if one.splits is not None for p in one.channels(subtask)}
        self.channels = Channels(expected, known, heard, now, splits)
        self.watermark = self.channels.least
        self.operators: list[Operator] = [OPERATORS[spec.role](spec, self) for spec in vertex.operators]
        self.exits = [Exit(edge, self) for edge in vertex.edges]
        self.placed = any(way_out.placed for way_out in self.exits)
        readers: list[tuple[int | None, str | None, Any]] = [
            *((spec.parent, spec.tag, made) for spec, made in zip(vertex.operators, self.operators, strict=True)),
            *((way_out.spec.node, way_out.spec.tag, way_out) for way_out in self.exits),
        ]
        self.roots = wired(self.operators, readers, placed=self.placed)
        let_run(looped(self.operators, [spec.parent for spec in vertex.operators]), self.roots, self.operators)

    def processing_time(self) -> int:
        """The time of the clock in milliseconds; in a stream the batch's, which is the same when it runs again."""
        return clock() if self.ends else self.now

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
    def _closing_what_failed(self) -> Iterator[None]:
        """Close the operators where something fails inside: the batch ends with it."""
        try:
            yield
        except BaseException as error:
            for operator in self.opened:
                with suppress(Exception):  # what failed first is what its author must see
                    operator.close()
            raise error from None

    def begin(self) -> None:
        """Open the operators. Each begins where event time was for what is upstream of it."""
        with self._closing_what_failed():
            for spec, operator in zip(self.vertex.operators, self.operators, strict=True):
                operator.watermark = self.watermark if spec.parent is None else self.operators[spec.parent].watermark
                self.opened.append(operator)
                operator.open()

    def take_slice(self, base: str, indexes: Sequence[int], values: Sequence[Any], split: int = 0) -> None:
        """Records of a source, with their positions."""
        with self._closing_what_failed():
            if (base, split) != (self.position.base, self.split):
                self._settle()
                self.split = split
                for operator in self.operators:
                    operator.begin_split()
            if base != self.position.base:
                self._change_base()
                self.position.base = base
            self._flow(Part(values, None, indexes))
            self.received[0] = self.received.get(0, 0) + len(values)

    def take_chunks(self, chunks: Iterable[Chunk]) -> None:
        """Everything that arrived for this subtask."""
        by_base: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            by_base.setdefault(chunk.base, []).append(chunk)
        with self._closing_what_failed():
            self._bases(by_base)

    def end_input(self) -> None:
        """Nothing more will come: event time is over."""
        with self._closing_what_failed():
            self._change_base()
            self.position.move(END_BASE, 0)
            self.split = NO_SPLIT
            self._flow(Part([], None, [], [(0, 0, END_OF_TIME)]))

    def finish(self) -> None:
        """Give what is held back, keep what the next batch needs, close the operators."""
        with self._closing_what_failed():
            self._change_base()
            self._save()
            while self.opened:
                self.opened.pop(0).close()
        self.out.append(self._figures())

    def drain(self) -> list[Chunk]:
        """The chunks made since the last time."""
        out, self.out = self.out, []
        return out

    def _flow(self, part: Part) -> None:
        """Let records into every operator that reads what arrives; each has its own."""
        spread_out(part, self.roots)

    def _bases(self, by_base: dict[str, list[Chunk]]) -> None:
        self._tick()
        self._hear([chunk for chunks in by_base.values() for chunk in chunks])
        for base in sorted(by_base):
            self._change_base()
            self.position.move(base, -1)
            for part in self._parts(by_base[base]):
                self._flow(part)

    def _hear(self, chunks: list[Chunk]) -> None:
        """Take note of who sent something. A split that occurs anywhere in a batch counts from its first record on."""
        marked = {(chunk.producer, marked_split(chunk.blob)) for chunk in chunks if chunk.edge == WATERMARKS}
        risen = self.channels.hear({chunk.producer for chunk in chunks}, marked)
        if risen is not None:
            self.watermark = risen
            self._flow(Part([], None, [], [(0, 0, risen)]))

    def _parts(self, chunks: list[Chunk]) -> Iterator[Part]:
        """What arrived for one base, in the order of positions: then by producer, then as each producer made it."""
        inputs = {one.edge: one for one in self.vertex.inputs}
        arrived = [chunk for chunk in chunks if chunk.edge >= 0]
        marked = [chunk for chunk in chunks if chunk.edge == WATERMARKS]
        ordered = sorted(arrived, key=lambda one: (one.producer, one.edge, one.seq))
        found = [self._unpacked(chunk, inputs[chunk.edge]) for chunk in ordered]
        if not marked and len({(chunk.producer, chunk.edge) for chunk in ordered}) == 1 and _goes_up(found):
            yield from (self._part(one, inputs[ordered[0].edge]) for one in found)
        elif found or marked:
            part = self._merged(ordered, found, marked, inputs)
            if part.values or part.marks:
                yield part

    def _unpacked(self, chunk: Chunk, one: InputSpec) -> Unpacked:
        found = unpacked(chunk.blob, one.schema, one.key_column)
        self.received[one.position] = self.received.get(one.position, 0) + len(found.values)
        return found

    def _part(self, found: Unpacked, one: InputSpec) -> Part:
        sides = [one.position] * len(found.values) if one.position else None
        return Part(found.values, found.stamps, found.places if self.placed else None, (), found.keys, sides)

    def _merged(
        self, chunks: list[Chunk], found: list[Unpacked], marked: list[Chunk], inputs: dict[int, InputSpec]
    ) -> Part:
        """Records of several streams, and watermarks, as one part: by their places, then by their producers.

        A watermark comes after its producer's records of a place.
        """
        places = [place for one in found for place in one.places]
        order = sorted(range(len(places)), key=places.__getitem__)  # records of one place stay in their order

        def all_of(columns: Iterable[Sequence[Any]]) -> list[Any]:
            together = list(chain.from_iterable(columns))
            return list(map(together.__getitem__, order))

        def beside(columns: list[Sequence[Any] | None]) -> list[Any] | None:
            if not any(column is not None for column in columns):
                return None
            nothing: list[Sequence[Any]] = [[None] * len(one.values) for one in found]
            return all_of(empty if one is None else one for one, empty in zip(columns, nothing, strict=True))

        positions = [inputs[chunk.edge].position for chunk in chunks]
        marks: list[tuple[int, int, int]] = []
        if marked:
            number = {producer: at for at, producer in enumerate(sorted({one.producer for one in (*chunks, *marked)}))}
            numbers = all_of(
                [number[chunk.producer]] * len(one.values) for chunk, one in zip(chunks, found, strict=True)
            )
            ranks = [
                (place * len(number) + producer) * 2
                for place, producer in zip(map(places.__getitem__, order), numbers, strict=True)
            ]
            marks = self._marks(marked, number, ranks)
        return Part(
            all_of(one.values for one in found),
            beside([one.stamps for one in found]),
            list(map(places.__getitem__, order)) if self.placed else None,
            marks,
            beside([one.keys for one in found]),
            all_of([at] * len(one.values) for at, one in zip(positions, found, strict=True))
            if any(positions)
            else None,
        )

    def _marks(self, marked: list[Chunk], number: dict[int, int], ranks: list[int]) -> list[tuple[int, int, int]]:
        """Where event time rises in this subtask, from what its producers said."""
        events: list[tuple[int, ...]] = []
        for chunk in sorted(marked, key=lambda one: (one.producer, one.seq)):
            indexes, marks = watermarks_of(chunk.blob)
            split = marked_split(chunk.blob)
            for place, mark in zip(indexes, marks, strict=True):
                rank = (place * len(number) + number[chunk.producer]) * 2 + 1
                events.append((rank, split, len(events), chunk.producer, place, mark))
        found = []
        for rank, split, _, producer, place, mark in sorted(events):
            risen = self.channels.rise(producer, mark, split)
            if risen is not None:
                self.watermark = risen
                found.append((bisect_left(ranks, rank), place, risen))
        return found

    def _tick(self) -> None:
        """Fire what processing time made due since the last batch."""
        self.position.move(FIRST_BASE, 0)
        for operator in self.operators:
            if isinstance(operator, Keyed):
                operator.place = 0
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
        if self.ends:
            return
        for operator in self.operators:
            operator.save()
        if self.vertex.watermarks and self.vertex.layer > 0:
            self.keep(self.vertex.id, "channels", (self.channels.saved(), self.channels.heard))

    # --- figures

    def _figures(self) -> Chunk:
        timers = [o.store.earliest("processing") for o in self.operators if isinstance(o, Keyed)]
        figures = {
            "vertex": self.vertex.number,
            "subtask": self.subtask,
            "taken": sum(self.received.values()),
            "operators": [[self._taken_by(n), o.given + sum(o.given_aside.values()), o.late]
                          for n, o in enumerate(self.operators)],
            "edges": {way_out.spec.number: way_out.given for way_out in self.exits},
            "watermark": None if self.watermark == NO_TIMESTAMP else self.watermark,
            "keys": sum(o.keys for o in self.operators if isinstance(o, Keyed)),
            "bytes": sum(o.store.size for o in self.operators if isinstance(o, Keyed)),
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


def clock() -> int:
    """Processing time in milliseconds."""
    return int(time.time() * 1000)


def _goes_up(found: list[Unpacked]) -> bool:
    return all(after.places[0] >= before.places[-1] for before, after in pairwise(found))
