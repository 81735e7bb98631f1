"""The records of a print sink as they come from Spark, subtask by subtask, without ever being collected all at once.

Where there may be many, they take the way of `printed_aside`. Otherwise Spark sends the batches of a partition when its
task is done, in any order of partitions. Batches of the subtask whose turn it is go on at once. Others wait on disk
until all subtasks before them have been seen, or until the end: nobody says whether a subtask that was not seen
yet has records at all.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Generator, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_runner.batch.printed_aside import batches_through_files
from spark_runner.clusters.connect import is_connect
from spark_runner.executor.records import decode
from spark_runner.executor.rows import printed
from spark_runner.figures.results import PrintedRecord
from spark_runner.program.program import Sink

__all__ = ["in_turn", "printed_records"]

_SUBTASK = "__subtask"
_IN_MEMORY = 1 << 20  # bytes of a subtask that waits
Numbered = tuple[int, pa.RecordBatch]  # a batch with its subtask


def printed_records(sink: Sink, frame: DataFrame, *, aside: bool) -> Iterator[PrintedRecord]:
    """The records of a print sink, subtask by subtask; through files if `aside`."""
    several = sink.parallelism > 1
    with contextlib.closing(batches_through_files(frame) if aside else _in_pieces(frame, several)) as batches:
        for subtask, batch in batches:
            names = [name for name in batch.schema.names if name != _SUBTASK]
            number = subtask + 1 if several else None
            for record in decode([batch.column(name) for name in names], names):
                yield PrintedRecord.of(sink.operator, number, printed(record))


def _in_pieces(frame: DataFrame, several: bool) -> Generator[Numbered, None, None]:
    shown = frame.withColumn(_SUBTASK, F.spark_partition_id()) if several else frame
    with contextlib.closing(_batches(shown)) as batches:
        yield from in_turn(map(_numbered, batches)) if several else ((0, one) for one in batches)


def _numbered(batch: pa.RecordBatch) -> Numbered:
    return (batch.column(_SUBTASK)[0].as_py() if batch.num_rows else 0), batch


def in_turn(batches: Iterator[Numbered]) -> Iterator[Numbered]:
    """The batches in the order of their subtasks. They come subtask after subtask, in any order of subtasks."""
    turn, before = 0, -1
    waiting: dict[int, _Waiting] = {}
    with contextlib.ExitStack() as files:
        for subtask, batch in batches:
            if subtask != before and before == turn:
                turn += 1  # all of it has come
            while turn in waiting and turn != subtask:
                yield from ((turn, one) for one in waiting.pop(turn).batches())
                turn += 1
            before = subtask
            if subtask == turn:
                yield subtask, batch
            else:
                if subtask not in waiting:
                    waiting[subtask] = files.enter_context(_Waiting(batch.schema))
                waiting[subtask].add(batch)
        for subtask in sorted(waiting):
            yield from ((subtask, one) for one in waiting[subtask].batches())


class _Waiting:
    """The batches of one subtask, on disk where they are many."""

    def __init__(self, schema: pa.Schema) -> None:
        self._file: Any = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 (closed by __exit__)
        self._writer = pa.ipc.new_stream(self._file, schema)

    def __enter__(self) -> _Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        self._writer.close()
        self._file.seek(0)
        yield from pa.ipc.open_stream(self._file)


def _batches(frame: DataFrame) -> Generator[pa.RecordBatch, None, None]:
    return _from_server(frame) if is_connect(frame.sparkSession) else _from_jvm(frame)


def _from_server(frame: Any) -> Generator[pa.RecordBatch, None, None]:
    """From a Connect server, which sends them in order."""
    client = frame.sparkSession.client
    for found in client.to_table_as_iterator(frame._plan.to_proto(client), frame._plan.observations):
        if isinstance(found, pa.Table):  # the first answer is the schema
            yield from found.to_batches()


def _from_jvm(frame: Any) -> Generator[pa.RecordBatch, None, None]:
    """From the driver's JVM, as DataFrame.toArrow() gets them; that waits for all, since it puts them in order."""
    from pyspark.errors.exceptions.captured import unwrap_spark_exception
    from pyspark.sql.pandas.serializers import ArrowStreamSerializer
    from pyspark.util import _load_from_socket

    port, secret, server = frame._jdf.collectAsArrowToPython()
    try:
        with _load_from_socket((port, secret), ArrowStreamSerializer()) as stream:
            yield from stream
    finally:
        with unwrap_spark_exception():
            server.getResult()  # waits for the job, and raises what it failed with
