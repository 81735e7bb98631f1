"""Runs a streaming job's worker half without Spark: the very code that runs on workers, batch by batch.

Every batch starts from pickled functions and from state as bytes, as it does on Spark.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle

from planner.job import JobDefinition
from planner.pipeline import plan
from spark_runner.executor.chunks import Chunk, chunk_batch, chunks_of, unpacked
from spark_runner.executor.layers import run_control, run_slot, run_source
from spark_runner.frames.collections import fed_records
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.lowering.lower import lower
from spark_runner.program.chunks import ChunkPlan

_TYPES = {
    "bigint": pa.int64(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "double": pa.float64(),
    "float": pa.float32(),
    "int": pa.int32(),
    "smallint": pa.int16(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "tinyint": pa.int8(),
}


class DictBackend:
    """State as bytes in a dict."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def put(self, key: str, value: bytes) -> None:
        assert isinstance(value, bytes)
        self.kept[key] = value

    def delete(self, key: str) -> None:
        self.kept.pop(key, None)


def schema_of(ddl: str) -> pa.Schema:
    """The columns of DDL, as Spark understands it."""
    return pa.schema([_field(part, " ") for part in _parted(ddl)])


def _parted(ddl: str) -> list[str]:
    """The parts between the commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in ddl:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _field(written: str, between: str) -> pa.Field:
    name, _, kind = written.strip().partition(between)
    return pa.field(name.strip("`"), _type(kind.strip()))


def _type(kind: str) -> pa.DataType:
    outer, inside, parts = kind.lower(), "", list[str]()
    if kind[-1] in ">)":
        outer, _, inside = kind[:-1].lower().partition("<" if kind[-1] == ">" else "(")
        inside = kind[len(outer) + 1 : -1]
        parts = _parted(inside)
    if outer == "struct":
        return pa.struct([_field(part, ":") for part in parts])
    if outer == "array":
        return pa.list_(_type(inside.strip()))
    if outer == "map":
        return pa.map_(_type(parts[0].strip()), _type(parts[1].strip()))
    return pa.decimal128(*map(int, parts)) if outer == "decimal" else _TYPES[outer]


class StreamEngine:
    """One job, with its state, between batches."""

    def __init__(
        self,
        job: JobDefinition,
        readers: Mapping[int, pa.Schema] | None = None,
        splits: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        """`readers`: the columns of the sources whose records come from `read`; `splits`: those known of Kafka's."""
        self._take_job(lower(plan(job), "streaming").chunks, cloudpickle.dumps, readers or {}, splits)

    @classmethod
    def of(
        cls, job: ChunkPlan, pickled: Callable[[Any], bytes], readers: Mapping[int, pa.Schema] | None = None
    ) -> StreamEngine:
        """The engine of a job that is lowered already."""
        made = cls.__new__(cls)
        made._take_job(job, pickled, readers or {})
        return made

    def _take_job(
        self,
        job: ChunkPlan,
        pickled: Callable[[Any], bytes],
        readers: Mapping[int, pa.Schema],
        splits: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        self.job = job
        layout = LayoutMaker(self.job, schema_of, dict(readers), splits).layout()
        self.payload = pickled(layout)
        self.edges = layout.edges
        feeds = {
            source.number: fed_records(source, schema_of) for source in self.job.sources if source.number not in readers
        }
        self.feeds = pickled(feeds)
        self.size = max((len(feed) for feed in feeds.values()), default=0)
        self.state: dict[tuple[int, int], DictBackend] = {}
        self.sinks: dict[int, list[tuple[Any, ...]]] = {sink.number: [] for sink in self.job.sinks}
        self.figures: list[bytes] = []

    def batch(self, orders: Iterable[str], now: int = 0) -> None:
        """One micro-batch of these orders to the control source."""
        values = list(orders)
        rows = pa.RecordBatch.from_arrays(
            [pa.array(values, pa.string()), pa.array([now] * len(values), pa.int64())], ["value", "__now"]
        )
        self._through(self._moved(run_control(self.payload, self.feeds, [rows])))

    def read(self, source: int, tasks: Iterable[list[pa.RecordBatch]]) -> None:
        """One micro-batch of what Spark's tasks read for a source."""
        self._through([chunk for one in tasks for chunk in self._moved(run_source(self.payload, source, one))])

    def _through(self, chunks: list[Chunk]) -> None:
        for number, layer in enumerate(self.job.layers, start=1):
            chunks = self._layer(number, max(v.parallelism for v in layer), chunks)
        self._take(chunks)

    def _layer(self, number: int, width: int, chunks: list[Chunk]) -> list[Chunk]:
        out: list[Chunk] = []
        for slot in range(width):
            mine = [chunk for chunk in chunks if chunk.subtask % width == slot]
            if mine:
                backend = self.state.setdefault((number, slot), DictBackend())
                out.extend(run_slot(self.payload, number, mine[::-1], backend))  # any order must do
        return self._moved([chunk_batch(out)])

    @staticmethod
    def _moved(batches: Iterable[pa.RecordBatch]) -> list[Chunk]:
        return chunks_of(list(batches))

    def _take(self, chunks: list[Chunk]) -> None:
        found: dict[int, list[tuple[Any, ...]]] = {number: [] for number in self.sinks}
        for chunk in chunks:
            if chunk.target <= -1_000_000:
                self.figures.append(chunk.blob)
                continue
            indexes, values, *_ = unpacked(chunk.blob, self.edges[chunk.edge].schema)
            for at, (index, value) in enumerate(zip(indexes, values, strict=True)):
                order = (chunk.base, index, chunk.producer, chunk.edge, chunk.seq, at)
                found[-1 - chunk.target].append((order, chunk.subtask, value))
        for number, records in found.items():
            self.sinks[number].extend((subtask, value) for _, subtask, value in sorted(records, key=lambda r: r[0]))

    def run(
        self, cuts: Iterable[int], now: int = 0, files: Mapping[int, Iterable[list[pa.RecordBatch]]] | None = None
    ) -> dict[int, list[tuple[int, Any]]]:
        """The whole input: files of each source, a batch for each list of them, record by record slices, cut into
        batches in front of these slices, then the end."""
        for source, parts in (files or {}).items():
            for part in parts:
                self.read(source, [part])
        borders = [0, *sorted(set(cuts)), self.size]
        for first, last in itertools.pairwise(borders):
            if first < last:
                self.batch((f'{{"slice": {n}, "size": 1}}' for n in range(first, last)), now)
        self.batch(['{"end": true}'], now)
        return self.sinks
