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
from pyspark.sql.types import StringType, StructField, StructType

from planner.job import Collection, Sequence
from spark_runner.executor.chunks import ROW_DDL
from spark_runner.executor.layout import Layout
from spark_runner.executor.written import COUNTED
from spark_runner.frames.collections import fed_records
from spark_runner.frames.kafka_offsets import known_splits
from spark_runner.frames.layouts import LayoutMaker
from spark_runner.frames.shipping import pickled_function
from spark_runner.program.chunks import ChunkPlan, ChunkSource, Vertex
from spark_runner.streaming.queries.shapes import Shapes
from spark_runner.streaming.queries.sinks import in_buckets, writes_files
from spark_runner.streaming.queries.slot_keys import slot_keys
from spark_runner.streaming.queries.sources import EVERY_AGE, HIDDEN, now, reader_frame
from spark_runner.streaming.queries.worker_calls import slot_processor, worker_call

__all__ = ["Query"]

_STEPS = "spark_runner.executor"


class Query:
    """Builds the frame that a job's batches are read from."""

    def __init__(
        self, job: ChunkPlan, spark: SparkSession, *, file: str, orders: str, package: str | None = None
    ) -> None:
        self.job, self.spark, self.file, self.orders = job, spark, file, orders
        self.package = package  # a zip of our code, where workers do not have it from the session
        plain = Shapes(job=job, folder=Path(file).resolve().parent)
        self.frames = {s.number: reader_frame(spark, s, plain.path) for s in job.sources if not _is_fed(s)}
        schemas = {number: _plain(frame) for number, frame in self.frames.items()}
        self.shapes = replace(plain, package=package, schemas=schemas)
        arrow = {number: _arrow(schema) for number, schema in self.shapes.schemas.items()}
        self.maker = LayoutMaker(job, lambda ddl: _arrow(self.shapes.schema(ddl)), arrow, self._splits())
        self.written = self._written_at_once()
        self._layers_left = 0

    def _splits(self) -> dict[int, tuple[int, ...]]:
        """The splits of those sources whose event time goes by split, where somebody looks at it."""
        flows = [flow for flow in self.job.flows if flow.target >= 0 and self.job.vertices[flow.target].watermarks]
        followed = {source.number: source for flow in flows if (source := self.job.split_source(flow)) is not None}
        return {number: known_splits(self.spark, source) for number, source in followed.items()}

    def _written_at_once(self) -> StructType | None:
        """The columns of the one sink, where a batch is written by one Spark job: nothing else reads the batch.

        A bucket is known from the batch's rows, so a sink that has some writes on its own. Where only sources are
        upstream, Spark chooses the number of tasks; a sink of fewer subtasks then writes on its own. Over Connect
        batches are written on the server, and what a write observes there was not tried.
        """
        if self.package is not None:
            return None
        flows = [flow for flow in self.job.flows if flow.target < 0]
        if len(self.job.sinks) != 1 or len(flows) != 1 or not writes_files(self.job.sinks[0]):
            return None
        if in_buckets(self.job.sinks[0]):
            return None
        if not self.job.layers and self.job.sinks[0].parallelism < self.spark.sparkContext.defaultParallelism:
            return None
        columns = flows[0].columns
        schema = None if columns is None else self.shapes.schema(columns)
        return schema if schema is not None and all(field.nullable for field in schema.fields) else None

    def frame(self, generations: Mapping[str, int]) -> tuple[DataFrame, Layout]:
        """The rows after the last layer, and the layout that made them."""
        layout = self.maker.layout(generations)
        payload = pickled_function(layout, self.file)
        self._layers_left = len(self.job.layers)
        rows = self._control(payload)
        for source in self.job.sources:
            if source.number in self.frames:
                rows = rows.unionByName(self._step(self.frames[source.number], "run_source", payload, source.number))
        for number, vertices in enumerate(self.job.layers, start=1):
            self._layers_left -= 1
            rows = self._layer(rows, payload, number, vertices)
        return rows, layout

    def _step(self, frame: DataFrame, name: str | None, *arguments: Any) -> DataFrame:
        """A step without state; the last one of a query gives its one sink's columns, where it can."""
        if self.written is None or self._layers_left:
            assert name is not None
            return frame.mapInArrow(self._on_worker(f"{_STEPS}.layers", name, *arguments), ROW_DDL)
        function = self._on_worker(f"{_STEPS}.written", "run_last", name, arguments, _arrow(self.written))
        return frame.mapInArrow(function, StructType([*self.written.fields, StructField(COUNTED, StringType())]))

    def _control(self, payload: bytes) -> DataFrame:
        feeds = {
            s.number: fed_records(s, lambda ddl: _arrow(self.shapes.schema(ddl)))
            for s in self.job.sources
            if _is_fed(s)
        }
        orders = (
            self.spark.readStream.format("text")
            .schema("value string")
            .options(maxFilesPerTrigger="1", **EVERY_AGE)
            .load(self.orders)
        )
        return self._step(orders.select("value", now()), "run_control", payload, pickled_function(feeds, self.file))

    def _layer(self, rows: DataFrame, payload: bytes, number: int, vertices: tuple[Vertex, ...]) -> DataFrame:
        if not any(vertex.stateful for vertex in vertices):
            width = max(vertex.parallelism for vertex in vertices)
            moved = rows.repartitionById(width, F.pmod(F.col("subtask"), F.lit(width)).cast("int"))
            return self._step(moved, "run_layer", payload, number)
        keys = slot_keys(self.job.slots)
        at = F.pmod(F.col("subtask"), F.lit(len(keys))) + F.lit(1)
        slotted = rows.withColumn("slot", F.element_at(F.array(*(F.lit(key) for key in keys)), at.cast("int")))
        processor = slot_processor(self.package, payload, number, script=self.job.script)
        kept = slotted.groupBy("slot").transformWithState(processor, ROW_DDL, "Append", "None")
        return kept if self.written is None or self._layers_left else self._step(kept, None)

    def _on_worker(self, module: str, name: str, *arguments: Any) -> Callable[[Any], Any]:
        return worker_call(self.package, module, name, *arguments, script=self.job.script)


def _is_fed(source: ChunkSource) -> bool:
    return isinstance(source.operator.behaviour, Collection | Sequence)


def _plain(frame: DataFrame) -> StructType:
    return StructType([field for field in frame.schema.fields if field.name not in HIDDEN])


def _arrow(schema: StructType) -> pa.Schema:
    return to_arrow_schema(schema, timezone="UTC")
