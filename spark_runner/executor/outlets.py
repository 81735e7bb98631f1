"""Streams on their way out of a pass: records, or what was collected of them, as columns. Runs on executors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from spark_runner.executor.conversion import UnfitKey
from spark_runner.executor.failures import RAISED, OperatorFailed, described, failed_by, shown, user_lines
from spark_runner.executor.fusion import Collected, Stamps
from spark_runner.executor.keys import key_bytes
from spark_runner.executor.operators import Part
from spark_runner.executor.passes import PassSpec
from spark_runner.executor.records import UnfitRecord, columns_of, encode, shaped


class OutletWriter:
    """Turns records into the columns of one outlet."""

    def __init__(self, spec: PassSpec, number: int, ready: list[pa.RecordBatch]) -> None:
        self.spec, self.number, self.given, self.ready = spec, number, 0, ready
        self.outlet = spec.outlets[number]
        self.schema = self.outlet.full_schema
        self.timed = self.outlet.stamps
        self.out_schema = spec.out_schema

    def flow(self, part: Part) -> None:
        """Take a part of the stream."""
        if part.values:
            self.write(list(part.values), part.stamps)

    def write(self, made: list[Any] | Collected, stamps: Stamps) -> None:
        """The records as one batch of the pass's result."""
        arrays, count = self._taken_apart(made) if isinstance(made, Collected) else self._whole(made)
        self.given += count
        if self.outlet.stamps:
            arrays.append(pa.array(stamps if stamps is not None else [None] * count, pa.int64()))
        if self.spec.tagged:
            arrays = self._tagged(arrays, count)
        if self.spec.metric_rows:
            arrays.append(pa.nulls(count, pa.string()))
        self.ready.append(pa.RecordBatch.from_arrays(arrays, schema=self.out_schema))

    def unfit(self, records: list[Any]) -> OperatorFailed:
        """The failure of the first of these records that does not fit."""
        try:
            encode(records, self.outlet.schema)
        except UnfitRecord as unfit:
            return self._failed(str(unfit), unfit.record, "gave a record that does not fit its declared type: ")
        raise AssertionError(f"{self.spec.name}: these records fit")

    def key_failed(self, error: BaseException, record: Any, what: str = "key_by") -> OperatorFailed:
        """The failure of the function that gives a record's key, or its place."""
        if isinstance(error, UnfitKey):
            return self._failed(str(error), error.key, "", by=self.outlet.keyed_by)
        return self._failed(described(error), record, f"{what}: ", user_lines(error), self.outlet.keyed_by)

    def _taken_apart(self, collected: Collected) -> tuple[list[pa.Array], int]:
        try:
            arrays = columns_of(collected.columns, self.outlet.schema)
        except UnfitRecord as unfit:
            raise self.unfit([unfit.record]) from None
        if collected.keys is not None:
            arrays.append(self._key_column(collected.keys))
        return arrays, len(collected.columns[0])

    def _whole(self, values: list[Any]) -> tuple[list[pa.Array], int]:
        outlet = self.outlet
        try:
            arrays = encode(values, outlet.schema)
        except UnfitRecord as unfit:
            raise self.unfit([unfit.record]) from None
        if outlet.custom is not None or outlet.selector is not None:
            values = list(map(shaped(outlet.schema.names), values))
        if outlet.custom is not None:
            arrays.append(pa.array(self._targets(values), pa.int32()))
        elif outlet.selector is not None:
            arrays.append(self._key_column(self._called(outlet.selector, values, "key_by")))
        return arrays, len(values)

    def _key_column(self, keys: list[Any]) -> pa.Array:
        kind = self.outlet.key_type
        if kind is None:
            return pa.array(list(map(key_bytes, keys)), pa.binary())
        return encode(keys, pa.schema([pa.field("value", kind)]))[0]

    def _targets(self, values: list[Any]) -> list[int]:
        outlet = self.outlet
        custom, count = outlet.custom, outlet.consumers
        assert custom is not None
        keys = values if outlet.selector is None else self._called(outlet.selector, values, "key of partition_custom")
        targets = self._called(lambda key: int(custom(key, count)), keys, "partition_custom")
        for value, target in zip(values, targets, strict=True):
            if not 0 <= target < count:
                problem = f"partition_custom chose subtask {target} of {count}"
                raise self._failed(problem, value, "", by=self.outlet.keyed_by)
        return targets

    def _called(self, function: Callable[[Any], Any], values: list[Any], what: str) -> list[Any]:
        found: list[Any] = []
        try:
            for value in values:
                found.append(function(value))
        except RAISED as error:
            raise self.key_failed(error, values[len(found)], what) from None
        return found

    def _failed(
        self,
        problem: str,
        record: Any,
        prefix: str,
        lines: tuple[str, ...] = (),
        by: tuple[str, str, str] | None = None,
    ) -> OperatorFailed:
        blame = self.outlet.blame
        if by is None and blame is not None:
            owner = self.spec.operators[blame]
            by = (owner.key, owner.name, owner.place)
        by = by or (self.spec.name, self.spec.name, "")
        return failed_by(by, problem, shown(record), prefix=prefix, lines=lines)

    def _tagged(self, arrays: list[pa.Array], count: int) -> list[pa.Array]:
        mine = pa.StructArray.from_arrays(arrays, fields=list(self.schema))
        columns: list[pa.Array] = [pa.array([self.number] * count, pa.int32())]
        for number, outlet in enumerate(self.spec.outlets):
            columns.append(mine if number == self.number else pa.nulls(count, pa.struct(list(outlet.full_schema))))
        return columns
