"""Writers of a streaming job, batch by batch.

Files go into a folder for every batch, written aside and moved into place whole: a batch that runs again replaces its
folder, so every record is there exactly once. What `_manifest/` names is complete. Other writers (Kafka, databases) get
every batch once, and again when a batch runs again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from planner.errors import ExecutionError
from planner.job import Writer
from spark_runner.batch.hadoop_files import Files
from spark_runner.executor.layout import Layout
from spark_runner.executor.written import NUMBER, SUBTASK
from spark_runner.frames.blame import blamed
from spark_runner.program.chunks import ChunkPlan, ChunkSink, Flow
from spark_runner.program.file_names import bucket_of
from spark_runner.streaming.queries.mounted_files import MountedFiles
from spark_runner.streaming.queries.shapes import Shapes
from spark_runner.streaming.queries.sources import FILE_FORMATS, applied
from spark_runner.streaming.queries.worker_calls import worker_call

__all__ = ["BatchWriter", "in_buckets", "target_of", "writes_files"]

_MANIFEST = "_manifest"
_TRIES, _MOMENT = 10, 0.1


class BatchWriter:
    """All writers of a job."""

    def __init__(self, shapes: Shapes, layout: Layout, files: Files | MountedFiles, checkpoint: str) -> None:
        self.shapes, self.layout, self.files, self.checkpoint = shapes, layout, files, checkpoint
        self.job: ChunkPlan = shapes.job
        self._asides: dict[str, ChunkSink] = {}  # what the current batch writes, until it is in its place
        self._written: dict[str, ChunkSink] = {}  # folders with batches of this run

    # --- before the first batch

    def claim(self, *, first: bool) -> None:
        """Refuse or clear what lies at the sinks' paths, as their modes say, before a checkpoint's first batch."""
        targets: dict[str, ChunkSink] = {}
        for sink in self.job.sinks:
            target = target_of(sink, self.shapes)
            if target is None:
                continue
            other = targets.setdefault(target.rstrip("/"), sink)
            if other is not sink:
                raise self._refused(sink, f"writes to {target}, as {other.operator.key!r} does", "give it its own path")
            if first and writes_files(sink) and self.files.exists(target):
                self._make_room(sink, target)

    def _make_room(self, sink: ChunkSink, target: str) -> None:
        mode = _writer(sink).mode
        if mode == "error":
            raise self._refused(
                sink,
                f"writes to {target}, which exists already, and this checkpoint is new",
                "set `mode: overwrite` or `mode: append`, move it away, or use the --checkpoint that wrote it",
            )
        if mode == "overwrite":
            self.files.delete(target)

    @staticmethod
    def _refused(sink: ChunkSink, problem: str, hint: str) -> ExecutionError:
        return ExecutionError(
            f"operator {sink.operator.key!r} ({sink.name}) {problem}",
            operator=sink.operator.key,
            location=sink.operator.location,
            hint=hint,
        )

    def check_places(self) -> None:
        """Refuse to go on where a folder that batches of this run were written to is gone, with all their records."""
        for target, sink in self._written.items():
            if not self.files.exists(f"{target}/{_MANIFEST}"):
                raise self._refused(
                    sink,
                    f"wrote to {target}, which was removed while the stream ran",
                    "its records up to now are gone: run again on a new checkpoint to write all of them anew",
                )

    # --- one batch

    def write(self, sink: ChunkSink, rows: DataFrame, batch: int) -> None:
        """One batch of one sink."""
        writer = _writer(sink)
        with blamed(sink.operator, sink.name, "could not be written"):
            frame = self.columns(sink, rows, numbered=writer.format.lower() == "kafka")
            if writer.format.lower() == "kafka":
                frame = _with_headers(frame, batch)
            if writes_files(sink):
                self._write_folder(sink, frame, batch, bucket=self._bucket(writer, rows))
            else:
                out = frame.write.format(writer.format).options(**dict(writer.options)).mode("append")
                target = target_of(sink, self.shapes)
                out.save() if target is None else out.save(target)

    def write_at_once(self, sink: ChunkSink, frame: DataFrame, batch: int, wanted: Callable[[], bool]) -> None:
        """One batch of the one sink, as columns; `wanted` tells, after the write, whether there were records."""
        with blamed(sink.operator, sink.name, "could not be written"):
            self._write_folder(sink, self._after_sql(self.job.flows_into(sink)[0], frame), batch, wanted=wanted)

    def columns(self, sink: ChunkSink, rows: DataFrame, *, numbered: bool = False) -> DataFrame:
        """The records of a batch as columns, after the SQL operators upstream of the sink."""
        width = sink.parallelism
        if numbered and not self.job.layers:  # a source's subtask may lie in several tasks: one of them must number it
            moved = rows.repartitionById(width, F.pmod(F.col("subtask"), F.lit(width)).cast("int"))
        else:
            moved = rows.coalesce(width)
        ordered = moved.sortWithinPartitions("base", "producer", "seq")
        frames = [self._flow(flow, ordered, numbered) for flow in self.job.flows_into(sink)]
        return reduce(DataFrame.unionByName, frames)

    def _flow(self, flow: Flow, rows: DataFrame, numbered: bool) -> DataFrame:
        assert flow.columns is not None
        schema = self.shapes.schema(flow.columns)
        hidden = [StructField(SUBTASK, IntegerType()), StructField(NUMBER, LongType())] if numbered else []
        schemas = {flow.number: self.layout.edges[flow.number].schema}
        module = "spark_runner.executor.written"
        function = worker_call(self.shapes.package, module, "run_columns", schemas, list(schema.names), numbered)
        frame = rows.where(F.col("edge") == flow.number).mapInArrow(function, StructType([*schema.fields, *hidden]))
        return self._after_sql(flow, frame)

    @staticmethod
    def _after_sql(flow: Flow, frame: DataFrame) -> DataFrame:
        for operation in flow.sql:
            with blamed(operation.operator, operation.name):
                frame = applied(operation, frame, (SUBTASK, NUMBER))
        return frame

    @staticmethod
    def _bucket(writer: Writer, rows: DataFrame) -> str:
        """The bucket of the batch's time, which is the same when the batch runs again."""
        if writer.names is None or writer.names.bucket is None:
            return ""
        found = rows.agg(F.max("now").alias("now")).collect()
        return bucket_of(writer.names, found[0]["now"] or 0) + "/"

    def _write_folder(
        self,
        sink: ChunkSink,
        frame: DataFrame,
        batch: int,
        *,
        bucket: str = "",
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        writer, target = _writer(sink), target_of(sink, self.shapes)
        assert target is not None
        folder = f"batch={batch}" if writer.mode != "append" else f"batch={self.checkpoint}-{batch}"
        aside = f"{target}/.b{batch}"
        self.files.delete(aside)
        self._asides[aside] = sink
        frame.write.format(writer.format).options(**dict(writer.options)).mode("error").save(aside)
        if not wanted():
            self.forget()
            return
        self.check_places()  # again: the batch itself took a while
        if writer.names is not None and (writer.names.prefix, writer.names.suffix) != ("part", ""):
            self.files.rename_parts(aside, writer.names.prefix, writer.names.suffix)
        self.files.replace(aside, f"{target}/{bucket}{folder}")
        del self._asides[aside]
        entry = {"batch": batch, "folder": f"{bucket}{folder}", "checkpoint": self.checkpoint}
        self.files.write_text(f"{target}/{_MANIFEST}/{folder}.json", json.dumps(entry) + "\n")
        self._written[target] = sink

    def forget(self) -> None:
        """Remove what a batch put aside, and folders made for it alone: the next run would be refused for them."""
        while self._asides:
            aside, sink = self._asides.popitem()
            for _ in range(_TRIES):
                self.files.delete(aside)
                if not self.files.exists(aside):
                    break
                time.sleep(_MOMENT)  # Spark still ends tasks that wrote there
            if _writer(sink).mode == "error":
                self.files.delete_empty(aside.rpartition("/")[0])


def writes_files(sink: ChunkSink) -> bool:
    """Whether a sink's records become files, in a folder for every batch."""
    return sink.kind == "write" and _writer(sink).format.lower() in FILE_FORMATS


def in_buckets(sink: ChunkSink) -> bool:
    """Whether a batch's files go into a folder of the batch's time."""
    names = _writer(sink).names
    return names is not None and names.bucket is not None


def target_of(sink: ChunkSink, shapes: Shapes) -> str | None:
    """Where a sink's files go."""
    path = _writer(sink).path if sink.kind == "write" else None
    return None if path is None else shapes.path(str(path))


def _writer(sink: ChunkSink) -> Writer:
    behaviour = sink.operator.behaviour
    return behaviour if isinstance(behaviour, Writer) else Writer(format="console")


def _with_headers(frame: DataFrame, batch: int) -> DataFrame:
    """Kafka records that say which batch, subtask and number they are: readers can drop what came twice."""

    def header(name: str, value: Any) -> Any:
        return F.struct(F.lit(name).alias("key"), value.cast("string").cast("binary").alias("value"))

    headers = F.array(
        header("plan.batch", F.lit(batch)), header("plan.subtask", F.col(SUBTASK)), header("plan.number", F.col(NUMBER))
    )
    return frame.withColumn("headers", headers).drop(SUBTASK, NUMBER)
