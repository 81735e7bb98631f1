"""From passes to DataFrames: every pass once, its outlets as frames that readers share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from planner.errors import ExecutionError
from planner.job import Collection, Join, Reader, Sequence
from spark_runner.executor.chain import KEY, OUT, SIDE, STAMP, TARGET
from spark_runner.frames.blame import blamed
from spark_runner.frames.collections import collection_frame
from spark_runner.frames.exchange import data_columns, joined_inlets, key_columns, moved, sided, with_target, without
from spark_runner.frames.native_pass import COUNT, aggregated, applied, joined, source_frame, with_time
from spark_runner.frames.parquet_footers import ParquetFooters
from spark_runner.frames.pickling import pickled_chain
from spark_runner.frames.python_pass import ChainMaker, pass_function
from spark_runner.frames.tally import Reports, Tally
from spark_runner.program.counting import KEEPS_COUNT, counted_by_metadata, counted_by_reader, is_native_sum
from spark_runner.program.program import Inlet, Operation, Pass, SparkProgram
from spark_runner.program.stage_shapes import first_tasks


class Frames:
    """The frames of a program, built in order; analysis errors come out here, before anything runs."""

    def __init__(self, program: SparkProgram, spark: SparkSession, reports: Reports, tally: Tally) -> None:
        self.program, self.spark, self.reports, self.tally = program, spark, reports, tally
        self.folder = Path(program.file).resolve().parent
        self.parquet = ParquetFooters(spark)
        self.outlets: dict[tuple[int, int], DataFrame] = {}
        self.kept: list[DataFrame] = []
        self._unsettled: set[int] = set()  # passes behind a shuffle: their rows come in any order
        self._schemas: dict[str, StructType] = {}
        self._first_tasks = first_tasks(program)
        counts = [p.parallelism for p in program.passes if is_native_sum(p)]
        self.shuffle_partitions = max(counts, key=counts.count) if counts else 1

    def build(self) -> None:
        """All frames."""
        self.spark.conf.set("spark.sql.shuffle.partitions", str(self.shuffle_partitions))
        for number, one in enumerate(self.program.passes):
            if any(i.source in self._unsettled or self._shuffles(i) for i in one.inlets):
                self._unsettled.add(number)
            self._count_arrivals(number, one)
            if one.engine == "python":
                self._python(number, one)
            else:
                self._native(number, one)

    def release(self) -> None:
        """Let go of what was kept for several readers."""
        for frame in self.kept:
            frame.unpersist()

    @staticmethod
    def _shuffles(inlet: Inlet) -> bool:
        return inlet.exchange is not None and inlet.exchange.strategy != "FORWARD"

    # --- what arrives

    def _count_arrivals(self, number: int, one: Pass) -> None:
        terms: dict[int, list[tuple[Any, int]]] = {}
        for inlet in one.inlets:
            times = inlet.exchange.consumers if inlet.exchange and inlet.exchange.strategy == "BROADCAST" else 1
            terms.setdefault(inlet.position, []).append((self._source_symbol(inlet), times))
        for position, found in terms.items():
            self.tally.same["in", number, position] = tuple(found)

    def _source_symbol(self, inlet: Inlet) -> Any:
        outlet = self.program.passes[inlet.source].outlets[inlet.outlet]
        if outlet.operation is None:
            return ("in", inlet.source, 0)
        return ("out", inlet.source, outlet.operation, outlet.tag)

    def _arriving(self, inlet: Inlet, reader: Operation | None) -> DataFrame:
        frame = self.outlets[inlet.source, inlet.outlet]
        if inlet.time is not None and reader is not None:
            frame = with_time(frame, inlet.time, reader.operator)
        return frame

    def _arrivals(self, one: Pass) -> DataFrame:
        """What a pass reads, behind its exchanges, in the order it needs."""
        reader = one.operations[0] if one.operations else None
        frames = [self._arriving(inlet, reader) for inlet in one.inlets]
        settled = not any(inlet.source in self._unsettled for inlet in one.inlets)
        if any(inlet.position for inlet in one.inlets):
            frame = self._two_sided(one, frames, settled)
        elif len(frames) == 1:
            frame = moved(frames[0], one.inlets[0], settled=settled)
        else:
            self._check_union(one, frames)
            frame = joined_inlets(frames, one.inlets, parallelism=one.parallelism, settled=settled)
        return self._grouped(one, frame) if one.grouped else frame

    def _check_union(self, one: Pass, frames: list[DataFrame]) -> None:
        names = [data_columns(frame) for frame in frames]
        if any(sorted(other) != sorted(names[0]) for other in names[1:]):
            raise ExecutionError(
                f"step {self.program.steps[one.step].name!r} unions streams with different columns: "
                + "; ".join(", ".join(one) for one in names),
                hint="give the streams the same columns, or declare the type of all of them",
            )

    def _two_sided(self, one: Pass, frames: list[DataFrame], settled: bool) -> DataFrame:
        firsts = [next(f for f, i in zip(frames, one.inlets, strict=True) if i.position == side) for side in (0, 1)]
        shaped = []
        for frame, inlet in zip(frames, one.inlets, strict=True):
            keyed = inlet.key is not None and all(i.key is not None for i in one.inlets)
            targeted = frame if keyed else with_target(frame, inlet, settled=settled)
            shaped.append(sided(targeted, inlet, firsts[1 - inlet.position]))
        both = shaped[0]
        for other in shaped[1:]:
            both = both.unionByName(other)
        if KEY in both.columns and TARGET not in both.columns:
            return both.repartition(one.parallelism, F.col(KEY))
        return both.repartitionById(one.parallelism, F.col(TARGET)).drop(TARGET)

    def _grouped(self, one: Pass, frame: DataFrame) -> DataFrame:
        keys = [F.col(KEY)] if KEY in frame.columns else key_columns(one.inlets[0])
        order = [*keys]
        order += [F.col(name) for name in (STAMP, SIDE) if name in frame.columns]
        return frame.sortWithinPartitions(*order)

    # --- native passes

    def _native(self, number: int, one: Pass) -> None:
        frames: dict[int | None, DataFrame] = {}
        if one.inlets and not self._merges_inputs(one):
            # behind its exchange a key has done its work: no native operator or sink may see it as a column
            frames[None] = self._kept_if_shared(one, None, without(self._arrivals(one), KEY))
        for at, operation in enumerate(one.operations):
            with blamed(operation.operator, operation.name):
                frame = self._native_operation(number, one, operation, frames)
                frames[at] = self._kept_if_shared(one, at, self._counted(number, one, at, operation, frame))
        for outlet_at, outlet in enumerate(one.outlets):
            frame = frames[outlet.operation]
            self.outlets[number, outlet_at] = frame if outlet.timestamps else without(frame, STAMP)

    def _kept_if_shared(self, one: Pass, at: int | None, frame: DataFrame) -> DataFrame:
        readers = sum(o.readers for o in one.outlets if o.operation == at)
        children = sum(o.parent == at for o in one.operations)
        return self._keep(frame) if readers + children > 1 else frame

    @staticmethod
    def _merges_inputs(one: Pass) -> bool:
        head = one.operations[0] if one.operations else None
        return head is not None and (
            head.operator.kind in ("sum", "min", "max") or isinstance(head.operator.behaviour, Join)
        )

    def _native_operation(
        self, number: int, one: Pass, operation: Operation, frames: dict[int | None, DataFrame]
    ) -> DataFrame:
        operator = operation.operator
        behaviour = operator.behaviour
        if isinstance(behaviour, Collection):
            return collection_frame(self.spark, operator, self._schema(str(operator.output)), one.parallelism)
        if isinstance(behaviour, Sequence | Reader):
            return source_frame(self.spark, operation, one.parallelism, self.path, self.parquet)
        if operator.kind in ("sum", "min", "max"):
            return self._native_sum(number, one, operation)
        if isinstance(behaviour, Join):
            left, right = (self._side(one, side) for side in (0, 1))
            inlets = tuple(next(i for i in one.inlets if i.position == side) for side in (0, 1))
            return joined(operation, left, right, inlets)  # type: ignore[arg-type]
        return applied(operation, frames[operation.parent])

    def _side(self, one: Pass, side: int) -> DataFrame:
        frames = [self._arriving(i, None) for i in one.inlets if i.position == side]
        union = frames[0]
        for other in frames[1:]:
            union = union.unionByName(other)
        return union

    def _native_sum(self, number: int, one: Pass, operation: Operation) -> DataFrame:
        frames = [self._arriving(inlet, operation) for inlet in one.inlets]
        self._check_union(one, frames)
        union = frames[0]
        for other in frames[1:]:
            union = union.unionByName(other, allowMissingColumns=True)
        frame, records = aggregated(operation, union, one.inlets[0])
        observed = self.tally.observe_groups(("out", number, 0, None), ("sum", number), frame, COUNT)
        if len(one.inlets) == 1:
            source = self._source_symbol(one.inlets[0])
            self._measured(source, ("sum", number))
        if one.parallelism != self.shuffle_partitions:
            # how many partitions a groupBy has is settled when it is planned, and keeping it plans it now
            self.spark.conf.set("spark.sql.shuffle.partitions", str(one.parallelism))
            observed = self._keep(observed)
            self.spark.conf.set("spark.sql.shuffle.partitions", str(self.shuffle_partitions))
        return observed.selectExpr(*records)

    def _measured(self, symbol: Any, measure: Any) -> None:
        """Let a count be known from what its only reader took, unless it is known already."""
        while symbol in self.tally.same:
            terms = self.tally.same[symbol]
            if len(terms) != 1 or terms[0][1] != 1:
                return
            symbol = terms[0][0]
        if symbol not in self.tally.known and symbol not in self.tally.observed:
            self.tally.later.pop(symbol, None)
            self.tally.same[symbol] = ((measure, 1),)

    # --- counting native operators

    def _counted(self, number: int, one: Pass, at: int, operation: Operation, frame: DataFrame) -> DataFrame:
        symbol = ("out", number, at, None)
        behaviour = operation.operator.behaviour
        if isinstance(behaviour, Collection):
            self.tally.known[symbol] = len(behaviour.records)
        elif isinstance(behaviour, Sequence):
            self.tally.known[symbol] = max(0, behaviour.end - behaviour.start + 1)
        elif symbol in self.tally.observed:
            return frame
        elif operation.operator.kind in KEEPS_COUNT:
            parent = ("in", number, 0) if operation.parent is None else ("out", number, operation.parent, None)
            self.tally.same[symbol] = ((parent, 1),)
        elif not counted_by_reader(self.program, number, at):
            if counted_by_metadata(one, operation):
                self.tally.later[symbol] = self._footers(behaviour, frame)
            else:
                return self.tally.observe(symbol, frame)
        return frame

    def _footers(self, reader: Reader, frame: DataFrame) -> Callable[[], int]:
        """Counts a columnar source by its footers: on this machine without Spark, elsewhere with it."""

        def count() -> int:
            known = self.parquet.rows(reader, self.path(reader.path or ""))
            return frame.count() if known is None else known

        return count

    # --- Python passes

    def _python(self, number: int, one: Pass) -> None:
        arriving = (
            self._arrivals(one)
            if one.inlets
            else self.spark.range(0, one.parallelism, 1, one.parallelism).toDF("value")
        )
        maker = ChainMaker(self.program, self._schema, arriving, first_task=self._first_tasks.get(number, 0))
        spec = maker.chain(number, one, metric_rows=self.reports.as_rows)
        payload = pickled_chain(spec, one, self.program.file)
        frame = arriving.mapInArrow(pass_function(payload, self.reports.accumulator), maker.spark_schema(spec, one))
        if self.reports.as_rows:
            frame = self.reports.take_rows(frame)
        if one.shared:
            frame = self._keep(frame)
        for at in range(len(one.outlets)):
            mine = frame
            if spec.tagged:
                mine = frame.where(F.col(OUT) == at).select(f"o{at}.*")
            self.outlets[number, at] = mine
        if len(one.inlets) == 1:
            self._measured(("in", number, 0), ("taken", number, 0))

    # --- small things

    def _keep(self, frame: DataFrame) -> DataFrame:
        kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.kept.append(kept)
        return kept

    def _schema(self, ddl: str) -> StructType:
        if ddl not in self._schemas:
            operations = (operation for one in self.program.passes for operation in one.operations)
            owner = next((o for o in operations if o.operator.output == ddl), None)
            with blamed(owner.operator, owner.name, "declares columns") if owner else nullcontext():
                self._schemas[ddl] = StructType.fromDDL(ddl)  # type: ignore[assignment]
        return self._schemas[ddl]

    def path(self, path: str) -> str:
        """A path of the job, relative to its file unless it says otherwise."""
        return path if "://" in path or Path(path).is_absolute() else str(self.folder / path)
