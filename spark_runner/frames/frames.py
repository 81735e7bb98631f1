"""From passes to DataFrames: every pass once, its outlets as frames that readers share."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from planner.job import Collection, Join, Reader, Sequence
from planner.kinds import AGGREGATES
from spark_runner.executor.hidden_columns import KEY, OUT, STAMP
from spark_runner.frames.arrivals import Arrivals, Names
from spark_runner.frames.blame import blamed
from spark_runner.frames.collections import collection_frame
from spark_runner.frames.counted import count_arrivals, count_native, measure_by_aggregation, measure_by_python
from spark_runner.frames.exchange import without
from spark_runner.frames.lineage import Lineage
from spark_runner.frames.native_pass import COUNT, aggregated, applied, joined, source_frame
from spark_runner.frames.parquet_footers import ParquetFooters
from spark_runner.frames.pickling import pickled_pass
from spark_runner.frames.python_pass import PassMaker, pass_function
from spark_runner.frames.reports import Reports
from spark_runner.frames.tally import Tally
from spark_runner.frames.workshop import Workshop
from spark_runner.program.counting import is_native_sum
from spark_runner.program.counts import Given, GroupMembers
from spark_runner.program.program import Operation, Pass, SparkProgram
from spark_runner.program.stage_shapes import first_tasks

_PARTITIONS = "spark.sql.shuffle.partitions"


class Frames:
    """The frames of a program, built in order; analysis errors come out here, before anything runs."""

    def __init__(self, program: SparkProgram, spark: SparkSession, reports: Reports, tally: Tally) -> None:
        self.program, self.spark = program, spark
        self.shop = Workshop(program=program, spark=spark, reports=reports, tally=tally, parquet=ParquetFooters(spark))
        self.outlets: dict[tuple[int, int], DataFrame] = {}
        self._arrivals = Arrivals(program, self.outlets)
        self._lineage = Lineage(spark)
        self._first_tasks = first_tasks(program)
        counts = [one.parallelism for one in program.passes if is_native_sum(one)]
        self._usual_partitions = max(counts, key=counts.count) if counts else 1

    def build(self) -> None:
        """All frames."""
        self.spark.conf.set(_PARTITIONS, str(self._usual_partitions))
        for number, one in enumerate(self.program.passes):
            self._arrivals.note(number, one)
            count_arrivals(self.shop, number, one)
            self._lineage.begin(one)
            if one.engine == "python":
                self._python(number, one)
            else:
                self._native(number, one)
            self._lineage.end(number, one)

    def release(self) -> None:
        """Drop what was stored for several readers."""
        self.shop.release()

    def path(self, path: str) -> str:
        """A path of the job, relative to its file unless it is absolute or a URL."""
        return self.shop.path(path)

    # --- Python passes

    def _python(self, number: int, one: Pass) -> None:
        arriving, names = self._arrivals.arriving(one) if one.inlets else (self._one_row_per_subtask(one), ())
        frame = self._mapped(number, one, arriving, names)
        several = len(one.outlets) > 1
        for at in range(len(one.outlets)):
            self.outlets[number, at] = frame.where(F.col(OUT) == at).select(f"o{at}.*") if several else frame
        measure_by_python(self.shop, number, one)

    def _one_row_per_subtask(self, one: Pass) -> DataFrame:
        """What starts a pass that has its records in itself."""
        return self.spark.range(0, one.parallelism, 1, one.parallelism).toDF("value")

    def _mapped(self, number: int, one: Pass, arriving: DataFrame, names: tuple[Names, ...]) -> DataFrame:
        reports = self.shop.reports
        maker = PassMaker(self.program, self.shop.schema, arriving, names, first_task=self._first_tasks.get(number, 0))
        spec = maker.chain(number, one, metric_rows=reports.as_rows)
        payload = pickled_pass(spec, one, self.program.file)
        frame = arriving.mapInArrow(pass_function(payload, reports.accumulator), maker.spark_schema(spec, one))
        if reports.as_rows:
            frame = reports.take_rows(frame)
        return self.shop.keep(frame) if one.shared else frame

    # --- native passes

    def _native(self, number: int, one: Pass) -> None:
        frames: dict[int | None, DataFrame] = {}
        if one.inlets and not _merges_inputs(one):
            # after its exchange a key has done its work: no native operator or sink may see it as a column
            frames[None] = self._kept_if_shared(one, None, without(self._arrivals.after_exchange(one), KEY))
        for at, operation in enumerate(one.operations):
            with blamed(operation.operator, operation.name):
                frame = count_native(self.shop, number, at, self._operation(number, one, operation, frames))
            frames[at] = self._kept_if_shared(one, at, self._lineage.add(at, operation, frame))
        for at, outlet in enumerate(one.outlets):
            frame = frames[outlet.operation]
            self.outlets[number, at] = frame if outlet.timestamps else without(frame, STAMP)

    def _kept_if_shared(self, one: Pass, at: int | None, frame: DataFrame) -> DataFrame:
        readers = sum(outlet.readers for outlet in one.outlets if outlet.operation == at)
        children = sum(operation.parent == at for operation in one.operations)
        return self.shop.keep(frame) if readers + children > 1 else frame

    def _operation(
        self, number: int, one: Pass, operation: Operation, frames: dict[int | None, DataFrame]
    ) -> DataFrame:
        operator = operation.operator
        behaviour = operator.behaviour
        if isinstance(behaviour, Collection):
            return collection_frame(self.spark, operator, self.shop.schema(str(operator.output)), one.parallelism)
        if isinstance(behaviour, Sequence | Reader):
            return source_frame(self.spark, operation, one.parallelism, self.path, self.shop.parquet)
        if _aggregates(operation):
            return self._aggregation(number, one, operation)
        if isinstance(behaviour, Join):
            return self._join(one, operation)
        return applied(operation, frames[operation.parent])

    def _join(self, one: Pass, operation: Operation) -> DataFrame:
        left, right = (next(inlet for inlet in one.inlets if inlet.position == side) for side in (0, 1))
        return joined(operation, self._arrivals.side(one, 0), self._arrivals.side(one, 1), (left, right))

    def _aggregation(self, number: int, one: Pass, operation: Operation) -> DataFrame:
        union = self._arrivals.all_in_front(one, operation)
        frame, records = aggregated(operation, union, one.inlets[0])
        observed = self.shop.tally.observe_groups(Given(number, 0), GroupMembers(number), frame, COUNT)
        measure_by_aggregation(self.shop, number, one)
        if one.parallelism != self._usual_partitions:
            observed = self._planned_with(one.parallelism, observed)
        return observed.selectExpr(*records)

    def _planned_with(self, partitions: int, frame: DataFrame) -> DataFrame:
        """A groupBy gets its number of partitions when it is planned, and storing a frame plans it now."""
        self.spark.conf.set(_PARTITIONS, str(partitions))
        planned = self.shop.keep(frame)
        self.spark.conf.set(_PARTITIONS, str(self._usual_partitions))
        return planned


def _merges_inputs(one: Pass) -> bool:
    """Whether the first operator makes its exchange itself."""
    head = one.operations[0] if one.operations else None
    return head is not None and (_aggregates(head) or isinstance(head.operator.behaviour, Join))


def _aggregates(operation: Operation) -> bool:
    return operation.operator.kind in AGGREGATES
