"""One pass over one partition: its Python operators, with nothing converted between them.

Runs inside `mapInArrow` on executors, so it imports only the standard library, pyarrow and the modules shipped with it.
The operators are those of streams, with an end of input; `fusion` makes one loop of those without state.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from spark_runner.executor.failures import OperatorFailed
from spark_runner.executor.fusion import FusedRun, fused
from spark_runner.executor.hidden_columns import KEY, ROW, SIDE, STAMP
from spark_runner.executor.interpreter import at_work
from spark_runner.executor.keyed import Keyed
from spark_runner.executor.keys import one_nan
from spark_runner.executor.operators import Operator, Part, let_run, spread_out, wired
from spark_runner.executor.outlets import OutletWriter
from spark_runner.executor.passes import PassSpec, host_name
from spark_runner.executor.records import Columns, decode, values_of
from spark_runner.executor.report import SubtaskReport
from spark_runner.executor.rows import form_of
from spark_runner.executor.store import NoState
from spark_runner.executor.table import OPERATORS

Report = Callable[[SubtaskReport], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlace:
    """Which subtask this is, and where it runs."""

    subtask: int = 0
    stage: int = 0
    attempt: int = 0
    host: str = ""


def here(spec: PassSpec) -> TaskPlace:
    """The running Spark task's place."""
    from pyspark import TaskContext

    task = TaskContext.get()
    if task is None:
        return TaskPlace()
    subtask = (task.partitionId() - spec.first_task) % spec.parallelism
    return TaskPlace(subtask=subtask, stage=task.stageId(), attempt=task.attemptNumber(), host=host_name())


def run_pass(payload: bytes, report: Report | None, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One subtask of a pass: what `mapInArrow` calls. `report` gets the subtask's report when it has finished."""
    spec: PassSpec = pickle.loads(payload)
    with at_work(len(spec.operators)):
        yield from PassRunner(spec, here(spec)).run(batches, report)


class PassRunner:
    """The operators of a pass, wired, over one partition. It is the task that they run in."""

    script = stateful = False
    layer = 0
    max_parallelism = 128

    def __init__(self, spec: PassSpec, place: TaskPlace) -> None:
        self.spec, self.place = spec, place
        self.name, self.parallelism = spec.name, spec.parallelism
        self.subtask, self.attempt = place.subtask, place.attempt
        self.backend = NoState()
        self.operators = [OPERATORS[one.role](one, self) for one in spec.operators]
        self.ready: list[pa.RecordBatch] = []  # what was made and has not left yet
        self.outlets = [OutletWriter(spec, number, self.ready) for number in range(len(spec.outlets))]
        self.taken = [0, 0]
        self.at_hand: tuple[Any, pa.RecordBatch] | None = None  # the records that are being taken
        readers: list[tuple[int | None, str | None, Any]] = [
            *((one.parent, one.tag, made) for one, made in zip(spec.operators, self.operators, strict=True)),
            *((outlet.node, outlet.tag, writer) for outlet, writer in zip(spec.outlets, self.outlets, strict=True)),
        ]
        self.roots = wired(self.operators, readers, placed=False)
        let_run(fused(self.operators, [one.parent for one in spec.operators]), self.roots, self.operators)
        # one loop alone takes what arrives: it may read it by columns
        alone = len(self.roots) == 1 and isinstance(self.roots[0], FusedRun) and not spec.input.grouped
        self._in_columns = alone and form_of(spec.input.names[0] or ("value",)) in ("tuple", "row")

    # --- what operators ask of their task

    def processing_time(self) -> int:
        """What the clock says now."""
        return int(time.time() * 1000)

    def kept(self, owner: str, name: str, default: Any) -> Any:
        """A batch begins without saved state."""
        return default

    def keep(self, owner: str, name: str, value: Any, default: Any = None) -> None:
        """A batch saves no state."""

    # --- running

    def run(self, batches: Iterable[pa.RecordBatch], report: Report | None) -> Iterator[pa.RecordBatch]:
        """The pass's result, batch by batch."""
        started, clock = time.time(), time.perf_counter()
        opened: list[Operator] = []
        try:
            for operator in self.operators:
                opened.append(operator)
                operator.open()
            for batch in batches:
                yield from self._arrive(batch)
            self.at_hand = None
            for operator in self.operators:
                operator.end_input()
                yield from self._left()
        except BaseException as error:
            for operator in opened:
                with contextlib.suppress(Exception):  # what failed first is what its author must see
                    operator.close()
            if isinstance(error, OperatorFailed):
                raise self._numbered(error) from None
            raise
        for operator in opened:
            operator.close()
        finished = self._report(started, time.perf_counter() - clock)
        if report is not None:
            report(finished)
        if self.spec.metric_rows:
            yield self._metric_row(finished)

    def _left(self) -> Iterator[pa.RecordBatch]:
        yield from self.ready
        self.ready.clear()

    def _arrive(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        names = batch.schema.names
        stamps = batch.column(names.index(STAMP)).to_pylist() if STAMP in names else None
        sides = batch.column(names.index(SIDE)).to_pylist() if SIDE in names else None
        values = self._records(batch, names, sides)
        self.at_hand = values, batch
        ones = 0 if sides is None else sum(sides)
        self.taken[0] += len(values) - ones
        self.taken[1] += ones
        head = self.roots[0] if self.roots else None
        if isinstance(head, FusedRun) and len(self.roots) == 1:
            for made, times in head.pieces(values, stamps):  # one record may become any number
                head.give(made, times)
                yield from self._left()
            return
        if isinstance(values, Columns):
            values = values.records()
        keys = self._keys(batch, names) if isinstance(head, Keyed) else None
        spread_out(Part(values, stamps, None, (), keys, sides), self.roots)
        yield from self._left()

    def _records(self, batch: pa.RecordBatch, names: list[str], sides: list[int] | None) -> Any:
        if sides is None:
            wanted, known = self.spec.input.names[0], set(names)
            columns = [batch.column(names.index(name)) if name in known else None for name in wanted]
            count = batch.num_rows
            return Columns(columns, wanted, count) if self._in_columns else decode(columns, wanted, count)
        streams = []
        for side in (0, 1):
            column = batch.column(names.index(f"in{side}")).filter(pa.array([s == side for s in sides], pa.bool_()))
            there = dict(zip((field.name for field in column.type), column.flatten(), strict=True))
            wanted = self.spec.input.names[side]
            records = decode([there.get(name) for name in wanted], wanted, len(column)) if len(column) else ()
            streams.append(iter(records))
        return [next(streams[side]) for side in sides]

    def _keys(self, batch: pa.RecordBatch, names: list[str]) -> list[Any]:
        columns = [KEY] if KEY in names else list(self.spec.input.key_columns[0])
        arrays = [batch.column(names.index(name)) for name in columns]
        found = list(map(values_of, arrays))
        if len(found) == 1 and not pa.types.is_struct(arrays[0].type):
            return found[0]
        keys = found[0] if len(found) == 1 else zip(*found, strict=True)
        return list(map(one_nan, keys))  # a NaN inside a key is equal to itself alone

    def _numbered(self, failed: OperatorFailed) -> OperatorFailed:
        """The failure, with the number of its record where not all of its fields came along."""
        values, batch = self.at_hand or ((), None)
        if batch is None or ROW not in batch.schema.names:
            return failed
        looked_at, made = (values.looked_at, values.made) if isinstance(values, Columns) else (None, values)
        found = [at for at, one in enumerate(made) if one is failed.value]
        if looked_at is not None and looked_at[0] is failed.value:
            found = [looked_at[1]]
        if len(found) != 1:
            return failed
        row = batch.column(batch.schema.names.index(ROW))[found[0]].as_py()
        return failed if row is None else OperatorFailed(replace(failed.failure, row=(self.spec.number, row)))

    # --- figures

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
            nodes=tuple((one.taken, one.given + sum(one.given_aside.values())) for one in self.operators),
            outlets=tuple(outlet.given for outlet in self.outlets),
        )

    def _metric_row(self, report: SubtaskReport) -> pa.RecordBatch:
        schema = self.spec.out_schema
        arrays = [pa.nulls(1, field.type) for field in list(schema)[:-1]]
        return pa.RecordBatch.from_arrays([*arrays, pa.array([report.to_json()], pa.string())], schema=schema)
