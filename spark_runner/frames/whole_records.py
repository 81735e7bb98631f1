"""A record that failed as its author knows it, where only the fields that are read came along to the worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_runner.executor.failures import Failure, shown
from spark_runner.executor.hidden_columns import ROW
from spark_runner.executor.records import decode
from spark_runner.frames.arrivals import numbered
from spark_runner.frames.exchange import data_columns
from spark_runner.frames.frames import Frames
from spark_runner.frames.reports import Reports
from spark_runner.frames.row_counters import RowCounters
from spark_runner.frames.tally import Tally
from spark_runner.program.program import Inlet, SparkProgram

__all__ = ["told_whole"]


def told_whole(failure: Failure, program: SparkProgram, spark: SparkSession) -> Failure:
    """The failure with its whole record: it is read once more, by its number.

    Only records that no function made and no exchange moved are narrow, so their numbers are the same again. What came
    along must agree; else the failure is told with what is known.
    """
    if failure.row is None:
        return failure
    number, row = failure.row
    inlets = program.passes[number].inlets
    inlet = inlets[row % len(inlets)]
    try:
        names, records = _read_again(program, spark, inlet, row // len(inlets))
    except Exception:  # the source may be gone by now: what failed first is what its author must see
        names, records = (), []
    if len(records) != 1 or str(failure.record) not in _as_it_came(records[0], names, inlet):
        return replace(failure, record=f"{failure.record} (fields that no function reads are None here)")
    return replace(failure, record=shown(records[0]))


def _read_again(
    program: SparkProgram, spark: SparkSession, inlet: Inlet, row: int
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    frames = Frames(_whole(program), spark, Reports(spark), Tally(RowCounters(spark)))
    try:
        frames.build()
        frame: DataFrame = frames.outlets[inlet.source, inlet.outlet]
        names = tuple(data_columns(frame))
        found = frame.withColumn(ROW, numbered(frame, all_read=False)).where(F.col(ROW) == row).select(*names)
        table = found.toArrow().combine_chunks()
        return names, decode([column.combine_chunks() for column in table.columns], names)
    finally:
        frames.release()


def _whole(program: SparkProgram) -> SparkProgram:
    """The program with all columns on every way."""
    passes = tuple(
        replace(
            one,
            inlets=tuple(replace(inlet, read=None) for inlet in one.inlets),
            outlets=tuple(replace(outlet, read=None) for outlet in one.outlets),
        )
        for one in program.passes
    )
    return replace(program, passes=passes)


def _as_it_came(record: tuple[object, ...], names: tuple[str, ...], inlet: Inlet) -> Iterator[str]:
    """The record without the fields that did not come along, as it is shown: its key may have been among the others."""
    for more in ((), () if inlet.key is None else inlet.key.columns):
        kept = {*(inlet.read or ()), *more}
        values = [value if name in kept else None for name, value in zip(names, record, strict=True)]
        yield shown(tuple.__new__(type(record), values))
