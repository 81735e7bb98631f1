"""The one query of a streaming job: sources, then a layer for every exchange, as rows of chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from planner.job import Collection, Sequence
from spark_runner.executor.streaming.chunks import ROW_DDL
from spark_runner.executor.streaming.layout import Layout
from spark_runner.frames.blame import blamed
from spark_runner.frames.collections import shaped_records
from spark_runner.frames.shipping import pickled_function
from spark_runner.streaming.layouts import LayoutMaker
from spark_runner.streaming.program import StreamJob, StreamSource, StreamVertex
from spark_runner.streaming.shapes import Shapes
from spark_runner.streaming.slot_keys import slot_keys
from spark_runner.streaming.sources import HIDDEN, now, reader_frame
from spark_runner.streaming.worker_calls import slot_processor, worker_call

__all__ = ["Query"]


class Query:
    """Builds the frame that a job's batches are read from."""

    def __init__(
        self, job: StreamJob, spark: SparkSession, *, file: str, orders: str, package: str | None = None
    ) -> None:
        self.job, self.spark, self.file, self.orders = job, spark, file, orders
        self.package = package  # a zip of our code, where workers do not have it from the session
        plain = Shapes(job=job, folder=Path(file).resolve().parent)
        self.frames = {s.number: reader_frame(spark, s, plain.path) for s in job.sources if not _is_fed(s)}
        schemas = {number: _plain(frame) for number, frame in self.frames.items()}
        self.shapes = replace(plain, package=package, schemas=schemas)
        arrow = {number: _arrow(schema) for number, schema in self.shapes.schemas.items()}
        self.maker = LayoutMaker(job, lambda ddl: _arrow(self.shapes.schema(ddl)), arrow)

    def frame(self, generations: Mapping[str, int]) -> tuple[DataFrame, Layout]:
        """The rows behind the last layer, and the layout that made them."""
        layout = self.maker.layout(generations)
        payload = pickled_function(layout, self.file)
        rows = self._control(payload)
        for source in self.job.sources:
            if source.number in self.frames:
                function = self._on_worker("run_source", payload, source.number)
                rows = rows.unionByName(self.frames[source.number].mapInArrow(function, ROW_DDL))
        for number, vertices in enumerate(self.job.layers, start=1):
            rows = self._layer(rows, payload, number, vertices)
        return rows, layout

    def _control(self, payload: bytes) -> DataFrame:
        feeds = {s.number: self._records(s) for s in self.job.sources if _is_fed(s)}
        orders = (
            self.spark.readStream.format("text")
            .schema("value string")
            .option("maxFilesPerTrigger", "1")
            .load(self.orders)
        )
        return orders.select("value", now()).mapInArrow(
            self._on_worker("run_control", payload, pickled_function(feeds, self.file)), ROW_DDL
        )

    def _records(self, source: StreamSource) -> Any:
        if source.records is not None:
            return source.records
        behaviour = source.operator.behaviour
        if isinstance(behaviour, Sequence):
            return range(behaviour.start, behaviour.end + 1)
        with blamed(source.operator, source.operation.name):
            declared = source.operator.output
            return shaped_records(source.operator, None if declared is None else _arrow(self.shapes.schema(declared)))

    def _layer(self, rows: DataFrame, payload: bytes, number: int, vertices: tuple[StreamVertex, ...]) -> DataFrame:
        if not any(vertex.stateful for vertex in vertices):
            width = max(vertex.parallelism for vertex in vertices)
            moved = rows.repartitionById(width, F.pmod(F.col("subtask"), F.lit(width)).cast("int"))
            return moved.mapInArrow(self._on_worker("run_layer", payload, number), ROW_DDL)
        keys = slot_keys(self.job.slots)
        at = F.pmod(F.col("subtask"), F.lit(len(keys))) + F.lit(1)
        slotted = rows.withColumn("slot", F.element_at(F.array(*(F.lit(key) for key in keys)), at.cast("int")))
        processor = slot_processor(self.package, payload, number, script=self.job.is_script)
        return slotted.groupBy("slot").transformWithState(processor, ROW_DDL, "Append", "None")

    def _on_worker(self, name: str, *arguments: Any) -> Callable[[Any], Any]:
        module = "spark_runner.executor.streaming.layers"
        return worker_call(self.package, module, name, *arguments, script=self.job.is_script)


def _is_fed(source: StreamSource) -> bool:
    return isinstance(source.operator.behaviour, Collection | Sequence)


def _plain(frame: DataFrame) -> StructType:
    return StructType([field for field in frame.schema.fields if field.name not in HIDDEN])


def _arrow(schema: StructType) -> pa.Schema:
    return to_arrow_schema(schema, timezone="UTC")
