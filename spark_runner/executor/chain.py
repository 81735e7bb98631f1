"""The fused chain: every Python operator of a pass over one partition, with nothing converted between them.

Runs inside `mapInArrow` on executors, so it imports only the standard library, pyarrow and the modules shipped with it.
Records move a list at a time between operators that branch, keep state or finish late; `fusion` makes one loop of the
others. An operator costs one call per record, and counting costs one per list.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from spark_runner.executor.hidden_columns import KEY, METRIC, OUT, SIDE, STAMP, TARGET
from spark_runner.executor.inlined import Inlined
from spark_runner.executor.records import Columns, decode, values_of
from spark_runner.executor.report import SubtaskReport
from spark_runner.executor.rows import form_of

Report = Callable[[SubtaskReport], None]

_GC_THRESHOLDS = (200_000, 20, 100)  # batches of records are many objects and no garbage: fewer collections


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """One operator as executors need it. `role` is a name in the table of roles."""

    role: str
    function: Any
    parent: int | None
    tag: str | None
    operator: str
    name: str
    place: str
    keyed: bool = False
    inlined: Inlined | None = None  # the expression that its function is
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutletSpec:
    """One stream that leaves: its columns, and what travels beside them."""

    node: int | None
    tag: str | None
    schema: pa.Schema  # the records' columns
    blame: int | None  # the operator that declared them
    selector: Callable[[Any], Any] | None = None
    key_type: pa.DataType | None = None  # None: keys travel as bytes
    keyed_by: tuple[str, str, str] | None = None  # whose key or partition that is: operator, name, place
    custom: Callable[[Any, int], int] | None = None
    consumers: int = 0
    stamps: bool = False

    @property
    def full_schema(self) -> pa.Schema:
        """The records' columns and the hidden ones."""
        fields = list(self.schema)
        if self.selector is not None and self.custom is None:
            fields.append(pa.field(KEY, self.key_type or pa.binary()))
        if self.custom is not None:
            fields.append(pa.field(TARGET, pa.int32()))
        if self.stamps:
            fields.append(pa.field(STAMP, pa.int64()))
        return pa.schema(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """What arrives: the columns of each input position, and whether records come key by key."""

    names: tuple[tuple[str, ...], ...]
    grouped: bool = False
    key_columns: tuple[tuple[str, ...], ...] = ()  # by input position
    selectors: tuple[Callable[[Any], Any] | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSpec:
    """One Python pass, as it is shipped."""

    number: int
    name: str
    parallelism: int
    input: InputSpec
    nodes: tuple[NodeSpec, ...]
    outlets: tuple[OutletSpec, ...]
    first_task: int = 0  # the number of its first subtask's task: inputs of a union share a stage
    tagged: bool = False  # several outlets share the result: one struct column for each
    metric_rows: bool = False  # the figures leave as a last row, for sessions without accumulators

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of the pass's result."""
        if not self.tagged:
            fields = list(self.outlets[0].full_schema) if self.outlets else [pa.field("nothing", pa.int32())]
        else:
            fields = [pa.field(OUT, pa.int32())]
            fields += [pa.field(f"o{n}", pa.struct(list(o.full_schema))) for n, o in enumerate(self.outlets)]
        return pa.schema([*fields, pa.field(METRIC, pa.string())] if self.metric_rows else fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which subtask this is, and where it runs."""

    subtask: int = 0
    stage: int = 0
    attempt: int = 0
    host: str = ""


def here(spec: ChainSpec) -> Place:
    """The running Spark task's place."""
    from pyspark import TaskContext

    task = TaskContext.get()
    if task is None:
        return Place()
    subtask = (task.partitionId() - spec.first_task) % spec.parallelism
    return Place(subtask=subtask, stage=task.stageId(), attempt=task.attemptNumber(), host=host_name())


def host_name() -> str:
    """This machine as the cluster calls it, so that figures and the cluster's own pages agree; else by its own name."""
    named = (os.environ.get(name) for name in ("NM_HOST", "SPARK_LOCAL_HOSTNAME", "SPARK_LOCAL_IP"))
    return next(filter(None, named), socket.gethostname())


def run_pass(payload: bytes, report: Report | None, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One subtask of a pass: what `mapInArrow` calls. `report` gets the subtask's report when it has finished."""
    spec: ChainSpec = pickle.loads(payload)
    thresholds = gc.get_threshold()
    gc.set_threshold(*_GC_THRESHOLDS)
    try:
        yield from Runner(spec, here(spec)).run(batches, report)
    finally:
        gc.set_threshold(*thresholds)  # workers are reused by other jobs


class Runner:
    """The operators of a pass, wired, over one partition."""

    def __init__(self, spec: ChainSpec, place: Place) -> None:
        # below this module in the order of imports
        from spark_runner.executor.outlets import OutletWriter
        from spark_runner.executor.roles.table import ROLES

        self.spec, self.place = spec, place
        self.nodes = [ROLES[node.role](node, spec, place) for node in spec.nodes]
        self.outlets = [OutletWriter(spec, number) for number in range(len(spec.outlets))]
        self.roots: list[Any] = []
        self.taken = [0, 0]
        for node, made in zip(spec.nodes, self.nodes, strict=True):
            self._attach(node.parent, node.tag, made)
        for outlet, writer in zip(spec.outlets, self.outlets, strict=True):
            self._attach(outlet.node, outlet.tag, writer)
        self._fuse()

    def _fuse(self) -> None:
        from spark_runner.executor.fusion import FusedRun, fused

        whole = fused(self.nodes, [node.parent for node in self.spec.nodes])
        lists = [self.roots, *(node.main for node in self.nodes)]
        lists += [side for node in self.nodes for side in node.sides.values()]
        for targets in lists:
            targets[:] = [whole.get(id(target), target) for target in targets]
        # one loop alone takes what arrives: it may read it by columns
        alone = len(self.roots) == 1 and isinstance(self.roots[0], FusedRun) and not self.spec.input.grouped
        self._in_columns = alone and form_of(self.spec.input.names[0] or ("value",)) in ("tuple", "row")

    def _attach(self, parent: int | None, tag: str | None, target: Any) -> None:
        if parent is None:
            self.roots.append(target)
        elif tag is None:
            self.nodes[parent].main.append(target)
        else:
            self.nodes[parent].sides.setdefault(tag, []).append(target)

    def run(self, batches: Iterable[pa.RecordBatch], report: Report | None) -> Iterator[pa.RecordBatch]:
        """The pass's result, batch by batch."""
        started, clock = time.time(), time.perf_counter()
        opened: list[Any] = []
        try:
            for node in self.nodes:
                opened.append(node)
                node.open()
            for batch in batches:
                yield from self._flow(self._arrive(batch))
            for node in self.nodes:
                yield from self._flow(node.finish())
        except BaseException:
            for node in opened:
                with contextlib.suppress(Exception):  # what failed first is what its author must see
                    node.close()
            raise
        for node in opened:
            node.close()
        finished = self._report(started, time.perf_counter() - clock)
        if report is not None:
            report(finished)
        if self.spec.metric_rows:
            yield self._metric_row(finished)

    def _flow(self, start: Iterator[Any]) -> Iterator[pa.RecordBatch]:
        # a stack of iterators and not recursion: a chain may have twenty thousand operators
        stack = [start]
        while stack:
            moved = next(stack[-1], None)
            if moved is None:
                stack.pop()
                continue
            targets, values, stamps = moved
            if values:
                for target in targets:
                    if target.writes:
                        yield target.write(values, stamps)
                stack.extend(target.process(values, stamps) for target in reversed(targets) if not target.writes)

    def _arrive(self, batch: pa.RecordBatch) -> Iterator[Any]:
        names = batch.schema.names
        stamps = batch.column(names.index(STAMP)).to_pylist() if STAMP in names else None
        sides = batch.column(names.index(SIDE)).to_pylist() if SIDE in names else None
        values = self._records(batch, names, sides)
        if sides is None:
            self.taken[0] += len(values)
        else:
            ones = sum(sides)
            self.taken[0] += len(values) - ones
            self.taken[1] += ones
        root = self.roots[0]
        if self.spec.input.grouped:
            yield from root.process_keyed(self._keys(batch, names, values, sides), values, stamps, sides)
        elif sides is not None:
            yield from root.process_sides(values, stamps, sides)
        elif getattr(root, "wants_keys", False):
            yield from root.process_keyed(self._keys(batch, names, values, sides), values, stamps, sides)
        else:
            yield self.roots, values, stamps

    def _records(self, batch: pa.RecordBatch, names: list[str], sides: list[int] | None) -> Any:
        if sides is None:
            wanted = self.spec.input.names[0]
            columns = [batch.column(names.index(name)) for name in wanted]
            return Columns(columns, wanted) if self._in_columns else decode(columns, wanted)
        streams = []
        for side in (0, 1):
            column = batch.column(names.index(f"in{side}")).filter(pa.array([s == side for s in sides], pa.bool_()))
            streams.append(iter(decode(column.flatten(), self.spec.input.names[side]) if len(column) else ()))
        return [next(streams[side]) for side in sides]

    def _keys(self, batch: pa.RecordBatch, names: list[str], values: list[Any], sides: list[int] | None) -> list[Any]:
        if KEY in names:
            return values_of(batch.column(names.index(KEY)))
        columns = self.spec.input.key_columns[0]
        if len(columns) == 1:
            return values_of(batch.column(names.index(columns[0])))
        return list(zip(*(values_of(batch.column(names.index(name))) for name in columns), strict=True))

    def _report(self, started: float, seconds: float) -> SubtaskReport:
        return SubtaskReport(
            number=self.spec.number,
            subtask=self.place.subtask,
            stage=self.place.stage,
            attempt=self.place.attempt,
            host=self.place.host,
            started=started,
            seconds=seconds,
            taken=(self.taken[0], self.taken[1]),
            nodes=tuple((node.taken, node.given) for node in self.nodes),
            outlets=tuple(outlet.given for outlet in self.outlets),
        )

    def _metric_row(self, report: SubtaskReport) -> pa.RecordBatch:
        schema = self.spec.out_schema
        arrays = [pa.nulls(1, field.type) for field in list(schema)[:-1]]
        return pa.RecordBatch.from_arrays([*arrays, pa.array([report.to_json()], pa.string())], schema=schema)
