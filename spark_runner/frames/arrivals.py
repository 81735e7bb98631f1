"""What a pass reads: the frames of its inlets, after their exchanges, joined and in the order it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from planner.errors import ExecutionError
from planner.job import Reader
from spark_runner.executor.hidden_columns import HIDDEN, KEY, ROW, SIDE, STAMP, TARGET
from spark_runner.frames.exchange import data_columns, joined_inlets, key_columns, moved, sided, with_target
from spark_runner.frames.native_pass import with_time
from spark_runner.program.program import Inlet, Operation, Pass, SparkProgram
from spark_runner.program.sql_text import quoted

__all__ = ["Arrivals", "Names"]

Names = tuple[str, ...]
_COLUMNAR = ("parquet", "orc")  # formats that store each column by itself
OutletFrames = Mapping[tuple[int, int], DataFrame]  # by pass and outlet


class Arrivals:
    """The inlets of a program's passes as frames. Passes must be asked for in order."""

    def __init__(self, program: SparkProgram, outlets: OutletFrames) -> None:
        self._program, self._outlets = program, outlets
        self._unsettled: set[int] = set()  # passes after a shuffle: their rows come in any order

    def note(self, number: int, one: Pass) -> None:
        """Remember whether row order can be relied on after this pass."""
        if any(inlet.source in self._unsettled or _shuffles(inlet) for inlet in one.inlets):
            self._unsettled.add(number)

    def after_exchange(self, one: Pass) -> DataFrame:
        """Everything a pass reads as one frame."""
        return self.arriving(one)[0]

    def arriving(self, one: Pass) -> tuple[DataFrame, tuple[Names, ...]]:
        """Everything a pass reads as one frame, and by input the names of its records' fields.

        Of these only those came along that somebody reads, and with them each record's number in its stream.
        """
        reader = one.operations[0] if one.operations else None
        frames = [self.in_front(inlet, reader) for inlet in one.inlets]
        whole = {i.position for i, f in zip(one.inlets, frames, strict=True) if not self._can_be_narrow(i, f)}
        names = {i.position: tuple(data_columns(f)) for i, f in reversed([*zip(one.inlets, frames, strict=True)])}
        for at, inlet in enumerate(one.inlets):
            if inlet.position not in whole:
                frames[at] = self._narrowed(frames[at], one, at)
                names[inlet.position] = inlet.fields
        settled = not any(inlet.source in self._unsettled for inlet in one.inlets)
        if any(inlet.position for inlet in one.inlets):
            frame = _two_sided(one, frames, settled)
        elif len(frames) == 1:
            frame = moved(frames[0], one.inlets[0], settled=settled)
        else:
            self._check_union(one, frames)
            frame = joined_inlets(frames, one.inlets, parallelism=one.parallelism, settled=settled)
        return (_grouped(one, frame) if one.grouped else frame), tuple(names[at] for at in sorted(names))

    def _can_be_narrow(self, inlet: Inlet, frame: DataFrame) -> bool:
        """Whether not all columns are read, and the columns are those that were declared."""
        outlet = self._program.passes[inlet.source].outlets[inlet.outlet]
        given = inlet.fields if outlet.read is None else outlet.read
        return inlet.read is not None and tuple(data_columns(frame)) == given

    def _narrowed(self, frame: DataFrame, one: Pass, at: int) -> DataFrame:
        """The columns that are read, and with them each record's number among those of all inlets."""
        inlet = one.inlets[at]
        keys = inlet.key.columns if inlet.key is not None else ()
        kept = [name for name in frame.columns if name in (inlet.read or ()) or name in keys or name in HIDDEN]
        row = numbered(frame, all_read=self._reads_text(inlet)) * len(one.inlets) + at
        return frame.select(*(F.col(quoted(name)) for name in kept if name != ROW), row.alias(ROW))

    def _reads_text(self, inlet: Inlet) -> bool:
        """Whether a reader looks only at columns that somebody reads, and might have failed in another."""
        source = self._program.passes[inlet.source]
        readers = (one.operator.behaviour for one in source.operations)
        return any(isinstance(one, Reader) and one.format.lower() not in _COLUMNAR for one in readers)

    def in_front(self, inlet: Inlet, reader: Operation | None) -> DataFrame:
        """One inlet before its exchange."""
        frame = self._outlets[inlet.source, inlet.outlet]
        if inlet.time is not None and reader is not None:
            return with_time(frame, inlet.time, reader.operator)
        return frame

    def side(self, one: Pass, side: int) -> DataFrame:
        """One input of a join, before its exchange."""
        frames = [self.in_front(inlet, None) for inlet in one.inlets if inlet.position == side]
        union = frames[0]
        for other in frames[1:]:
            union = union.unionByName(other)
        return union

    def all_in_front(self, one: Pass, reader: Operation) -> DataFrame:
        """All inlets of an aggregation, before its exchange."""
        frames = [self.in_front(inlet, reader) for inlet in one.inlets]
        self._check_union(one, frames)
        union = frames[0]
        for other in frames[1:]:
            union = union.unionByName(other, allowMissingColumns=True)
        return union

    def _check_union(self, one: Pass, frames: Sequence[DataFrame]) -> None:
        names = [data_columns(frame) for frame in frames]
        if any(sorted(other) != sorted(names[0]) for other in names[1:]):
            raise ExecutionError(
                f"step {self._program.steps[one.step].name!r} unions streams with different columns: "
                + "; ".join(", ".join(columns) for columns in names),
                hint="give the streams the same columns, or declare the type of all of them",
            )


def numbered(frame: DataFrame, *, all_read: bool) -> Column:
    """The number of every row, which is the same whenever the frame is read again.

    With `all_read` it seems to Spark to need every column, so that all are read although nobody wants them.
    """
    number = F.monotonically_increasing_id()
    if not all_read:
        return number
    names = data_columns(frame)
    missing = " or ".join(f"{quoted(name)} is null" for name in names)
    return F.when(number >= 0, F.monotonically_increasing_id()).otherwise(F.expr(f"cast({missing} as bigint)"))


def _shuffles(inlet: Inlet) -> bool:
    return inlet.exchange is not None and inlet.exchange.strategy != "FORWARD"


def _two_sided(one: Pass, frames: Sequence[DataFrame], settled: bool) -> DataFrame:
    """Two inputs in one frame, each in columns of its own."""
    firsts = [next((f, i) for f, i in zip(frames, one.inlets, strict=True) if i.position == side) for side in (0, 1)]
    shaped = []
    for frame, inlet in zip(frames, one.inlets, strict=True):
        keyed = inlet.key is not None and all(i.key is not None for i in one.inlets)
        targeted = frame if keyed else with_target(frame, inlet, settled=settled)
        shaped.append(sided(targeted, inlet, *firsts[1 - inlet.position]))
    both = shaped[0]
    for other in shaped[1:]:
        both = both.unionByName(other, allowMissingColumns=True)  # one side alone may be narrow
    if KEY in both.columns and TARGET not in both.columns:
        return both.repartition(one.parallelism, F.col(KEY))
    return both.repartitionById(one.parallelism, F.col(TARGET)).drop(TARGET)


def _grouped(one: Pass, frame: DataFrame) -> DataFrame:
    """Key by key, in event-time order."""
    keys = [F.col(KEY)] if KEY in frame.columns else key_columns(one.inlets[0])
    order = [F.col(name) for name in (STAMP, SIDE) if name in frame.columns]
    return frame.sortWithinPartitions(*keys, *order)
