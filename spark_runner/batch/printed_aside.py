"""Many printed records on their way through files of this machine, where Spark runs on it.

Spark sends what a task gives to the driver in one piece, which must fit into the memory of its JVM several times. So
where there may be many records, each task writes them to a file as Arrow batches, and the driver reads the files.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from planner.job import Collection
from spark_runner.clusters.connect import is_connect
from spark_runner.clusters.temporary_folders import make_temporary_folder
from spark_runner.program.program import SparkProgram

__all__ = ["batches_through_files", "may_be_many"]

_FEW = 256 << 10  # bytes: what Spark expects of a frame that is sent in one piece


def may_be_many(program: SparkProgram, frame: Any) -> bool:
    """Whether a frame may be too large to be sent in pieces, on a session whose tasks write files on this machine."""
    if is_connect(frame.sparkSession) or not frame.sparkSession.sparkContext._jsc.sc().isLocal():
        return False
    operators = (operation.operator for one in program.passes for operation in one.operations)
    if all(isinstance(one.behaviour, Collection) for one in operators if one.kind == "source"):
        return False  # the job's file holds all of it
    return int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())) > _FEW


def batches_through_files(frame: DataFrame) -> Generator[tuple[int, pa.RecordBatch], None, None]:
    """The batches of a frame with the partition each belongs to, in order."""
    folder = make_temporary_folder()
    try:
        frame.mapInArrow(_writing_to(str(folder)), "partition int").write.format("noop").mode("overwrite").save()
        for partition, file in sorted((int(one.stem), one) for one in folder.glob("*.arrow")):
            with pa.OSFile(str(file)) as opened:
                yield from ((partition, batch) for batch in pa.ipc.open_stream(opened))
            file.unlink()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _writing_to(folder: str) -> Any:
    """What a task does. It travels by value, so it must not refer to this module."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow
        from pyspark import TaskContext

        first, task = next(batches, None), TaskContext.get()
        if first is None or task is None:
            return
        # a task that runs again starts its file again
        place = f"{folder}/{task.partitionId()}.arrow"
        with pyarrow.OSFile(place, "wb") as file, pyarrow.ipc.new_stream(file, first.schema) as writer:
            writer.write_batch(first)
            for batch in batches:
                writer.write_batch(batch)
        yield from ()

    return write
