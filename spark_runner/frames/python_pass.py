"""From a Python pass to the chain that is shipped: functions, columns, and the result's schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import BinaryType, StructField, StructType

from planner.job import Collection
from spark_runner.executor.conversion import columns_form
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.passes import OutletSpec, PassInput, PassSpec
from spark_runner.executor.rows import PICKLED
from spark_runner.frames.collections import shaped_records
from spark_runner.frames.exchange import data_columns
from spark_runner.program.program import Key, Operation, Outlet, Pass, SparkProgram
from spark_runner.program.roles import ROLES
from spark_runner.program.worker_parts import partitioner_of, selector_of


class PassMaker:
    """One Python pass, and what arrives at it."""

    def __init__(
        self,
        program: SparkProgram,
        schema_of: Callable[[str], StructType],
        arriving: DataFrame,
        names: tuple[tuple[str, ...], ...] = (),
        *,
        first_task: int = 0,
    ) -> None:
        self.program, self.schema_of, self.arriving = program, schema_of, arriving
        self.names = names or (tuple(data_columns(arriving)),)  # of the fields of records, by input
        self.first_task = first_task

    def chain(self, number: int, one: Pass, *, metric_rows: bool) -> PassSpec:
        """The pass as executors need it."""
        return PassSpec(
            number=number,
            name=self.program.steps[one.step].name,
            parallelism=one.parallelism,
            first_task=self.first_task,
            input=PassInput(
                names=self.names,
                grouped=one.grouped,
                key_columns=tuple(i.key.columns if i.key is not None else () for i in one.inlets),
            ),
            operators=tuple(self._operator(operation, one) for operation in one.operations),
            outlets=tuple(self._outlet(outlet) for outlet in one.outlets),
            tagged=len(one.outlets) > 1,
            metric_rows=metric_rows,
        )

    def _operator(self, operation: Operation, one: Pass) -> OperatorSpec:
        operator = operation.operator
        function, options = operation.function, dict(operation.options)
        if isinstance(operator.behaviour, Collection):
            schema = None if operator.output is None else self.schema_of(operator.output)
            function = shaped_records(operator, None if schema is None else _arrow(schema))
        if operation.role == "watermarks":
            del options["delay"]  # event time is over when the input is
        if operation.role == "reduce":
            options["final"] = True
        self._declare(operation, one, options)
        if one.grouped and operation.parent is None:
            keys = [inlet.key for inlet in sorted(one.inlets, key=lambda inlet: inlet.position)]
            selectors = tuple(None if key is None or not key.is_hidden else self._selector(key) for key in keys)
            options["grouped"] = selectors if any(selectors) else ()
        return OperatorSpec(
            role=operation.role,
            function=function,
            parent=operation.parent,
            tag=operation.tag,
            id=operator.key,
            key=operator.key,
            name=operation.name,
            place=str(operator.location),
            keyed=operation.keyed,
            inlined=operation.inlined,
            options=options,
        )

    def _selector(self, key: Key) -> Callable[[Any], Any]:
        return selector_of(key, lambda ddl: _arrow(self.schema_of(ddl)))

    def _declare(self, operation: Operation, one: Pass, options: dict[str, Any]) -> None:
        """Records have their declared types for readers in the same pass too, and for functions that give keys."""
        at = one.operations.index(operation)
        read = {other.tag for other in one.operations if other.parent == at}
        read |= {outlet.tag for outlet in one.outlets if outlet.operation == at and (outlet.key or outlet.custom)}
        schema = None if operation.output is None else self.schema_of(operation.output)
        if schema is None and operation.role == "reduce" and data_columns(self.arriving) != [PICKLED]:
            schema = StructType([self.arriving.schema[name] for name in data_columns(self.arriving)])
        if None in read and schema is not None and not ROLES[operation.role].gives_same:
            options["form"] = columns_form(_arrow(schema))
        sides = {tag: declared for tag, declared in operation.sides if tag in read}
        if sides:
            options["tags"] = {tag: columns_form(_arrow(self.schema_of(ddl))) for tag, ddl in sides.items()}

    def _outlet(self, outlet: Outlet) -> OutletSpec:
        key = outlet.key
        selector = None if key is None else self._selector(key)
        kind = None
        if key is not None and key.type is not None and key.type.startswith("value "):
            kind = _arrow(self.schema_of(key.type)).field(0).type
        return OutletSpec(
            node=outlet.operation,
            tag=outlet.tag,
            schema=_arrow(self._records_schema(outlet)),
            blame=outlet.declared_by if outlet.declared_by is not None else outlet.operation,
            selector=selector,
            key_type=kind,
            keyed_by=outlet.reader,
            custom=None if outlet.custom is None else partitioner_of(outlet.custom.target),
            consumers=outlet.consumers,
            stamps=outlet.timestamps,
            fields=() if outlet.read is None else self.names[0],
        )

    def _records_schema(self, outlet: Outlet) -> StructType:
        arriving = self.arriving
        if outlet.pickled:
            return StructType([StructField(PICKLED, BinaryType())])
        if outlet.columns is not None:
            declared = self.schema_of(outlet.columns)
            return declared if outlet.read is None else StructType([declared[name] for name in outlet.read])
        return StructType([StructField(n, arriving.schema[n].dataType, True) for n in data_columns(arriving)])

    def spark_schema(self, spec: PassSpec, one: Pass) -> StructType:
        """The columns of the pass's result, as Spark names them."""
        hidden = from_arrow_schema(spec.out_schema)
        if spec.tagged or not one.outlets:
            full = [self._full(one.outlets[n], spec.outlets[n]) for n in range(len(one.outlets))]
            fields = [StructField(f"o{n}", inner) for n, inner in enumerate(full)]
            return StructType([hidden[0], *fields, *([hidden[-1]] if spec.metric_rows else [])])
        full_schema = self._full(one.outlets[0], spec.outlets[0])
        return StructType([*full_schema.fields, *([hidden[-1]] if spec.metric_rows else [])])

    def _full(self, outlet: Outlet, spec: OutletSpec) -> StructType:
        own = self._records_schema(outlet)
        hidden = from_arrow_schema(pa.schema(list(spec.full_schema)[len(own) :]), prefer_timestamp_ntz=False)
        return StructType([*own.fields, *hidden.fields])


def pass_function(payload: bytes, accumulator: Any) -> Callable[[Any], Any]:
    """What `mapInArrow` takes: nothing but bytes and names, so that executors load everything from what was shipped."""

    def run(batches: Any) -> Any:
        from spark_runner.executor.pass_runner import run_pass

        report = None if accumulator is None else lambda finished: accumulator.add([finished])
        return run_pass(payload, report, batches)

    return run


def _arrow(schema: StructType) -> pa.Schema:
    return to_arrow_schema(schema, timezone="UTC")
