"""Collections written in a job, as records and as frames."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Records
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, StructField, StructType

from planner.errors import ExecutionError
from planner.job import Collection, Operator, Sequence
from spark_runner.executor.failures import shown
from spark_runner.executor.hidden_columns import TARGET
from spark_runner.executor.records import UnfitRecord, decode, encode
from spark_runner.executor.rows import fields_of, form_of, row_class
from spark_runner.frames.blame import blamed
from spark_runner.program.chunks import ChunkSource


def shaped_records(operator: Operator, schema: pa.Schema | None) -> list[Any]:
    """The records in the form functions get them: values, tuples or rows. Without columns they stay as they are."""
    assert isinstance(operator.behaviour, Collection)
    records = list(operator.behaviour.records)
    if schema is None:
        return records
    form = form_of(schema.names)
    if form == "value":
        shaped = records
    elif form == "tuple":
        shaped = [tuple(fields_of(record, schema.names)) for record in records]
    else:
        row = row_class(tuple(schema.names))
        shaped = [tuple.__new__(row, fields_of(record, schema.names)) for record in records]
    return decode(_check(operator, shaped, schema), schema.names)


def fed_records(source: ChunkSource, schema_of: Callable[[str], pa.Schema]) -> Records[Any]:
    """The job's own records of a source as its subtasks take them."""
    if source.records is not None:
        return source.records
    behaviour, declared = source.operator.behaviour, source.operator.output
    if isinstance(behaviour, Sequence):
        return range(behaviour.start, behaviour.end + 1)
    with blamed(source.operator, source.operation.name):
        return shaped_records(source.operator, None if declared is None else schema_of(declared))


def _check(operator: Operator, records: list[Any], schema: pa.Schema) -> list[pa.Array]:
    try:
        return encode(records, schema)
    except UnfitRecord as unfit:
        raise ExecutionError(
            f"operator {operator.key!r}: a record of its collection does not fit: {unfit}"
            f"\n  record: {shown(unfit.record)}",
            operator=operator.key,
            location=operator.location,
        ) from None


def collection_frame(spark: SparkSession, operator: Operator, schema: StructType, parallelism: int) -> DataFrame:
    """A collection inside the JVM: contiguous parts in order, one per partition."""
    arrow = to_arrow_schema(schema, timezone="UTC")
    records = shaped_records(operator, arrow)
    columns = encode(records, arrow)
    if parallelism == 1:
        return spark.createDataFrame(pa.Table.from_arrays(columns, schema=arrow), schema=schema).coalesce(1)
    count = len(records)
    sizes = (count * (n + 1) // parallelism - count * n // parallelism for n in range(parallelism))
    targets = pa.array([subtask for subtask, size in enumerate(sizes) for _ in range(size)], pa.int32())
    table = pa.Table.from_arrays([*columns, targets], schema=arrow.append(pa.field(TARGET, pa.int32())))
    frame = spark.createDataFrame(table, schema=StructType([*schema.fields, StructField(TARGET, IntegerType())]))
    # from one partition, so that each subtask gets its records in order
    return frame.coalesce(1).repartitionById(parallelism, F.col(TARGET)).drop(TARGET)
