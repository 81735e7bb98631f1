"""From passes to DataFrames: every pass once, its outlets as frames that readers share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, StructField, StructType

from planner.errors import ExecutionError
from planner.job import Collection, Join, Reader, Sequence, Watermarks, Window
from spark_runner.blame import blamed
from spark_runner.chain import KEY, OUT, SIDE, STAMP, ChainSpec, InputSpec, NodeSpec, OutletSpec
from spark_runner.collection_source import collection_frame, shaped_records
from spark_runner.exchange import data_columns, joined_inlets, key_columns, moved, quoted, sided, with_target
from spark_runner.figures import Reports, Tally
from spark_runner.native import COUNT, aggregated, applied, joined, source_frame, with_time
from spark_runner.program import Inlet, Operation, Outlet, Pass, SparkProgram
from spark_runner.records import PICKLED, field_getter
from spark_runner.shipping import pickled_function

_KEEPS_COUNT = frozenset({"map", "watermarks"})
_COUNTED_BY_METADATA = frozenset({"parquet", "orc"})  # counting them again reads footers only


class Frames:
    """The frames of a program, built in order; analysis errors come out here, before anything runs."""

    def __init__(self, program: SparkProgram, spark: SparkSession, reports: Reports, tally: Tally) -> None:
        self.program, self.spark, self.reports, self.tally = program, spark, reports, tally
        self.folder = Path(program.file).resolve().parent
        self.outlets: dict[tuple[int, int], DataFrame] = {}
        self.kept: list[DataFrame] = []
        self._unsettled: set[int] = set()  # passes behind a shuffle: their rows come in any order
        self._schemas: dict[str, StructType] = {}
        counts = [p.parallelism for p in program.passes if self._is_native_sum(p)]
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

    @staticmethod
    def _is_native_sum(one: Pass) -> bool:
        return one.engine == "native" and any(o.operator.kind in ("sum", "min", "max") for o in one.operations)

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
        if KEY in both.columns and "__to" not in both.columns:
            return both.repartition(one.parallelism, F.col(KEY))
        return both.repartitionById(one.parallelism, F.col("__to")).drop("__to")

    def _grouped(self, one: Pass, frame: DataFrame) -> DataFrame:
        keys = [F.col(KEY)] if KEY in frame.columns else key_columns(one.inlets[0])
        order = [*keys]
        order += [F.col(name) for name in (STAMP, SIDE) if name in frame.columns]
        return frame.sortWithinPartitions(*order)

    # --- native passes

    def _native(self, number: int, one: Pass) -> None:
        frames: dict[int | None, DataFrame] = {}
        if one.inlets and not self._merges_inputs(one):
            frames[None] = self._kept_if_shared(one, None, self._arrivals(one))
        for at, operation in enumerate(one.operations):
            with blamed(operation.operator, operation.name):
                frame = self._native_operation(number, one, operation, frames)
                frames[at] = self._kept_if_shared(one, at, self._counted(number, one, at, operation, frame))
        for outlet_at, outlet in enumerate(one.outlets):
            frame = frames[outlet.operation]
            self.outlets[number, outlet_at] = frame if outlet.timestamps else frame.drop(STAMP)

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
            return source_frame(self.spark, operation, one.parallelism, self.path)
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
        frame = aggregated(operation, union, one.inlets[0])
        observed = self.tally.observe(("sum", number), frame, counted=COUNT)
        if len(one.inlets) == 1:
            source = self._source_symbol(one.inlets[0])
            self._measured(source, ("sum", number))
        if one.parallelism != self.shuffle_partitions:
            # how many partitions a groupBy has is settled when it is planned, and keeping it plans it now
            self.spark.conf.set("spark.sql.shuffle.partitions", str(one.parallelism))
            observed = self._keep(observed)
            self.spark.conf.set("spark.sql.shuffle.partitions", str(self.shuffle_partitions))
        return observed.drop(COUNT)

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
        elif operation.operator.kind in _KEEPS_COUNT:
            parent = ("in", number, 0) if operation.parent is None else ("out", number, operation.parent, None)
            self.tally.same[symbol] = ((parent, 1),)
        elif not self._counted_by_reader(number, one, at):
            if self._counted_by_metadata(one, at, operation):
                self.tally.later[symbol] = frame.count
            else:
                return self.tally.observe(symbol, frame)
        return frame

    def _counted_by_reader(self, number: int, one: Pass, at: int) -> bool:
        """Whether exactly one reader takes these very records and counts them itself."""
        place: tuple[int, int | None] = (number, at)
        while True:
            current, operation = self.program.passes[place[0]], place[1]
            children = [n for n, o in enumerate(current.operations) if o.parent == operation]
            outlets = [n for n, o in enumerate(current.outlets) if o.operation == operation]
            readers = sum(current.outlets[n].readers for n in outlets)
            if len(children) + readers != 1:
                return False
            if children:
                if current.operations[children[0]].operator.kind not in _KEEPS_COUNT:
                    return False
                place = (place[0], children[0])
                continue
            reader = next(
                (
                    n
                    for n, p in enumerate(self.program.passes)
                    for i in p.inlets
                    if (i.source, i.outlet) == (place[0], outlets[0])
                ),
                None,
            )
            if reader is None or len(self.program.passes[reader].inlets) != 1:
                return False
            inlet = self.program.passes[reader].inlets[0]
            if inlet.exchange is not None and inlet.exchange.strategy == "BROADCAST":
                return False
            if self.program.passes[reader].engine == "python" or self._is_native_sum(self.program.passes[reader]):
                return True
            place = (reader, None)

    @staticmethod
    def _counted_by_metadata(one: Pass, at: int, operation: Operation) -> bool:
        behaviour = operation.operator.behaviour
        return isinstance(behaviour, Reader) and behaviour.format.lower() in _COUNTED_BY_METADATA and not one.shared

    # --- Python passes

    def _python(self, number: int, one: Pass) -> None:
        arriving = (
            self._arrivals(one)
            if one.inlets
            else self.spark.range(0, one.parallelism, 1, one.parallelism).toDF("value")
        )
        spec = self._chain(number, one, arriving)
        payload = pickled_function(spec)
        frame = arriving.mapInArrow(
            pass_function(payload, self.reports.accumulator), self._spark_schema(spec, one, arriving)
        )
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

    def _chain(self, number: int, one: Pass, arriving: DataFrame) -> ChainSpec:
        selectors = tuple(_selector(i) for i in sorted(one.inlets, key=lambda i: i.position))
        names: tuple[tuple[str, ...], ...] = (tuple(data_columns(arriving)),)
        if SIDE in arriving.columns:
            names = tuple(tuple(f.name for f in arriving.schema[f"in{side}"].dataType.fields) for side in (0, 1))
        return ChainSpec(
            number=number,
            name=self.program.steps[one.step].name,
            parallelism=one.parallelism,
            input=InputSpec(
                names=names,
                grouped=one.grouped,
                key_columns=tuple(i.key.columns if i.key is not None else () for i in one.inlets),
                selectors=selectors if any(selectors) else (),
            ),
            nodes=tuple(self._node(operation) for operation in one.operations),
            outlets=tuple(self._outlet(one, outlet, arriving) for outlet in one.outlets),
            tagged=len(one.outlets) > 1,
            metric_rows=self.reports.as_rows,
        )

    def _node(self, operation: Operation) -> NodeSpec:
        operator = operation.operator
        behaviour: Any = operator.behaviour
        function, options = getattr(behaviour, "target", None), {}
        if isinstance(behaviour, Collection):
            schema = None if operator.output is None else self._schema(operator.output)
            function = shaped_records(operator, None if schema is None else _arrow(schema))
        elif isinstance(behaviour, Window):
            function = behaviour.function.target if behaviour.function is not None else None
            options["window"] = {n: getattr(behaviour, n) for n in ("assigner", "size", "slide", "offset", "form")}
        elif isinstance(behaviour, Watermarks):
            function = _stamper(behaviour)
        elif operator.kind in ("sum", "min", "max"):
            options["aggregate"] = (operator.kind, behaviour.field)
        return NodeSpec(
            role=operation.role,
            function=function,
            parent=operation.parent,
            tag=operation.tag,
            operator=operator.key,
            name=operation.name,
            place=str(operator.location),
            keyed=operation.keyed,
            options=options,
        )

    def _outlet(self, one: Pass, outlet: Outlet, arriving: DataFrame) -> OutletSpec:
        key = outlet.key
        selector = None if key is None else _selector_of(key)
        kind = None
        if key is not None and key.type is not None and key.type.startswith("value "):
            kind = _arrow(self._schema(key.type)).field(0).type
        return OutletSpec(
            node=outlet.operation,
            tag=outlet.tag,
            schema=_arrow(self._records_schema(outlet, arriving)),
            blame=outlet.declared_by if outlet.declared_by is not None else outlet.operation,
            selector=selector,
            key_type=kind,
            custom=None if outlet.custom is None else _partitioner(outlet.custom.target),
            consumers=outlet.consumers,
            stamps=outlet.timestamps,
        )

    def _records_schema(self, outlet: Outlet, arriving: DataFrame) -> StructType:
        if outlet.pickled:
            return StructType([StructField(PICKLED, BinaryType())])
        if outlet.columns is not None:
            return self._schema(outlet.columns)
        return StructType([StructField(n, arriving.schema[n].dataType, True) for n in data_columns(arriving)])

    def _spark_schema(self, spec: ChainSpec, one: Pass, arriving: DataFrame) -> StructType:
        from pyspark.sql.pandas.types import from_arrow_schema

        hidden = from_arrow_schema(spec.out_schema)
        if spec.tagged or not one.outlets:
            full = [self._full(one.outlets[n], spec.outlets[n], arriving) for n in range(len(one.outlets))]
            fields = [StructField(f"o{n}", inner) for n, inner in enumerate(full)]
            return StructType([hidden[0], *fields, *([hidden[-1]] if spec.metric_rows else [])])
        full_schema = self._full(one.outlets[0], spec.outlets[0], arriving)
        return StructType([*full_schema.fields, *([hidden[-1]] if spec.metric_rows else [])])

    def _full(self, outlet: Outlet, spec: OutletSpec, arriving: DataFrame) -> StructType:
        from pyspark.sql.pandas.types import from_arrow_schema

        own = self._records_schema(outlet, arriving)
        hidden = from_arrow_schema(pa.schema(list(spec.full_schema)[len(own) :]), prefer_timestamp_ntz=False)
        return StructType([*own.fields, *hidden.fields])

    # --- small things

    def _keep(self, frame: DataFrame) -> DataFrame:
        kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.kept.append(kept)
        return kept

    def _schema(self, ddl: str) -> StructType:
        if ddl not in self._schemas:
            self._schemas[ddl] = StructType.fromDDL(ddl)  # type: ignore[assignment]
        return self._schemas[ddl]

    def path(self, path: str) -> str:
        """A path of the job, relative to its file unless it says otherwise."""
        return path if "://" in path or Path(path).is_absolute() else str(self.folder / path)


def pass_function(payload: bytes, accumulator: Any) -> Callable[[Any], Any]:
    """What `mapInArrow` takes: nothing but bytes and names, so that executors load everything from what was shipped."""

    def run(batches: Any) -> Any:
        from spark_runner.chain import run_pass

        report = None if accumulator is None else lambda figures: accumulator.add([figures])
        return run_pass(payload, report, batches)

    return run


def _arrow(schema: StructType) -> pa.Schema:
    return to_arrow_schema(schema, timezone="UTC")


def _selector(inlet: Inlet) -> Callable[[Any], Any] | None:
    return None if inlet.key is None or inlet.key.selector is None else _selector_of(inlet.key)


def _selector_of(key: Any) -> Callable[[Any], Any]:
    if key.selector is None:
        getters = [field_getter(name) for name in key.columns]
        return getters[0] if len(getters) == 1 else lambda record: tuple(get(record) for get in getters)
    target = key.selector.target
    if isinstance(target, type):
        target = target()
    return target.get_key if callable(getattr(target, "get_key", None)) else target


def _partitioner(target: Any) -> Callable[[Any, int], int]:
    if isinstance(target, type):
        target = target()
    return target.partition if callable(getattr(target, "partition", None)) else target


def _stamper(behaviour: Watermarks) -> Any:
    if behaviour.assigner is not None:
        return behaviour.assigner.target
    if behaviour.time is None:
        return None
    read = field_getter(behaviour.time)

    def millis(record: Any) -> int:
        import datetime

        value = read(record)
        if isinstance(value, datetime.datetime):
            zoned = value if value.tzinfo is not None else value.replace(tzinfo=datetime.UTC)
            return int(zoned.timestamp() * 1000)
        return int(value)

    return millis
